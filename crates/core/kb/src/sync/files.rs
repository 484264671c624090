//! Files that a branch was synced from: concepts of one type in its space, so that copies of the branch have them.
//!
//! The name of the concept is the path of the file. The concept with the name `.` counts syncs.

use std::collections::BTreeMap;

use cairn_base::{Number, Value};
use cairn_graph::Map;

/// The concept type of synced files.
pub const FILE_TYPE: &str = "KbFile";
/// The name of the concept that counts syncs; no path of a file.
pub(crate) const TREE: &str = ".";
/// About the type, for readers of its space.
pub(crate) const ABOUT: &str =
    "Files that the requirements KB was synced from; the name is the path. `.` counts syncs.";

/// A file that the branch was synced from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRecord {
    /// Hash of its content, as its sender computed it.
    pub hash: Box<str>,
    /// The number of entities that it owned after its last sync.
    pub entities: u64,
    /// Whether its last sync had problems.
    pub has_problems: bool,
}

/// Files that a branch was synced from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    by_path: BTreeMap<Box<str>, FileRecord>,
    with_problems: usize,
    /// How often the branch was synced.
    syncs: u64,
    /// The time of the last sync, ISO 8601; empty before the first one.
    last_sync_at: Box<str>,
}

impl FileRecord {
    /// Returns the attributes of its concept.
    pub(crate) fn attributes(&self) -> Map {
        Map::from([
            ("hash".to_owned(), Value::from(&*self.hash)),
            ("entities".to_owned(), Value::from(self.entities)),
            ("problems".to_owned(), Value::from(self.has_problems)),
        ])
    }

    fn of(attributes: &Map) -> Self {
        let number = attributes.get("entities").and_then(Value::as_number).and_then(Number::as_u64);
        FileRecord {
            hash: attributes.get("hash").and_then(Value::as_str).unwrap_or_default().into(),
            entities: number.unwrap_or_default(),
            // A record that lost it is examined again.
            has_problems: attributes.get("problems").and_then(Value::as_bool).unwrap_or(true),
        }
    }
}

impl Files {
    /// Adds a concept of their type, as it is read from the space.
    pub(crate) fn load(&mut self, name: &str, attributes: &Map) {
        if name != TREE {
            return self.put(name, FileRecord::of(attributes));
        }
        let syncs = attributes.get("syncs").and_then(Value::as_number).and_then(Number::as_u64);
        let at = attributes.get("synced_at").and_then(Value::as_str).unwrap_or_default();
        self.count(syncs.unwrap_or_default(), at);
    }

    /// Returns the attributes of the concept that counts syncs, after one more.
    pub(crate) fn next_tree(&self, now: &str) -> Map {
        let syncs = Value::from(self.syncs.saturating_add(1));
        Map::from([("syncs".to_owned(), syncs), ("synced_at".to_owned(), Value::from(now))])
    }

    /// Returns a file.
    pub fn get(&self, path: &str) -> Option<&FileRecord> {
        self.by_path.get(path)
    }

    /// Returns every file, ordered by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FileRecord)> {
        self.by_path.iter().map(|(path, file)| (&**path, file))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// Returns the number of files whose last sync had problems.
    pub fn with_problems(&self) -> usize {
        self.with_problems
    }

    /// Returns how often the branch was synced.
    pub fn syncs(&self) -> u64 {
        self.syncs
    }

    /// Returns the time of the last sync, ISO 8601.
    pub fn last_sync_at(&self) -> Option<&str> {
        Some(&*self.last_sync_at).filter(|at| !at.is_empty())
    }

    pub(crate) fn count(&mut self, syncs: u64, at: &str) {
        (self.syncs, self.last_sync_at) = (syncs, at.into());
    }

    pub(crate) fn put(&mut self, path: &str, file: FileRecord) {
        self.with_problems += usize::from(file.has_problems);
        let old = self.by_path.insert(path.into(), file);
        self.with_problems -= usize::from(old.is_some_and(|old| old.has_problems));
    }

    pub(crate) fn remove(&mut self, path: &str) {
        let old = self.by_path.remove(path);
        self.with_problems -= usize::from(old.is_some_and(|old| old.has_problems));
    }
}
