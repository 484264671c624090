//! What a store says about itself.

use crate::Finding;

/// Whether the store serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// Reads and writes.
    Serving,
    /// Reads only, for now: the disk is nearly full. Writing resumes by itself.
    Full {
        /// Bytes free.
        free_bytes: u64,
        /// Bytes that must stay free.
        reserve_bytes: u64,
    },
    /// Reads only until restart: a write to disk failed.
    Poisoned {
        /// What failed.
        cause: String,
    },
    /// Reads only: the log is damaged, and records are missing.
    ReadOnly {
        /// What is damaged.
        cause: String,
    },
    /// Closed.
    Closed,
}

/// Statistics of a store. Counters count since opening.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// What kind of store this is.
    pub kind: &'static str,
    /// Transactions made durable.
    pub commits: u64,
    /// Groups written: one disk sync each.
    pub groups: u64,
    /// Transactions that gave up or failed without touching the store.
    pub aborts: u64,
    /// Transactions waiting in the queue now.
    pub queued: u64,
    /// Statistics of its files; `None` for a store without any.
    pub files: Option<FileStats>,
}

/// Statistics of the files of a store. Counters count since opening.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStats {
    /// Bytes written to the log.
    pub log_bytes_written: u64,
    /// Bytes of the log on disk, over all segments.
    pub log_bytes: u64,
    /// Segments of the log.
    pub segments: u64,
    /// Side files of hashed keyspaces.
    pub side_files: u64,
    /// Bytes of the index file.
    pub index_bytes: u64,
    /// Bytes published and not yet in the index.
    pub unapplied_bytes: u64,
    /// Index commits made by the applier.
    pub applies: u64,
    /// Times a writer had to wait for the applier.
    pub backpressure: u64,
    /// Bytes free on the disk when last looked at.
    pub disk_free_bytes: u64,
}

/// What one step of upkeep did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpkeepReport {
    /// One line per thing done, for the log; empty when there was nothing to do.
    pub done: Vec<String>,
    /// Damage that was found since the last step, each once.
    pub findings: Vec<Finding>,
}
