//! What measurements start as processes of their own: to be killed, or to have their memory looked at.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Subcommand;

use super::{memory, writer};
use crate::gateway::bare::{self, Answers};
use crate::kip::workload::Size;
use crate::turmoil::{Orders, work_until_killed};
use crate::{blobs, kip, search, turns};

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
    /// Does everything at once until it is killed, and prints what it does.
    Turmoil {
        /// What it is told.
        orders: String,
    },
    /// Streams a large blob in and out, and prints its own memory.
    Large {
        /// Where the store goes.
        dir: PathBuf,
        /// Bytes of the blob.
        bytes: u64,
    },
    /// Writes a large log, and prints its own memory on the way.
    Fill {
        /// The store's directory.
        dir: PathBuf,
        /// Bytes of the log.
        bytes: u64,
    },
    /// Serves turns until its input ends.
    ServeTurns {
        /// The store's directory.
        dir: PathBuf,
        /// A folder with a certificate; with one there are doors that ask for tokens and that encrypt.
        #[arg(long)]
        certificates: Option<PathBuf>,
        /// Keep an index of them.
        #[arg(long)]
        search: bool,
    },
    /// Answers fixed bytes after fixed work until its input ends.
    ServeBare {
        /// What an answer takes of a processor.
        busy_us: u64,
        /// Bytes of an answer.
        bytes: usize,
    },
    /// Opens a store with an index and searches, and prints its own memory.
    SearchMemory {
        /// The store's directory.
        dir: PathBuf,
        /// How many searches.
        searches: usize,
    },
    /// Loads a graph, and prints its own memory.
    KipLoad {
        /// The store's directory.
        dir: PathBuf,
        /// How many concepts.
        concepts: u64,
        /// How many propositions.
        propositions: u64,
    },
    /// Opens a graph and asks, and prints its own memory.
    KipAsk {
        /// The store's directory.
        dir: PathBuf,
        /// How many concepts it has.
        concepts: u64,
        /// How many propositions it has.
        propositions: u64,
        /// Ask little.
        #[arg(long)]
        quick: bool,
    },
    /// Opens a large log, and prints its own memory.
    Reopen {
        /// The store's directory.
        dir: PathBuf,
    },
}

impl Role {
    /// Plays the role to its end.
    pub(crate) fn run(&self) -> Result<()> {
        match self {
            Role::Write { dir, run, producers } => writer::write_until_killed(dir, *run, *producers),
            Role::Memory { dir, at } => memory::write_and_look(dir, at),
            Role::Turmoil { orders } => {
                let orders = Orders::parse(orders).context("orders that make no sense")?;
                Ok(work_until_killed(&orders)?)
            }
            Role::Large { dir, bytes } => blobs::large::stream(dir, *bytes),
            Role::Fill { dir, bytes } => blobs::memory::fill(dir, *bytes),
            Role::ServeTurns { dir, certificates, search } => {
                turns::server::serve(dir, certificates.as_deref(), *search)
            }
            Role::ServeBare { busy_us, bytes } => bare::serve(Answers { busy_us: *busy_us, bytes: *bytes }),
            Role::SearchMemory { dir, searches } => search::memory::search_and_look(dir, *searches),
            Role::KipLoad { dir, concepts, propositions } => {
                kip::large::load(dir, Size { concepts: *concepts, propositions: *propositions })
            }
            Role::KipAsk { dir, concepts, propositions, quick } => {
                kip::large::ask(dir, Size { concepts: *concepts, propositions: *propositions }, *quick)
            }
            Role::Reopen { dir } => blobs::memory::reopen(dir),
        }
    }
}
