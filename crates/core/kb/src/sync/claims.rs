//! Claims: which file says what an entity is. Of several files that have the same id, the first path wins.

use std::collections::HashMap;

use super::Files;
use super::problems::Problems;
use super::request::Request;
use crate::branch::{Branch, NodeKey};
use crate::entity::{check_id, cut};
use crate::tools::UpsertInput;

/// An entity of a file that is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) path: &'a str,
    pub(super) line: u32,
    pub(super) input: &'a UpsertInput,
    /// Lines of its relationships.
    pub(super) link_lines: &'a [u32],
    /// The entity with this id, of whatever type.
    pub(super) stored: Option<NodeKey>,
}

impl Claim<'_> {
    /// The line of a relationship; that of the entity if it is not known.
    pub(super) fn line_of(&self, relationship: usize) -> u32 {
        self.link_lines.get(relationship).copied().filter(|line| *line > 0).unwrap_or(self.line)
    }
}

/// Claims of all files that are sent, one per id.
#[derive(Debug, Default)]
pub(super) struct Claims<'a> {
    /// In the order of paths, and then of lines.
    pub(super) all: Vec<Claim<'a>>,
    pub(super) by_id: HashMap<&'a str, usize>,
}

/// Collects claims. A claim that loses, or whose id is invalid, is a problem of its file.
pub(super) fn collect<'a>(
    branch: &'a Branch,
    files: &Files,
    request: &Request<'a>,
    problems: &mut Problems,
) -> Claims<'a> {
    let mut claims = Claims::default();
    for (path, file) in &request.sent {
        for one in &file.entities {
            let (line, input) = (one.line, &one.entity);
            let id = input.id.as_str();
            if let Err(error) = check_id("id", id) {
                problems.add(path, line, Some(cut(id)), error.message, error.hint);
                continue;
            }
            if let Some(first) = claims.by_id.get(id).map(|at| claims.all[*at]) {
                problems.add(path, line, Some(id), duplicate(id, first.path, first.line), hint());
                continue;
            }
            let stored = branch.find(id);
            let owner = stored.and_then(|(_, node)| node.file.as_deref());
            if let Some(owner) = owner.filter(|owner| stays(owner, files, request)) {
                if owner < *path {
                    problems.add(path, line, Some(id), duplicate(id, owner, 0), hint());
                    continue;
                }
                problems.add(owner, 0, Some(id), duplicate(id, path, line), hint());
            }
            claims.by_id.insert(id, claims.all.len());
            let (link_lines, stored) = (one.link_lines.as_slice(), stored.map(|(key, _)| key));
            claims.all.push(Claim { path, line, input, link_lines, stored });
        }
    }
    claims
}

/// Whether a file is known, and neither sent nor gone: its entities stay.
pub(super) fn stays(path: &str, files: &Files, request: &Request<'_>) -> bool {
    (!request.header.rebuild || request.kept.contains(path))
        && files.get(path).is_some()
        && !request.sent.contains_key(path)
        && !request.removed.contains(path)
}

fn duplicate(id: &str, winner: &str, line: u32) -> String {
    let line = if line > 0 { format!(":{line}") } else { String::new() };
    format!("{id} is also in {winner}{line}, which wins as the first path")
}

fn hint() -> Option<String> {
    Some("give one of them another id".to_owned())
}
