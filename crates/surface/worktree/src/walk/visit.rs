//! The walk: folder by folder, without recursion.

use std::os::fd::OwnedFd;

use super::folder::{self, Entry, Kind};
use super::rules::Rules;
use super::{SkipReason, Skipped, TreeFile, TreeReader, Walk, WalkOptions, deny};
use crate::WorktreeError;
use crate::limits::TREE_PATH_BYTES_MAX;

/// Lists the files of a tree.
pub(super) fn walk(tree: &TreeReader, rules: Rules, options: &WalkOptions) -> Result<Walk, WorktreeError> {
    let mut visit = Visit {
        options,
        entries_left: options.bounds.entries_max,
        pending: Vec::new(),
        walk: Walk::default(),
    };
    visit.pending.push(Folder { path: String::new(), parts: 0, rules });
    while let Some(folder) = visit.pending.pop() {
        if visit.entries_left == 0 {
            visit.skip(&folder.path, SkipReason::TooMany);
            continue;
        }
        if let Err(reason) = visit.enter(tree, &folder) {
            visit.skip(&folder.path, reason);
        }
    }
    let mut walk = visit.walk;
    walk.files.sort_unstable();
    walk.folders.sort_unstable();
    walk.skipped.sort_unstable();
    walk.skipped.dedup();
    Ok(walk)
}

/// A folder that is not listed yet, and the rules of the folder it is in.
struct Folder {
    path: String,
    parts: usize,
    rules: Rules,
}

struct Visit<'a> {
    options: &'a WalkOptions,
    entries_left: usize,
    /// The next folder is the last one.
    pending: Vec<Folder>,
    walk: Walk,
}

impl Visit<'_> {
    /// Lists a folder. Fails with the reason to skip it.
    fn enter(&mut self, tree: &TreeReader, folder: &Folder) -> Result<(), SkipReason> {
        let opened = tree.folder(&folder.path).map_err(|problem| SkipReason::from(&problem))?;
        let entries = folder::entries(&opened, self.options.bounds.folder_entries_max);
        let entries = entries.map_err(|problem| SkipReason::from(&problem))?.ok_or(SkipReason::TooMany)?;
        if !folder.path.is_empty() && entries.iter().any(|entry| entry.name.as_slice() == b".git") {
            return Err(SkipReason::NestedRepository);
        }
        let rules =
            folder.rules.inside(&opened, &folder.path).map_err(|problem| SkipReason::from(&problem))?;
        let first = self.pending.len();
        let mut is_cut = false;
        for entry in entries {
            let Ok(name) = std::str::from_utf8(&entry.name) else {
                if self.options.below.is_empty() || self.options.is_wanted(&folder.path, false) {
                    let lossy = join(&folder.path, &String::from_utf8_lossy(&entry.name));
                    self.skip(&lossy, SkipReason::NotText);
                }
                continue;
            };
            let path = join(&folder.path, name);
            // An entry of unknown type may be a folder, and a link in the place of one is named.
            let may_lead_on = matches!(entry.kind, Kind::Folder | Kind::Link | Kind::Unknown);
            if !self.options.is_wanted(&path, may_lead_on) {
                continue;
            }
            if self.entries_left == 0 {
                is_cut = true;
                break;
            }
            self.entries_left -= 1;
            if let Err(reason) = self.take(&opened, folder, &rules, &entry, name, &path) {
                self.skip(&path, reason);
            }
        }
        self.pending[first..].reverse();
        if !folder.path.is_empty() {
            self.walk.folders.push(folder.path.clone());
        }
        if is_cut { Err(SkipReason::TooMany) } else { Ok(()) }
    }

    /// Takes over an entry. Fails with the reason to skip it.
    fn take(
        &mut self,
        opened: &OwnedFd,
        folder: &Folder,
        rules: &Rules,
        entry: &Entry,
        name: &str,
        path: &str,
    ) -> Result<(), SkipReason> {
        if deny::is_denied_name(name, self.options.discovery) {
            return Err(SkipReason::HardDeny);
        }
        if path.chars().any(char::is_control) {
            return Err(SkipReason::NotText);
        }
        if path.len() > TREE_PATH_BYTES_MAX {
            return Err(SkipReason::TooLarge);
        }
        let stat = || folder::stat(opened, &entry.name).map_err(|problem| SkipReason::from(&problem));
        let mut kind = entry.kind;
        if kind == Kind::Unknown {
            kind = stat()?.0;
        }
        let is_folder = kind == Kind::Folder;
        if let Some(reason) = rules.skips(path, is_folder) {
            return Err(reason);
        }
        let parts = folder.parts + 1;
        match kind {
            // There is at least one more part in the paths below it.
            Kind::Folder if parts >= self.options.bounds.parts_max => Err(SkipReason::TooMany),
            Kind::Folder => {
                self.pending.push(Folder { path: path.to_owned(), parts, rules: rules.clone() });
                Ok(())
            }
            Kind::File => {
                let (kind, bytes) = stat()?;
                if kind != Kind::File {
                    return Err(SkipReason::Unreadable);
                }
                if self.options.file_bytes_max.is_some_and(|max| bytes > max) {
                    return Err(SkipReason::TooLarge);
                }
                self.walk.files.push(TreeFile { path: path.to_owned(), bytes });
                Ok(())
            }
            Kind::Link => Err(folder::link(opened, &folder.path, &entry.name)),
            Kind::Other | Kind::Unknown => Err(SkipReason::NotAFile),
        }
    }

    fn skip(&mut self, path: &str, reason: SkipReason) {
        let path = if path.is_empty() { "." } else { path };
        self.walk.skipped.push(Skipped { path: path.to_owned(), reason });
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
