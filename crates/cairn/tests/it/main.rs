//! The real program, run as people run it.

mod access;
mod attach;
mod cli;
mod config;
mod damage;
mod events;
mod identity;
mod init;
mod key;
mod kip;
mod kip_bulk;
mod kip_index;
mod kip_shell;
mod maintain;
mod mcp;
mod owner;
mod program;
mod restore;
mod search;
mod secrets;
mod serve;
mod tls;
mod turns;
mod turns_bulk;
mod turns_commands;
mod turns_unreadable;
