//! The real program, run as people run it.

mod cli;
mod config;
mod damage;
mod init;
mod key;
mod program;
mod restore;
mod serve;
