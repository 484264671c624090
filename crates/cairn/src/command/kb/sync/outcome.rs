//! The outcome of a sync, for programs and for people.

use cairn_kb::sync::{SyncContradiction, SyncKept, SyncReport};
use serde::Serialize;

use super::compare::Comparison;
use super::problem::Finding;
use crate::command::answer::{joined, text};
use crate::command::kb::text::{Names, counted};
use crate::failure::Failure;
use crate::limits::KB_FINDINGS_MAX;

const PROBLEMS: Names = ["problem", "problems"];
const DOCUMENTS: Names = ["document", "documents"];

/// The outcome of a sync.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::command::kb) struct Outcome {
    branch: String,
    documents: u64,
    documents_unchanged: u64,
    documents_removed: u64,
    created: u64,
    updated: u64,
    unchanged: u64,
    removed: u64,
    relationships_created: u64,
    relationships_removed: u64,
    problems: Vec<Finding>,
    problem_count: u64,
    warnings: Vec<Finding>,
    warning_count: u64,
    diverged: Vec<SyncKept>,
    diverged_count: u64,
    released: Vec<SyncKept>,
    released_count: u64,
    contradictions: Vec<SyncContradiction>,
    contradiction_count: u64,
    stored: bool,
    /// Documents were checked alone.
    #[serde(skip)]
    is_check: bool,
}

impl Outcome {
    /// Puts together what was found in documents that were checked alone.
    pub(super) fn of_check(branch: &str, comparison: Comparison) -> Outcome {
        Outcome { is_check: true, ..Outcome::of(branch, comparison, SyncReport::default()) }
    }

    /// Puts together what was found here and what the server reports.
    pub(super) fn of(branch: &str, comparison: Comparison, report: SyncReport) -> Outcome {
        let (mut problems, mut warnings): (Vec<_>, Vec<_>) =
            comparison.findings.into_iter().partition(|finding| finding.is_error);
        let more = report.problem_count.saturating_sub(report.problems.len() as u64);
        problems.extend(report.problems.into_iter().map(Finding::from));
        problems.sort();
        let (problem_count, warning_count) = (problems.len() as u64 + more, warnings.len() as u64);
        problems.truncate(KB_FINDINGS_MAX);
        warnings.truncate(KB_FINDINGS_MAX);
        Outcome {
            branch: branch.to_owned(),
            documents: comparison.documents,
            documents_unchanged: comparison.unchanged,
            documents_removed: report.files_removed,
            created: report.created,
            updated: report.updated,
            unchanged: report.unchanged,
            removed: report.removed,
            relationships_created: report.relationships_created,
            relationships_removed: report.relationships_removed,
            problems,
            problem_count,
            warnings,
            warning_count,
            diverged: report.diverged,
            diverged_count: report.diverged_count,
            released: report.released,
            released_count: report.released_count,
            contradictions: report.contradictions,
            contradiction_count: report.contradiction_count,
            stored: report.stored,
            is_check: false,
        }
    }

    /// Returns true if anything was stored.
    pub(in crate::command::kb) fn is_stored(&self) -> bool {
        self.stored
    }

    /// Fails if a document has problems.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        match self.problem_count {
            0 => Ok(()),
            count => Err(Failure::new(counted(count, PROBLEMS))),
        }
    }

    /// Findings, kept entities and contradictions.
    pub(in crate::command::kb) fn remarks(&self) -> String {
        let mut out: String = self.problems.iter().map(Finding::to_text).collect();
        out += &more(self.problem_count, self.problems.len(), "problems");
        self.warnings.iter().for_each(|finding| out += &finding.to_text());
        out += &more(self.warning_count, self.warnings.len(), "warnings");
        for kept in &self.diverged {
            out += &format!("{}: kept {} as a tool has changed it\n", text(&kept.path), text(&kept.id));
        }
        out += &more(self.diverged_count, self.diverged.len(), "diverged entities");
        if self.diverged_count > 0 {
            out += "    write them to their documents with `cairn kb export`, or drop the changes with \
                    `cairn kb sync --force`\n";
        }
        for kept in &self.released {
            out += &format!(
                "{}: kept {}, which entities of tools refer to; it belongs to tools now\n",
                text(&kept.path),
                text(&kept.id)
            );
        }
        out += &more(self.released_count, self.released.len(), "kept entities");
        for contradiction in &self.contradictions {
            let SyncContradiction { requirements, reason } = contradiction;
            out += &format!("contradiction of {}: {}\n", joined(requirements), text(reason));
        }
        out + &more(self.contradiction_count, self.contradictions.len(), "contradictions")
    }

    /// Remarks, and a line of counts.
    pub(in crate::command::kb) fn to_text(&self) -> String {
        let mut line = format!("branch {}: {}", text(&self.branch), counted(self.documents, DOCUMENTS));
        let examined = self.documents.saturating_sub(self.documents_unchanged);
        if self.is_check {
            line += " checked";
        } else if examined == 0 && self.documents_removed == 0 && !self.stored {
            line += ", nothing has changed";
        } else {
            line += &format!(
                ", {examined} examined: {} created, {} updated, {} removed, {} as they were",
                self.created, self.updated, self.removed, self.unchanged
            );
        }
        if self.diverged_count > 0 {
            line += &format!(", {} kept", self.diverged_count);
        }
        if self.documents_removed > 0 {
            line += &format!("; {} gone", counted(self.documents_removed, DOCUMENTS));
        }
        format!("{}{line}\n", self.remarks())
    }
}

fn more(count: u64, shown: usize, what: &str) -> String {
    match count.saturating_sub(shown as u64) {
        0 => String::new(),
        more => format!("{more} more {what}\n"),
    }
}

#[cfg(test)]
mod tests {
    use cairn_kb::sync::SyncProblem;

    use super::*;

    fn finding(path: &str, is_error: bool) -> Finding {
        let message = "bad".to_owned();
        Finding { path: path.into(), line: Some(2), is_error, class: None, entity: None, message, hint: None }
    }

    #[test]
    fn problems_of_both_sides_are_in_the_order_of_paths() {
        let comparison = Comparison {
            documents: 5,
            unchanged: 2,
            findings: vec![finding("b.md", true), finding("c.md", false)],
            ..Comparison::default()
        };
        let problem = SyncProblem {
            path: "a.md".into(),
            line: Some(1),
            message: "unknown target".into(),
            ..Default::default()
        };
        let kept = |id: &str| SyncKept { id: id.into(), path: "d.md".into() };
        let report = SyncReport {
            created: 2,
            problems: vec![problem],
            problem_count: 3,
            diverged: vec![kept("REQ-1")],
            diverged_count: 1,
            released: vec![kept("REQ-2")],
            released_count: 1,
            contradictions: vec![SyncContradiction {
                requirements: vec!["A".into(), "B".into()],
                reason: "x > y".into(),
            }],
            contradiction_count: 1,
            files_removed: 1,
            stored: true,
            ..SyncReport::default()
        };
        let outcome = Outcome::of("main", comparison, report);
        insta::assert_snapshot!(outcome.to_text());
        assert!(outcome.verdict().is_err());
    }

    #[test]
    fn a_sync_without_changes_says_so() {
        let comparison = Comparison { documents: 1, unchanged: 1, ..Comparison::default() };
        let outcome = Outcome::of("main", comparison, SyncReport::default());
        assert_eq!(outcome.to_text(), "branch main: 1 document, nothing has changed\n");
        assert!(outcome.verdict().is_ok());
    }
}
