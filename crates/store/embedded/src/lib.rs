//! The embedded store: the commit log is the truth, redb is an index of it.
//!
//! A transaction's closure writes into an overlay; a group of them becomes one write and one sync of
//! the log, and is then published in memory; an applier moves what was published into the index about
//! once a second. Opening is the index plus a replay of the rest of the log. A backup is a copy of the
//! log as of one position.
//!
//! What it does not do: decide who may read what, or know what records mean.

mod alarm;
mod apply;
mod backend;
mod backup;
mod blob;
mod change_key;
mod commit;
mod compact;
mod container;
mod front;
mod generation;
mod guard;
mod image;
mod image_reader;
mod index;
mod lean;
pub mod limits;
mod memory;
mod mend;
mod merge;
mod open;
mod options;
mod queue;
mod reserve;
mod restore;
mod salvage;
mod scrub;
mod shared;
mod snapshot;
mod store;
mod tail;
mod tx;
mod verify;
mod view;
mod watermark;

pub use cairn_log::{EncryptionKey, LogMemory, Progress};
pub use memory::MemoryParts;
pub use open::OpenReport;
pub use options::{Background, EmbeddedOptions, ProgressFn};
pub use restore::{MARK as RESTORE_MARK, RestoreHow, Restored, restore};
pub use salvage::{diagnose, salvage};
pub use store::EmbeddedStore;
