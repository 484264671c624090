//! What is left of a damaged store, in words that every tier understands.

use std::ops::Range;

use cairn_base::{Position, TenantId};

use crate::EventKind;

/// Something that a part of a damaged store says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trace<'a> {
    /// A key was set.
    Put {
        /// The keyspace's number.
        keyspace: u16,
        /// The key, tenant first.
        key: &'a [u8],
        /// The value.
        value: &'a [u8],
    },
    /// A key was removed.
    Delete {
        /// The keyspace's number.
        keyspace: u16,
        /// The key, tenant first.
        key: &'a [u8],
    },
    /// Something was told to the change feed.
    Event {
        /// What kind of thing.
        kind: EventKind,
        /// Its description.
        body: &'a [u8],
    },
}

/// How far a trace can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It stands in a frame that verifies.
    Proven,
    /// It stands in a frame that does not verify: part of it may be anything.
    Doubtful,
}

/// Collects traces while a damaged store is read. Memories learn from them what was lost.
pub trait Witness {
    /// Takes note of a trace of the transaction at a position.
    fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>);
}

/// Bytes of a file that cannot be read although they held something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostRange {
    /// The file, relative to the data directory.
    pub file: String,
    /// First lost byte.
    pub offset: u64,
    /// Lost bytes; 0 where the file ends early or is missing.
    pub bytes: u64,
    /// Lost positions of the log; empty for a file that is not part of it.
    pub positions: Range<u64>,
    /// Tenants whose frames were there, as far as that can be told.
    pub tenants: Vec<TenantId>,
    /// What is wrong there.
    pub detail: String,
}

/// What came of reading a damaged store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvagedStore {
    /// Lost bytes, in the order of files and offsets.
    pub lost: Vec<LostRange>,
    /// What else there is to know, in words.
    pub notes: Vec<String>,
    /// Every record up to this position was read from the index or the image, unless
    /// `has_unread_keys`.
    pub records_to: u64,
    /// Whether some of the records up to `records_to` could not be read there and come from the log.
    pub has_unread_keys: bool,
    /// Bytes of the damaged store.
    pub bytes: u64,
    /// Transactions in the new store.
    pub transactions: u64,
    /// Blobs in the new store.
    pub blobs: u64,
}

impl SalvagedStore {
    /// Lost bytes of the log behind a position.
    pub fn lost_behind(&self, position: u64) -> u64 {
        let behind = |range: &Range<u64>| range.end.saturating_sub(range.start.max(position));
        self.lost.iter().map(|lost| behind(&lost.positions)).sum()
    }
}
