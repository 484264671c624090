//! Seals for files that are derived from a store and lie outside of it.
//!
//! Whoever keeps such files cuts them into blocks; the store has the keys. It knows neither where the
//! files are nor how long their blocks are.

use std::fmt::Debug;

/// How much longer a block is when it is sealed.
pub const DERIVED_TAG_BYTES: usize = 16;

/// What a derived file says about its key, at its beginning and in the open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SealStamp {
    /// Which key of the store it was sealed with. Says nothing about the key itself.
    pub key: [u8; 16],
    /// Random, so that no two files are sealed alike.
    pub salt: [u8; 16],
}

/// Seals derived files of one use, with keys of the store.
pub trait DerivedSeal: Send + Sync + Debug {
    /// For a new file of this name: its stamp and its seal. No two calls give the same one.
    fn new_file(&self, name: &[u8]) -> (SealStamp, Box<dyn FileSeal>);

    /// For the file with this name and stamp; `None` when it was sealed with a key that this store never
    /// had. What was sealed before the key of the store was changed opens as before.
    fn of_file(&self, name: &[u8], stamp: &SealStamp) -> Option<Box<dyn FileSeal>>;
}

/// Seals the blocks of one file, each of them once: two different blocks with one number are both open.
pub trait FileSeal: Send + Sync + Debug {
    /// Seals a block in place and appends its tag.
    fn seal(&self, place: BlockPlace, block: &mut Vec<u8>);

    /// Opens a block in place and returns how many bytes in front of its tag are the content. After a
    /// failure what is in it is nothing to be used.
    fn open(&self, place: BlockPlace, sealed: &mut [u8]) -> Result<usize, NotAsSealed>;
}

/// Where in its file a block is. Elsewhere it does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockPlace {
    /// Counted from 0.
    pub number: u64,
    /// Whether the file ends with it. A file that was cut off ends with a block that does not open.
    pub is_last: bool,
}

/// These bytes were not sealed with this key, for this file and at this place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not those that were sealed here")]
pub struct NotAsSealed;
