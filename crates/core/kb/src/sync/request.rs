//! A sync as it is sent, checked as a whole: one that breaks these rules changes nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::files::TREE;
use super::input::{SyncFile, SyncHeader, SyncInput};
use crate::entity::cut;
use crate::{Branch, EntityType, KbError, NodeKey, Result, limits};

/// A checked sync.
#[derive(Debug, Clone)]
pub(super) struct Request<'a> {
    pub(super) header: &'a SyncHeader,
    /// Files that are sent, by path.
    pub(super) sent: BTreeMap<&'a str, &'a SyncFile>,
    /// Files that are gone.
    pub(super) removed: BTreeSet<&'a str>,
    /// Files that a rebuild leaves as they are.
    pub(super) kept: BTreeSet<&'a str>,
}

impl SyncInput {
    /// Checks the header and the files by themselves.
    ///
    /// # Errors
    ///
    /// Fails if there are too many files, or a path is invalid or appears twice.
    pub fn check(&self) -> Result<()> {
        Request::of(self).map(drop)
    }

    /// Returns the entities of a branch that the sync names, which [`plan_sync`](super::plan_sync) has to know whole,
    /// with their types, and whether a file gives them another one.
    pub fn named(&self, branch: &Branch) -> Vec<(NodeKey, EntityType, bool)> {
        let mut found: BTreeMap<NodeKey, (EntityType, bool)> = BTreeMap::new();
        for one in self.files.iter().flat_map(|file| &file.entities) {
            if let Some((key, node)) = branch.find(&one.entity.id) {
                found.entry(key).or_insert((node.kind, false)).1 |= node.kind != one.entity.kind;
            }
        }
        found.into_iter().map(|(key, (kind, is_retyped))| (key, kind, is_retyped)).collect()
    }
}

impl<'a> Request<'a> {
    pub(super) fn of(input: &'a SyncInput) -> Result<Self> {
        let SyncInput { header, files } = input;
        let count = files.len().saturating_add(header.removed.len()).saturating_add(header.kept.len());
        at_most("files of one sync", count, limits::SYNC_FILES_MAX)?;
        let mut sent = BTreeMap::new();
        for file in files {
            check_path(&file.path)?;
            at_most("bytes of the hash of a file", file.hash.len(), limits::SYNC_HASH_BYTES_MAX)?;
            at_most("entities of one file", file.entities.len(), limits::SYNC_FILE_ENTITIES_MAX)?;
            if sent.insert(file.path.as_str(), file).is_some() {
                return Err(twice(&file.path));
            }
        }
        let mut removed = BTreeSet::new();
        for path in &header.removed {
            check_path(path)?;
            if sent.contains_key(path.as_str()) || !removed.insert(path.as_str()) {
                return Err(twice(path));
            }
        }
        let mut kept = BTreeSet::new();
        for path in &header.kept {
            check_path(path)?;
            let path = path.as_str();
            if sent.contains_key(path) || removed.contains(path) || !kept.insert(path) {
                return Err(twice(path));
            }
        }
        Ok(Request { header, sent, removed, kept })
    }
}

fn at_most(what: &'static str, count: usize, max: usize) -> Result<()> {
    let (count, max) = (count as u64, max as u64);
    if count > max { Err(KbError::TooLarge { what, count, max }) } else { Ok(()) }
}

fn twice(path: &str) -> KbError {
    KbError::argument("path", format!("{:?} appears twice; send each file once", cut(path)))
}

/// Checks the path of a file: relative, with `/` between its segments, none of them empty, `.` or `..`.
fn check_path(path: &str) -> Result<()> {
    let refuse = |rule: &str| {
        let message = format!("{:?} is no path of a file: {rule}", cut(path));
        Err(KbError::argument("path", message))
    };
    if path.is_empty() || path.len() > limits::SYNC_PATH_BYTES_MAX {
        let max = limits::SYNC_PATH_BYTES_MAX;
        return refuse(&format!("it has {} bytes, 1 to {max} are allowed", path.len()));
    }
    if path == TREE || path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return refuse("it has an empty segment, or one that is . or ..");
    }
    if path.chars().any(char::is_control) {
        return refuse("it has control characters");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: bool) {
        assert_eq!(check_path(path).is_ok(), expected, "{path:?}");
    }

    #[test]
    fn paths_are_relative_and_have_whole_segments() {
        check("a.md", true);
        check("requirements/ä b.md", true);
        check("...", true);
        check(&"x".repeat(limits::SYNC_PATH_BYTES_MAX), true);
        check(&"x".repeat(limits::SYNC_PATH_BYTES_MAX + 1), false);
        for path in ["", ".", "..", "/a", "a/", "a//b", "a/./b", "a/../b", "a\nb", "a\0"] {
            check(path, false);
        }
    }

    #[test]
    fn a_path_appears_once() {
        let file = |path: &str| SyncFile { path: path.into(), ..SyncFile::default() };
        let input = |removed: &[&str], sent: &[&str]| SyncInput {
            header: SyncHeader {
                removed: removed.iter().map(|path| (*path).to_owned()).collect(),
                ..SyncHeader::default()
            },
            files: sent.iter().map(|path| file(path)).collect(),
        };
        let keeping = |kept: &[&str], removed: &[&str], sent: &[&str]| {
            let mut input = input(removed, sent);
            input.header.kept = kept.iter().map(|path| (*path).to_owned()).collect();
            input
        };
        assert!(input(&["a"], &["b", "c"]).check().is_ok());
        assert!(keeping(&["d"], &["a"], &["b", "c"]).check().is_ok());
        assert!(keeping(&[".."], &[], &[]).check().is_err());
        for wrong in [
            input(&["a"], &["a"]),
            input(&["a", "a"], &[]),
            input(&[], &["a", "a"]),
            keeping(&["a", "a"], &[], &[]),
            keeping(&["a"], &["a"], &[]),
            keeping(&["a"], &[], &["a"]),
        ] {
            assert!(wrong.check().unwrap_err().to_string().contains("twice"));
        }
    }
}
