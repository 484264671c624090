//! The result of a check of staged changes.

use cairn_documents::Problem;
use serde::Serialize;

use crate::command::answer::{joined, text};
use crate::failure::Failure;

/// Everything that a check of staged changes found.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::command::kb) struct Findings {
    /// Files that were read.
    pub(super) files: usize,
    /// Changed symbols that have to be linked.
    pub(super) symbols: usize,
    /// Requirements that each must be linked to.
    pub(super) min_links: u32,
    /// Changed symbols that are linked to fewer.
    pub(super) unlinked: Vec<Unlinked>,
    /// Problems of documents.
    pub(super) documents: Vec<Problem>,
    /// Files that could not be checked. They block nothing.
    pub(super) unread: Vec<FileProblem>,
    /// Paths that are not UTF-8. They are not checked.
    pub(super) skipped_paths: usize,
}

/// A changed symbol with too few links.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Unlinked {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) links: u32,
    /// Ids in comments that are no requirements of the branch.
    pub(super) unknown_requirements: Vec<String>,
}

/// A file that could not be checked.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct FileProblem {
    pub(super) path: String,
    pub(super) reason: String,
}

const LINK: &str = "write `implements REQ-…` in a comment above it, or link it: cairn kb upsert symbol ID --title NAME \
                    --status active --field sourceFile=PATH --link implements:REQ-…";

impl Findings {
    /// Lines for people; nothing if there is nothing to say.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for Unlinked { path, line, name, kind, links, unknown_requirements } in &self.unlinked {
            let min = self.min_links;
            let (path, name) = (text(path), text(name));
            out += &format!("{path}:{line}: {kind} {name} is linked to {links} of {min} requirements\n");
            if !unknown_requirements.is_empty() {
                out += &format!("    no requirements of this branch: {}\n", joined(unknown_requirements));
            }
        }
        if !self.unlinked.is_empty() {
            out += &format!("    {LINK}\n");
        }
        for problem in &self.documents {
            let word = if problem.is_error() { "" } else { "warning: " };
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            let (path, message) = (text(&problem.path), text(&problem.message));
            out += &format!("{path}{line}: {word}{}: {message}\n", problem.class);
            out += &problem.hint.as_deref().map(|hint| format!("    {}\n", text(hint))).unwrap_or_default();
        }
        for FileProblem { path, reason } in &self.unread {
            out += &format!("{}: warning: not checked: {}\n", text(path), text(reason));
        }
        if self.skipped_paths > 0 {
            out += &format!("warning: {} paths that are not UTF-8 were not checked\n", self.skipped_paths);
        }
        out
    }

    /// Says what was found, and fails if the commit must not be made.
    pub(in crate::command::kb) fn verdict(&self, say: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        say(&self.text());
        let errors = self.documents.iter().filter(|problem| problem.is_error()).count();
        let mut parts = Vec::new();
        if !self.unlinked.is_empty() {
            let symbols = if self.unlinked.len() == 1 { "symbol has" } else { "symbols have" };
            parts.push(format!("{} changed {symbols} too few requirements", self.unlinked.len()));
        }
        if errors > 0 {
            let mistakes = if errors == 1 { "mistake" } else { "mistakes" };
            parts.push(format!("{errors} {mistakes} in documents"));
        }
        if parts.is_empty() { Ok(()) } else { Err(Failure::new(parts.join(", "))) }
    }
}
