//! What is left of a history of puts and deletes, in bounded memory.
//!
//! A key is kept as 64 bits of its keyed hash and its value as a 32-bit digest, so an entry takes 13
//! bytes. When there are more keys than fit, the history is read several times, each time for another
//! part of the keys.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::batch::{Op, Ops};
use crate::frame::Frame;
use crate::hashed::{HashKey, HashedName, NameHasher};
use cairn_base::TenantId;

/// Which part of all keys a fold is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Counts from 0.
    pub number: u64,
    /// How many parts there are.
    pub of: u64,
}

impl Part {
    /// The part behind this one; `None` when this is the last.
    pub fn next(self) -> Option<Part> {
        (self.number + 1 < self.of).then_some(Part { number: self.number + 1, ..self })
    }

    /// The first half of this part. What follows it is the second half, then what follows this part.
    pub fn first_half(self) -> Part {
        Part { number: self.number * 2, of: self.of * 2 }
    }

    pub(crate) fn holds(&self, name: &HashedName) -> bool {
        (u128::from(name.leading()) * u128::from(self.of)) >> 64 == u128::from(self.number)
    }
}

/// Bytes instead of a number, so that an entry of the map is not padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trailing([u8; 8]);

impl Hash for Trailing {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from_le_bytes(self.0));
    }
}

/// The keys that a history leaves, with digests of their values.
#[derive(Debug)]
pub struct Fold {
    hash_key: HashKey,
    part: Part,
    keys_max: usize,
    left: HashMap<Trailing, [u8; 4], BuildHasherDefault<NameHasher>>,
    overflowed: bool,
}

impl Fold {
    /// An empty one that takes up to `keys_max` keys, about `keys` of which are expected.
    pub fn new(hash_key: &HashKey, part: Part, keys: u64, keys_max: usize) -> Self {
        let expected = usize::try_from(keys).unwrap_or(usize::MAX).min(keys_max);
        let left = HashMap::with_capacity_and_hasher(expected, BuildHasherDefault::default());
        Fold { hash_key: *hash_key, part, keys_max, left, overflowed: false }
    }

    /// Whether more keys came than there is room for: the result means nothing then.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Which part of the keys it is about.
    pub fn part(&self) -> Part {
        self.part
    }

    /// The name of a record's key; `None` when it belongs to another part.
    pub fn name(&self, keyspace: u16, key: &[u8]) -> Option<HashedName> {
        let name = self.hash_key.name(keyspace, TenantId::NODE, key);
        self.part.holds(&name).then_some(name)
    }

    /// Adds a transaction's records.
    pub fn transaction(&mut self, frame: &Frame<'_>) {
        for op in Ops::new(frame.body) {
            match op {
                Ok(Op::Put { keyspace, key, value }) => self.put(keyspace, key, value),
                Ok(Op::Delete { keyspace, key }) => {
                    if let Some(name) = self.name(keyspace, key) {
                        self.take(&name);
                    }
                }
                Ok(Op::Hashed { .. } | Op::Event { .. }) | Err(_) => {}
            }
        }
    }

    /// Adds a record.
    pub fn put(&mut self, keyspace: u16, key: &[u8], value: &[u8]) {
        if let Some(name) = self.name(keyspace, key) {
            self.insert(&name, digest(value));
        }
    }

    pub(crate) fn insert(&mut self, name: &HashedName, digest: u32) {
        let slot = slot_of(name);
        if self.left.len() >= self.keys_max && !self.left.contains_key(&slot) {
            self.overflowed = true;
            return;
        }
        self.left.insert(slot, digest.to_le_bytes());
    }

    /// Takes a name out; the digest of its value, if it was there.
    pub fn take(&mut self, name: &HashedName) -> Option<u32> {
        self.left.remove(&slot_of(name)).map(u32::from_le_bytes)
    }

    /// Digests of what was not taken out.
    pub fn left(&self) -> impl Iterator<Item = u32> + '_ {
        self.left.values().map(|digest| u32::from_le_bytes(*digest))
    }
}

/// What is remembered of a value.
pub(crate) fn digest(value: &[u8]) -> u32 {
    crc32c::crc32c(value)
}

impl Fold {
    /// Whether a value is the one whose digest was taken out.
    pub fn is_same(digest_taken: u32, value: &[u8]) -> bool {
        digest_taken == digest(value)
    }
}

fn slot_of(name: &HashedName) -> Trailing {
    Trailing(name.trailing().to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: u64, keys_max: usize) -> Vec<Fold> {
        let part = |number| Part { number, of: parts };
        (0..parts).map(|number| Fold::new(&HashKey([7; 32]), part(number), 10, keys_max)).collect()
    }

    #[test]
    fn the_last_value_counts_and_each_key_is_in_one_part() {
        for parts in [1, 2, 5] {
            let mut folds = all(parts, 1000);
            for fold in &mut folds {
                for n in 0..100u32 {
                    fold.put(1, &n.to_be_bytes(), b"old");
                    fold.put(1, &n.to_be_bytes(), &n.to_be_bytes());
                }
            }
            for n in 0..100u32 {
                let holders: Vec<usize> =
                    (0..folds.len()).filter(|at| folds[*at].name(1, &n.to_be_bytes()).is_some()).collect();
                assert_eq!(holders.len(), 1);
                let fold = &mut folds[holders[0]];
                let name = fold.name(1, &n.to_be_bytes()).unwrap();
                let taken = fold.take(&name).unwrap();
                assert!(Fold::is_same(taken, &n.to_be_bytes()) && !Fold::is_same(taken, b"old"));
            }
            assert!(folds.iter().all(|fold| fold.left().count() == 0 && !fold.overflowed()));
        }
    }

    #[test]
    fn too_many_keys_are_said_to_be_too_many() {
        let mut fold = all(1, 3).remove(0);
        (0..3u8).for_each(|n| fold.put(1, &[n], b"value"));
        fold.put(1, &[2], b"again");
        assert!(!fold.overflowed());
        fold.put(1, &[3], b"value");
        assert!(fold.overflowed());
    }
}
