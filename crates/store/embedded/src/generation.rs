//! A generation: published changes that are not in the index yet, ordered and versioned by position.
//!
//! One generation takes new changes while at most one older one is being moved into the index. A
//! reader at a position sees, of each key, the newest version that is not newer than that position.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_seam::Order;
use parking_lot::RwLock;

/// Bytes a key costs beside its own: map entry, version, reference counts.
const ENTRY_OVERHEAD_BYTES: u64 = 96;

pub(crate) type Key = Arc<[u8]>;
/// `None` says that the key is deleted.
pub(crate) type Slot = Option<Arc<[u8]>>;

#[derive(Debug, Default)]
pub(crate) struct Generation {
    tables: RwLock<BTreeMap<u16, Arc<Table>>>,
    bytes: AtomicU64,
}

/// The changes of one keyspace.
#[derive(Debug, Default)]
pub(crate) struct Table(RwLock<BTreeMap<Key, Versions>>);

#[derive(Debug)]
struct Versions {
    newest: Version,
    /// Oldest first; empty for most keys, and then without memory of its own.
    older: Vec<Version>,
}

#[derive(Debug)]
struct Version {
    position: u64,
    slot: Slot,
}

impl Versions {
    fn at(&self, position: u64) -> Option<&Slot> {
        if self.newest.position <= position {
            return Some(&self.newest.slot);
        }
        let behind = self.older.partition_point(|version| version.position <= position);
        Some(&self.older[behind.checked_sub(1)?].slot)
    }
}

impl Generation {
    /// About how much memory the changes take.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn table(&self, keyspace: u16) -> Option<Arc<Table>> {
        self.tables.read().get(&keyspace).cloned()
    }

    /// Every keyspace with changes, in the order of numbers.
    pub(crate) fn tables(&self) -> Vec<(u16, Arc<Table>)> {
        self.tables.read().iter().map(|(keyspace, table)| (*keyspace, Arc::clone(table))).collect()
    }

    /// Adds the changes a transaction at `position` made to one keyspace. Positions only grow.
    pub(crate) fn insert(
        &self,
        keyspace: u16,
        position: u64,
        changes: impl IntoIterator<Item = (Key, Slot)>,
    ) {
        let table = self.table(keyspace).unwrap_or_else(|| {
            let mut tables = self.tables.write();
            Arc::clone(tables.entry(keyspace).or_default())
        });
        let mut map = table.0.write();
        let mut added = 0;
        for (key, slot) in changes {
            let bytes = key.len() + slot.as_ref().map_or(0, |value| value.len());
            added += bytes as u64 + ENTRY_OVERHEAD_BYTES;
            let version = Version { position, slot };
            match map.entry(key) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(Versions { newest: version, older: Vec::new() });
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let versions = entry.get_mut();
                    let newest = std::mem::replace(&mut versions.newest, version);
                    if newest.position < position {
                        versions.older.push(newest);
                    }
                }
            }
        }
        drop(map);
        self.bytes.fetch_add(added, Ordering::Relaxed);
    }
}

impl Table {
    /// The key's slot at a position, if this generation knows the key by then.
    pub(crate) fn get(&self, key: &[u8], position: u64) -> Option<Slot> {
        self.0.read().get(key)?.at(position).cloned()
    }

    /// Up to `count` keys of a range as they were at a position, in the given order.
    pub(crate) fn page(
        &self,
        bounds: (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        position: u64,
        count: usize,
    ) -> Vec<(Key, Slot)> {
        let map = self.0.read();
        let range = map.range::<[u8], _>(bounds);
        let visible = |(key, versions): (&Key, &Versions)| {
            versions.at(position).map(|slot| (Arc::clone(key), slot.clone()))
        };
        match order {
            Order::Ascending => range.filter_map(visible).take(count).collect(),
            Order::Descending => range.rev().filter_map(visible).take(count).collect(),
        }
    }

    /// Calls `visit` with the newest slot of every key behind `after`, in key order, until it says
    /// `false`.
    ///
    /// For a generation that takes no changes any more: writers would wait.
    pub(crate) fn newest_after<E>(
        &self,
        after: Option<&Key>,
        mut visit: impl FnMut(&Key, Option<&[u8]>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let low = after.map_or(Bound::Unbounded, |key| Bound::Excluded(&**key));
        for (key, versions) in self.0.read().range::<[u8], _>((low, Bound::Unbounded)) {
            if !visit(key, versions.newest.slot.as_deref())? {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(value: &str) -> Slot {
        Some(Arc::from(value.as_bytes()))
    }

    fn key(name: &str) -> Key {
        Arc::from(name.as_bytes())
    }

    #[test]
    fn a_reader_sees_the_newest_version_up_to_its_position() {
        let generation = Generation::default();
        generation.insert(1, 10, [(key("a"), slot("ten"))]);
        generation.insert(1, 20, [(key("a"), None), (key("b"), slot("twenty"))]);
        generation.insert(1, 30, [(key("a"), slot("thirty"))]);
        let table = generation.table(1).unwrap();
        let seen = |position| table.get(b"a", position);
        assert_eq!(seen(9), None);
        assert_eq!(seen(10), Some(slot("ten")));
        assert_eq!(seen(25), Some(None));
        assert_eq!(seen(30), Some(slot("thirty")));
        let all = (Bound::Unbounded, Bound::Unbounded);
        assert_eq!(table.page(all, Order::Ascending, 15, 9), [(key("a"), slot("ten"))]);
        assert_eq!(table.page(all, Order::Descending, 20, 1), [(key("b"), slot("twenty"))]);
    }
}
