//! Work on the whole store that somebody asked for and waits for.

use std::path::PathBuf;

use cairn_base::{ContentHash, TenantId};

use crate::StoreError;

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Maintenance {
    /// Write one file that holds everything as of now, while writing goes on.
    Backup {
        /// The file, which must not exist yet.
        to: PathBuf,
    },
    /// Verify every stored byte, and that what is derived agrees with what it is derived from.
    Verify {
        /// Make derived data again where it is wrong. Primary data is never dropped.
        repair: bool,
    },
    /// Remove blobs that nothing refers to, and give back the space of what is dead.
    ///
    /// A store cannot know what records refer to: whoever does calls
    /// [`Store::compact`](crate::Store::compact), and [`Store::maintain`](crate::Store::maintain) refuses
    /// this job.
    Compact,
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
