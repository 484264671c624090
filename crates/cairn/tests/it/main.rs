//! The real program, run as people run it.

mod attach;
mod cli;
mod config;
mod damage;
mod init;
mod maintain;
mod owner;
mod program;
mod serve;
