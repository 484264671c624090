//! Certificates from files, served and replaced, over real sockets.

mod files;
mod handshake;
mod reload;
mod talk;
