//! The embedded store: the commit log is the truth, redb is an index of it.
//!
//! A transaction's closure writes into an overlay; a group of them becomes one write and one sync of
//! the log, and is then published in memory; an applier moves what was published into the index about
//! once a second. Opening is the index plus a replay of the rest of the log.
//!
//! What it does not do: decide who may read what, or know what records mean.

mod apply;
mod backend;
mod commit;
mod generation;
mod image;
mod index;
mod merge;
mod open;
mod options;
mod queue;
mod shared;
mod snapshot;
mod store;
mod tail;
mod tx;
mod verify;
mod view;

pub use cairn_log::Progress;
pub use open::OpenReport;
pub use options::{Background, EmbeddedOptions, ProgressFn};
pub use store::EmbeddedStore;
