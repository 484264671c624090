//! The result of a check of staged changes.

use serde::Serialize;

use crate::command::answer::{joined, text};
use crate::command::kb::sync::Finding;
use crate::failure::Failure;
use crate::limits::KB_STAGED_LINES_MAX;

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
    /// Problems of documents, and of what refers to them.
    pub(super) documents: Vec<Finding>,
    /// Whether the KB lacks what documents say that are not staged, and that may be the cause.
    pub(super) stale: bool,
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
        let mut parts = Vec::new();
        for Unlinked { path, line, name, kind, links, unknown_requirements } in &self.unlinked {
            let min = self.min_links;
            let (path, name) = (text(path), text(name));
            let mut part =
                format!("{path}:{line}: {kind} {name} is linked to {links} of {min} requirements\n");
            if !unknown_requirements.is_empty() {
                part += &format!("    no requirements of this branch: {}\n", joined(unknown_requirements));
            }
            parts.push(part);
        }
        // What stops a commit comes first.
        let (errors, warnings): (Vec<_>, Vec<_>) =
            self.documents.iter().partition(|finding| finding.is_error);
        parts.extend(errors.into_iter().chain(warnings).map(Finding::to_text));
        for FileProblem { path, reason } in &self.unread {
            parts.push(format!("{}: warning: not checked: {}\n", text(path), text(reason)));
        }
        let mut out = capped(&parts);
        if !self.unlinked.is_empty() {
            out += &format!("    {LINK}\n");
        }
        if self.stale {
            out += "    the KB is older than the documents: run `cairn kb sync` first\n";
        }
        if self.skipped_paths > 0 {
            out += &format!("warning: {} paths that are not UTF-8 were not checked\n", self.skipped_paths);
        }
        out
    }

    /// Prints the findings, and fails if the commit must not be made.
    pub(in crate::command::kb) fn verdict(&self, say: &mut dyn FnMut(&str)) -> Result<(), Failure> {
        say(&self.text());
        let errors = self.documents.iter().filter(|finding| finding.is_error).count();
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

/// The parts of a text, as many as fit; the others are counted.
fn capped(parts: &[String]) -> String {
    let mut out = String::new();
    let mut lines = 0;
    for (at, part) in parts.iter().enumerate() {
        lines += part.lines().count();
        if lines > KB_STAGED_LINES_MAX {
            return format!(
                "{out}and {} more; `cairn kb check --staged --json` lists them\n",
                parts.len() - at
            );
        }
        out += part;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let unlinked = |count: usize| Findings {
            unlinked: (0..count)
                .map(|at| Unlinked {
                    path: "a.ts".to_owned(),
                    line: 1,
                    name: at.to_string(),
                    kind: "function",
                    links: 0,
                    unknown_requirements: Vec::new(),
                })
                .collect(),
            ..Findings::default()
        };
        let text = unlinked(KB_STAGED_LINES_MAX).text();
        assert!(!text.contains("more") && text.lines().count() == KB_STAGED_LINES_MAX + 1, "{text}");
        let text = unlinked(KB_STAGED_LINES_MAX + 7).text();
        assert!(text.contains("and 7 more;") && text.lines().count() == KB_STAGED_LINES_MAX + 2, "{text}");
    }
}
