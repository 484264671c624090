//! The cairn program: reads the command line and the configuration, wires store, engine and
//! surfaces together, and does nothing else.

mod autopilot;
mod cli;
mod columns;
mod command;
mod config;
mod data_dir;
mod dir_access;
mod endpoints;
mod exposure;
mod failure;
mod git;
mod keeper;
mod key_file;
mod limits;
mod logging;
mod node_id;
mod open;
mod owner;
mod private_file;
mod progress;
mod reach;
mod secret_input;
mod signals;
mod silence;
mod socket;
mod terminal;
mod tls;
mod trusted;
mod when;
mod wiring;

use std::process::ExitCode;

use clap::Parser;

/// What one thread writes another one frees, over and over: the system's allocator keeps a pool per
/// thread for that, and grows.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    private_file::ignore_umask();
    let cli = cli::Cli::parse();
    match command::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
