//! Entities that lose their file: those that go, and those that stay as entities of tools.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Files;
use super::claims::stays;
use super::outlook::{Outcome, Outlook};
use super::request::Request;
use crate::branch::NodeKey;

/// Entities that no file owns any more.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// Entities that go.
    pub(super) removed: BTreeSet<NodeKey>,
    /// Entities that stay as entities of tools.
    pub(super) released: BTreeSet<NodeKey>,
}

/// Decides about the entities whose file is gone or no longer names them.
pub(super) fn decide(outlook: &Outlook<'_>, files: &Files, request: &Request<'_>) -> Leaving {
    let branch = outlook.branch;
    let mut leaving = Leaving::default();
    // Most entities of a large branch belong to a few thousand files: each is decided once.
    let mut verdicts: HashMap<&str, bool> = HashMap::new();
    for (key, node) in branch.nodes() {
        let Some(file) = node.file.as_deref() else { continue };
        let is_left = match outlook.of_key(key) {
            Some((_, Outcome::Write(_) | Outcome::Keep)) => false,
            Some((_, Outcome::Invalid)) => {
                request.header.rebuild
                    && !request.kept.contains(file)
                    && (request.header.force || !node.diverged)
                    && !is_referred(outlook, key)
            }
            None => *verdicts.entry(file).or_insert_with(|| !keeps_others(file, files, request)),
        };
        if !is_left {
            continue;
        }
        if node.diverged && !request.header.force {
            leaving.released.insert(key);
        } else {
            leaving.removed.insert(key);
        }
    }
    release_referred(outlook, &mut leaving);
    leaving
}

/// Whether an entity refers to it that stays as tools have written it, so that it stays whatever its file says.
fn is_referred(outlook: &Outlook<'_>, key: NodeKey) -> bool {
    outlook.branch.incoming(key).any(|(_, from)| outlook.is_of_tools(from))
}

/// Whether entities of a file that it does not name stay: nothing is known of it, or not everything.
fn keeps_others(file: &str, files: &Files, request: &Request<'_>) -> bool {
    if request.removed.contains(file) {
        return false;
    }
    match request.sent.get(file) {
        _ if request.header.rebuild => request.kept.contains(file),
        Some(sent) => sent.problems,
        // One that has lost its record is sent as if it were new, if it is there.
        None => stays(file, files, request) || files.get(file).is_none(),
    }
}

/// An entity that one of tools or a diverged one refers to stays, as one of tools; and so do those that it refers to.
fn release_referred(outlook: &Outlook<'_>, leaving: &mut Leaving) {
    let branch = outlook.branch;
    let mut waiting: Vec<NodeKey> = leaving.released.iter().copied().collect();
    for key in leaving.removed.clone() {
        if is_referred(outlook, key) {
            waiting.push(key);
        }
    }
    while let Some(key) = waiting.pop() {
        leaving.removed.remove(&key);
        leaving.released.insert(key);
        waiting.extend(branch.out(key).map(|(_, to)| to).filter(|to| leaving.removed.contains(to)));
    }
}

/// Changes of the number of entities that each file owns.
#[derive(Debug, Default)]
pub(super) struct Counts<'a>(BTreeMap<&'a str, i64>);

impl<'a> Counts<'a> {
    /// Counts an entity that moves from one owner to another; `None` stands for tools and for nothing.
    pub(super) fn moved(&mut self, from: Option<&'a str>, to: Option<&'a str>) {
        if from == to {
            return;
        }
        for (file, change) in from.map(|from| (from, -1)).into_iter().chain(to.map(|to| (to, 1))) {
            *self.0.entry(file).or_default() += change;
        }
    }

    /// Returns the change of a file.
    pub(super) fn of(&self, file: &str) -> i64 {
        self.0.get(file).copied().unwrap_or_default()
    }

    /// Returns the files whose number changed, and others, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }
}
