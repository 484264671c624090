//! One ordered keyspace: a few versions of each key, as many as live snapshots need.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use cairn_base::Position;

use crate::{KeyRange, Order};

/// A key or a value that readers share with the store instead of copying it.
pub(super) type Bytes = Arc<[u8]>;

/// A version of a key, `None` where it was deleted.
#[derive(Debug)]
struct Version {
    at: Position,
    value: Option<Bytes>,
}

/// Keys in order, each with its versions, oldest first.
#[derive(Debug, Default)]
pub(super) struct Table {
    keys: BTreeMap<Bytes, Vec<Version>>,
}

/// Part of a range, and where to read on.
pub(super) struct Page {
    /// Keys with their values, in the order asked for.
    pub(super) entries: Vec<(Bytes, Bytes)>,
    /// The last key looked at, unless the range is through.
    pub(super) resume: Option<Bytes>,
}

impl Table {
    /// The value of a key as it was at a position.
    pub(super) fn get(&self, key: &[u8], at: Position) -> Option<Bytes> {
        visible(self.keys.get(key)?, at)
    }

    /// The beginning of a range as it was at a position, after looking at no more than `looks` keys.
    pub(super) fn page(&self, range: &KeyRange, at: Position, looks: usize) -> Page {
        if range.is_empty() {
            return Page { entries: Vec::new(), resume: None };
        }
        let keys = self.keys.range::<[u8], (Bound<&[u8]>, Bound<&[u8]>)>(range.bounds());
        match range.order {
            Order::Ascending => collect(keys, at, looks),
            Order::Descending => collect(keys.rev(), at, looks),
        }
    }

    /// Adds a version. Says whether the key now has something to prune once older readers are gone.
    pub(super) fn set(&mut self, key: &Bytes, at: Position, value: Option<Bytes>) -> bool {
        let versions = self.keys.entry(Arc::clone(key)).or_default();
        let leftovers = value.is_none() || !versions.is_empty();
        versions.push(Version { at, value });
        leftovers
    }

    /// Drops the versions that nobody who reads at `oldest` or later can see.
    pub(super) fn prune(&mut self, key: &[u8], oldest: Position) {
        let Some(versions) = self.keys.get_mut(key) else { return };
        let unseen = versions.partition_point(|version| version.at <= oldest).saturating_sub(1);
        versions.drain(..unseen);
        // A deletion that everyone sees is the same as no key.
        if versions.first().is_some_and(|version| version.at <= oldest && version.value.is_none()) {
            versions.remove(0);
        }
        if versions.is_empty() {
            self.keys.remove(key);
        } else {
            versions.shrink_to_fit();
        }
    }

    /// How many versions are held.
    #[cfg(test)]
    pub(super) fn versions(&self) -> usize {
        self.keys.values().map(Vec::len).sum()
    }
}

fn visible(versions: &[Version], at: Position) -> Option<Bytes> {
    versions.iter().rev().find(|version| version.at <= at)?.value.clone()
}

fn collect<'a>(
    mut keys: impl Iterator<Item = (&'a Bytes, &'a Vec<Version>)>,
    at: Position,
    looks: usize,
) -> Page {
    let mut entries = Vec::new();
    let mut last = None;
    for (key, versions) in keys.by_ref().take(looks) {
        last = Some(key);
        entries.extend(visible(versions, at).map(|value| (Arc::clone(key), value)));
    }
    let resume = last.filter(|_| keys.next().is_some()).cloned();
    Page { entries, resume }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Bytes {
        Arc::from(text.as_bytes())
    }

    #[test]
    fn pruning_keeps_what_the_oldest_reader_sees_and_no_more() {
        let mut table = Table::default();
        let key = bytes("k");
        assert!(
            !table.set(&key, Position::from_stored(1), Some(bytes("one"))),
            "a first version leaves nothing to prune"
        );
        assert!(table.set(&key, Position::from_stored(3), Some(bytes("three"))));
        assert!(table.set(&key, Position::from_stored(5), None));
        table.prune(&key, Position::from_stored(2));
        assert_eq!(table.versions(), 3);
        table.prune(&key, Position::from_stored(4));
        assert_eq!((table.versions(), table.get(&key, Position::from_stored(4))), (2, Some(bytes("three"))));
        table.prune(&key, Position::from_stored(5));
        assert_eq!(table.keys.len(), 0);
    }

    #[test]
    fn a_page_says_where_to_read_on() {
        let mut table = Table::default();
        for name in ["a", "b", "c"] {
            table.set(&bytes(name), Position::from_stored(1), Some(bytes("")));
        }
        let range = KeyRange::prefix(b"").descending();
        let page = table.page(&range, Position::from_stored(1), 2);
        assert_eq!((page.entries.len(), page.resume), (2, Some(bytes("b"))));
        assert_eq!(table.page(&range, Position::from_stored(1), 3).resume, None);
    }
}
