//! Work on the whole store that somebody asked for and waits for.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use cairn_base::{ContentHash, Position, TenantId};

use crate::{StoreError, limits};

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Maintenance {
    /// Write one file that holds everything as of now, while writing goes on.
    Backup {
        /// The file, which must not exist yet.
        to: PathBuf,
        /// Write what is whole and list the rest, instead of failing with the first damaged place.
        skip_damaged: bool,
    },
    /// Verify every stored byte, and that what is derived agrees with what it is derived from.
    Verify {
        /// Make derived data again where it is wrong. Primary data is never dropped.
        repair: bool,
    },
    /// Remove what is dead, what is too old and what is to be forgotten, and give back the space.
    ///
    /// A store cannot know what records refer to, nor what tables are called: whoever does calls
    /// [`Store::compact`](crate::Store::compact), and [`LocalStore::maintain`](crate::LocalStore::maintain)
    /// refuses this job.
    Compact {
        /// How long changes are kept.
        keep_changes: KeepChanges,
        /// What to forget, in words: `tenant:7/notes`.
        forget: Vec<String>,
    },
    /// Give a sealed store another key, and seal what is written from now on with new ones.
    ChangeKey {
        /// The file with the key.
        new_key_file: PathBuf,
    },
}

/// How long history is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepChanges {
    /// As the settings say.
    #[default]
    AsConfigured,
    /// For ever.
    All,
    /// At least this long.
    For(Duration),
}

/// What a compaction is to do beside giving back the space of dead blobs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Changes that are older than this may go, with their events; without it all are kept.
    pub keep_changes: Option<Duration>,
    /// What to take out of history.
    pub forget: Option<Forget>,
}

/// Content that is to be found nowhere any more: what was replaced or deleted, with the events of the
/// transactions that it was in. What records hold now is never touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forget {
    /// Which records.
    pub selections: Vec<Selection>,
    /// Transactions after this position are left alone.
    pub up_to: Position,
}

/// Some records of one tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Whose.
    pub tenant: TenantId,
    /// The number of their keyspace; without it all of the tenant's.
    pub keyspace: Option<u16>,
    /// What their keys begin with behind the tenant.
    pub key_prefix: Vec<u8>,
}

impl Selection {
    /// Whether it is about everything of its tenant.
    pub fn is_whole_tenant(&self) -> bool {
        self.keyspace.is_none() && self.key_prefix.is_empty()
    }

    /// Whether a key, tenant first, is one of them.
    pub fn matches(&self, keyspace: u16, key: &[u8]) -> bool {
        let behind_tenant = key.strip_prefix(&self.tenant.0.to_be_bytes());
        self.keyspace.is_none_or(|wanted| wanted == keyspace)
            && behind_tenant.is_some_and(|rest| rest.starts_with(&self.key_prefix))
    }
}

/// Which blobs are in use.
pub trait References {
    /// Calls `visit` with every blob that a record refers to, of every tenant.
    ///
    /// What is written meanwhile need not be seen: a transaction that writes a reference puts the blob or
    /// keeps it, and so keeps it from being swept.
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError>;
}

/// How far it is: told while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage<'a> {
    /// What is being done, in a few words.
    pub name: &'a str,
    /// Bytes done in this stage.
    pub done: u64,
    /// Bytes of this stage in all.
    pub total: u64,
}

/// Told how far the work is; says whether to go on.
pub type OnStage<'a> = &'a mut dyn FnMut(Stage<'_>) -> bool;

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// Counts, each with a name in snake case, in the order to print them.
    pub figures: Vec<(&'static str, u64)>,
    /// What is wrong, in the order of files and offsets; empty when all is well.
    pub findings: Vec<Finding>,
    /// What somebody may want to know of, and is no damage.
    pub warnings: Vec<Finding>,
    /// Stored data that a partial backup lacks; empty for everything else.
    pub missing: MissingList,
}

/// Stored data that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingList {
    /// The first places, in the order of files and offsets.
    pub places: Vec<Missing>,
    /// The number of further places, which are not listed.
    pub left_out: u64,
}

impl MissingList {
    /// Whether nothing is missing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.left_out == 0
    }

    /// The number of places.
    pub fn count(&self) -> u64 {
        self.places.len() as u64 + self.left_out
    }

    /// Adds a place, or counts it when the list is full.
    pub fn add(&mut self, place: Missing) {
        if self.places.len() < limits::FINDINGS_MAX { self.places.push(place) } else { self.left_out += 1 }
    }

    /// Adds every place of another list.
    pub fn append(&mut self, other: MissingList) {
        other.places.into_iter().for_each(|place| self.add(place));
        self.left_out += other.left_out;
    }
}

/// One range of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The file, relative to the data directory.
    pub file: String,
    /// The range of its bytes; empty when the file is not there.
    pub bytes: Range<u64>,
    /// The positions of the log in this range, if the file is a segment.
    pub positions: Option<Range<u64>>,
    /// The number of transactions that cannot be read, where that can be told.
    pub transactions: Option<u64>,
    /// The number of blobs that cannot be read, where that can be told.
    pub blobs: Option<u64>,
    /// What is wrong there.
    pub detail: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { file, bytes, positions, transactions, blobs, detail } = self;
        write!(f, "{file}, bytes {} to {}", bytes.start, bytes.end)?;
        if let Some(positions) = positions {
            write!(f, ", positions {} to {}", positions.start, positions.end)?;
        }
        for (count, what) in [(transactions, "transactions"), (blobs, "blobs")] {
            if let Some(count) = count.filter(|count| *count > 0) {
                write!(f, ", {what}: {count}")?;
            }
        }
        write!(f, ": {detail}")
    }
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the data directory.
    pub file: String,
    /// Where in it.
    pub offset: u64,
    /// What is wrong there.
    pub detail: String,
    /// Whether it was put right.
    pub repaired: bool,
}
