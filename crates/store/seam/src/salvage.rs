//! What is left of a damaged store, in words that every tier understands.

use std::ops::Range;

use cairn_base::{Position, SpaceId, TenantId};

use crate::{EventKind, Keyspace, StoreError, WriteTx};

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
    /// Records up to this position were read from the index or the image, except for those in `unread`.
    pub records_to: Position,
    /// Stretches of keys that could not be read there and come from the log.
    pub unread: Vec<UnreadKeys>,
    /// Bytes of the damaged store.
    pub bytes: u64,
    /// Transactions in the new store.
    pub transactions: u64,
    /// Blobs in the new store.
    pub blobs: u64,
}

/// Keys between two others, neither of them included, each with the number of its keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadKeys {
    /// The last key before them.
    pub after: (u16, Vec<u8>),
    /// The first key behind them; `None`: to the end.
    pub before: Option<(u16, Vec<u8>)>,
}

impl SalvagedStore {
    /// Lost bytes of the log behind a position.
    pub fn lost_behind(&self, position: Position) -> u64 {
        let after = position.to_stored();
        let behind = |range: &Range<u64>| range.end.saturating_sub(range.start.max(after));
        self.lost.iter().map(|lost| behind(&lost.positions)).sum()
    }

    /// Whether every record that counts was read: all that is lost is in history and in blobs.
    pub fn has_all_records(&self) -> bool {
        self.unread.is_empty() && self.lost_behind(self.records_to) == 0
    }

    /// Whether a record that is not there may have been lost. `is_old`: it was there, if ever, at the
    /// position up to which index or image were read.
    pub fn may_have_lost(&self, keyspace: Keyspace, key: &[u8], is_old: bool) -> bool {
        if !is_old || self.records_to == Position::START {
            return self.lost_behind(self.records_to) > 0;
        }
        let at = (keyspace.id, key);
        self.unread.iter().any(|unread| {
            at > (unread.after.0, unread.after.1.as_slice())
                && unread.before.as_ref().is_none_or(|(id, key)| at < (*id, key.as_slice()))
        })
    }
}

/// A change that puts a record right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// Sets a key.
    Put(Keyspace, Vec<u8>, Vec<u8>),
    /// Removes a key.
    Delete(Keyspace, Vec<u8>),
}

impl Fix {
    /// Does it.
    pub fn apply(&self, tx: &mut dyn WriteTx) -> Result<(), StoreError> {
        match self {
            Fix::Put(keyspace, key, value) => tx.put(*keyspace, key, value),
            Fix::Delete(keyspace, key) => tx.delete(*keyspace, key),
        }
    }

    /// Bytes that it takes in a transaction, roughly.
    pub fn bytes(&self) -> usize {
        match self {
            Fix::Put(_, key, value) => 16 + key.len() + value.len(),
            Fix::Delete(_, key) => 16 + key.len(),
        }
    }
}

/// One thing that a salvage has to tell about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// Whose it is.
    pub tenant: TenantId,
    /// Which space of the tenant.
    pub space: SpaceId,
    /// What it is: `turn`, `concept`, …
    pub kind: &'static str,
    /// What it is called.
    pub id: String,
    /// What else is known of it.
    pub detail: String,
}

/// What a memory found out about itself, and how it is put right.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Changes of records that follow from others.
    pub fixes: Vec<Fix>,
    /// What is lost.
    pub lost: Vec<Item>,
    /// What is there and refers to something that is lost.
    pub orphans: Vec<Item>,
    /// Heads that moved.
    pub moved: Vec<Item>,
}
