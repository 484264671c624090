//! The outcome of a sync, for programs and for people.

use cairn_kb::sync::{KeptReason, SyncContradiction, SyncKept, SyncReport};
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
    /// Documents may be checked without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
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
    /// Unknown if nothing was sent.
    #[serde(flatten)]
    contradictions: Option<Contradictions>,
    stored: bool,
    /// Documents were checked alone.
    #[serde(skip)]
    is_check: bool,
}

/// Contradictions of the branch after a sync.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Contradictions {
    contradictions: Vec<SyncContradiction>,
    contradiction_count: u64,
}

impl Outcome {
    /// Collects the findings of documents that were checked alone.
    pub(super) fn of_check(branch: Option<String>, comparison: Comparison) -> Outcome {
        Outcome { is_check: true, ..Outcome::of(branch, comparison, None) }
    }

    /// Collects the findings here and those that the server reports, if anything was sent.
    pub(super) fn of(branch: Option<String>, comparison: Comparison, report: Option<SyncReport>) -> Outcome {
        let is_sent = report.is_some();
        let report = report.unwrap_or_default();
        let (mut problems, mut warnings): (Vec<_>, Vec<_>) =
            comparison.findings.into_iter().partition(|finding| finding.is_error);
        let more = report.problem_count.saturating_sub(report.problems.len() as u64);
        problems.extend(report.problems.into_iter().map(Finding::from));
        problems.sort();
        let (problem_count, warning_count) = (problems.len() as u64 + more, warnings.len() as u64);
        problems.truncate(KB_FINDINGS_MAX);
        warnings.truncate(KB_FINDINGS_MAX);
        Outcome {
            branch,
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
            contradictions: is_sent.then_some(Contradictions {
                contradictions: report.contradictions,
                contradiction_count: report.contradiction_count,
            }),
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
            let why = match kept.reason {
                KeptReason::Diverged => "which a tool has changed and no document names any more",
                KeptReason::Referred => "to which entities refer that tools have created or changed",
            };
            let (path, id) = (text(&kept.path), text(&kept.id));
            out += &format!("{path}: kept {id}, {why}; it belongs to tools now\n");
        }
        out += &more(self.released_count, self.released.len(), "kept entities");
        let Some(Contradictions { contradictions, contradiction_count }) = &self.contradictions else {
            return out;
        };
        for contradiction in contradictions {
            let SyncContradiction { requirements, reason } = contradiction;
            out += &format!("contradiction of {}: {}\n", joined(requirements), text(reason));
        }
        out + &more(*contradiction_count, contradictions.len(), "contradictions")
    }

    /// Remarks, and a line of counts.
    pub(in crate::command::kb) fn to_text(&self) -> String {
        let branch = self.branch.as_deref().map(|branch| format!("branch {}: ", text(branch)));
        let mut line = format!("{}{}", branch.unwrap_or_default(), counted(self.documents, DOCUMENTS));
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
        let kept = |id: &str, reason| SyncKept { id: id.into(), path: "d.md".into(), reason };
        let report = SyncReport {
            created: 2,
            problems: vec![problem],
            problem_count: 3,
            diverged: vec![kept("REQ-1", KeptReason::Diverged)],
            diverged_count: 1,
            released: vec![kept("REQ-2", KeptReason::Referred), kept("REQ-3", KeptReason::Diverged)],
            released_count: 2,
            contradictions: vec![SyncContradiction {
                requirements: vec!["A".into(), "B".into()],
                reason: "x > y".into(),
            }],
            contradiction_count: 1,
            files_removed: 1,
            stored: true,
            ..SyncReport::default()
        };
        let outcome = Outcome::of(Some("main".into()), comparison, Some(report));
        insta::assert_snapshot!(outcome.to_text());
        assert!(outcome.verdict().is_err());
    }

    #[test]
    fn a_sync_without_changes_says_so() {
        let comparison = Comparison { documents: 1, unchanged: 1, ..Comparison::default() };
        let outcome = Outcome::of(Some("main".into()), comparison, None);
        assert_eq!(outcome.to_text(), "branch main: 1 document, nothing has changed\n");
        assert!(outcome.verdict().is_ok());
        // The server knows whether there are contradictions, and was not asked.
        let shown = serde_json::to_value(&outcome).expect("JSON");
        assert_eq!((shown.get("contradictionCount"), shown.get("contradictions")), (None, None));
        let asked = Outcome::of(None, Comparison::default(), Some(SyncReport::default()));
        let shown = serde_json::to_value(&asked).expect("JSON");
        assert_eq!((&shown["contradictionCount"], shown.get("branch")), (&0.into(), None));
    }
}
