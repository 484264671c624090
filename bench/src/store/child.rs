//! What measurements start as processes of their own: to be killed, or to have their memory looked at.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use super::{memory, writer};

/// What a child process does.
#[derive(Debug, Subcommand)]
pub(crate) enum Role {
    /// Writes until it is killed, and prints what was acknowledged.
    Write {
        /// The store's directory.
        dir: PathBuf,
        /// Number of the run, which names its records.
        run: u32,
        /// Threads that write.
        producers: u32,
    },
    /// Writes records, and prints its own memory each time a number of them is reached.
    Memory {
        /// The store's directory.
        dir: PathBuf,
        /// How many records, in ascending order.
        at: Vec<u64>,
    },
}

impl Role {
    /// Plays the role to its end.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Role::Write { dir, run, producers } => writer::write_until_killed(dir, *run, *producers),
            Role::Memory { dir, at } => memory::write_and_look(dir, at),
        }
    }
}
