//! What things are kept under.

use std::hash::{BuildHasher, Hash, Hasher};

use cairn_base::KeyBuf;
use cairn_seam::Keyspace;

use super::history::SLOT_BITS;
use crate::tables::{CONCEPTS, COUNTERS, HOMES, LINKS, NAMES, OPS, SPO, STATISTICS};

/// Keyspaces whose rows are kept.
const ROWS: &[Keyspace] = &[COUNTERS, CONCEPTS, HOMES, NAMES, LINKS, STATISTICS];
/// Keyspaces of which all rows that begin alike are kept as one list.
const LISTS: &[Keyspace] = &[SPO, OPS];
/// Scope, element and predicate: what the keys of one list begin with.
const LIST_BYTES: usize = 24;
/// No key that is kept is longer.
const BYTES_MAX: usize = 32;

/// The key of a row, or what the keys of a list begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    words: [u64; BYTES_MAX / 8],
    keyspace: u16,
    length: u8,
}

impl Key {
    /// A row; `None` for one that is never kept.
    pub(super) fn row(keyspace: Keyspace, key: &[u8]) -> Option<Self> {
        if ROWS.contains(&keyspace) { Key::new(keyspace, key) } else { None }
    }

    /// The links whose keys begin so.
    pub(super) fn list(keyspace: Keyspace, prefix: &KeyBuf) -> Option<Self> {
        if prefix.len() == LIST_BYTES { Key::new(keyspace, prefix) } else { None }
    }

    /// What is different once this row is; `None` if that is nothing that is kept.
    pub(super) fn touched(keyspace: Keyspace, key: &[u8]) -> Option<Self> {
        if LISTS.contains(&keyspace) {
            return Key::new(keyspace, key.get(..LIST_BYTES)?);
        }
        Key::row(keyspace, key)
    }

    /// Whether anything of a keyspace is kept.
    pub(super) fn is_of(keyspace: Keyspace) -> bool {
        LISTS.contains(&keyspace) || ROWS.contains(&keyspace)
    }

    pub(super) fn new(keyspace: Keyspace, key: &[u8]) -> Option<Self> {
        let mut bytes = [0; BYTES_MAX];
        bytes.get_mut(..key.len())?.copy_from_slice(key);
        let (chunks, _) = bytes.as_chunks::<8>();
        let mut words = [0; BYTES_MAX / 8];
        words.iter_mut().zip(chunks).for_each(|(word, chunk)| *word = u64::from_be_bytes(*chunk));
        Some(Key { words, keyspace: keyspace.id, length: u8::try_from(key.len()).ok()? })
    }

    /// Where its history is.
    pub(super) fn slot(&self) -> usize {
        usize::try_from(self.mixed() >> (64 - SLOT_BITS)).unwrap_or(0)
    }

    /// All of it in one number. Most of it counts up, so every step has to spread what it gets.
    fn mixed(&self) -> u64 {
        let first = u64::from(self.keyspace) << 8 | u64::from(self.length);
        self.words.iter().fold(spread(first), |mixed, word| spread(mixed ^ word))
    }
}

/// Every bit of the input changes about half of the output, and no two inputs give the same.
fn spread(number: u64) -> u64 {
    let number = (number ^ (number >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let number = (number ^ (number >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    number ^ (number >> 32)
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.mixed());
    }
}

/// Takes the number that a [`Key`] is.
#[derive(Debug, Clone, Default)]
pub(super) struct PassOn;

#[derive(Debug, Default)]
pub(super) struct Passed(u64);

impl BuildHasher for PassOn {
    type Hasher = Passed;

    fn build_hasher(&self) -> Passed {
        Passed(0)
    }
}

impl Hasher for Passed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |mixed, byte| spread(mixed ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
