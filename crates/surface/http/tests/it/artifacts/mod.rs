//! Artifacts over HTTP.

mod access;
mod content;
mod dialect;
mod events;
mod ipfs;
mod kit;
mod life;
mod list;
mod publish;
mod shapes;
