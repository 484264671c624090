//! From the results of tools to the model of a page.

mod cells;
mod contradictions;
mod coverage;
mod suspect;
mod trace;

use serde::Serialize;

use super::model::Page;
use crate::model::words;
use crate::tools::{CheckOutput, CoverageOutput, MatrixOutput, StatusOutput, SuspectOutput};

words! {
    /// A report.
    ReportKind {
        /// The traceability matrix, code and tests without requirement, and suspect links.
        Matrix = "matrix",
        /// Coverage of requirements.
        Coverage = "coverage",
        /// Contradictions between requirements.
        Contradictions = "contradictions",
        /// All of them.
        All = "all",
    }
}

/// Results of tools that a report is made of; those that are there become sections.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportData {
    /// State of the branch that all of them are about.
    pub meta: StatusOutput,
    /// Names and values of the filters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<(String, String)>,
    /// The traceability matrix of requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<MatrixOutput>,
    /// Matrices of other types, with the rows that have gaps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untraced: Vec<MatrixOutput>,
    /// Suspect links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspect: Option<SuspectOutput>,
    /// Coverage of requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageOutput>,
    /// Contradictions, as `kb_check` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradictions: Option<CheckOutput>,
}

/// Returns the page of a report.
pub fn page(data: &ReportData) -> Page {
    let StatusOutput { workspace, branch, snapshot_id, synced_at, entities, relationships, .. } = &data.meta;
    let facts = [
        ("Branch", branch.clone()),
        ("Workspace", workspace.clone()),
        ("Snapshot", snapshot_id.clone()),
        ("Last write", synced_at.clone().unwrap_or_else(|| "never".to_owned())),
        ("Entities", entities.to_string()),
        ("Relationships", relationships.to_string()),
    ];
    let facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value));
    let mut sections = Vec::new();
    sections.extend(data.matrix.as_ref().map(trace::requirements));
    sections.extend(data.contradictions.as_ref().map(contradictions::section));
    sections.extend(data.coverage.as_ref().map(coverage::section));
    sections.extend(data.untraced.iter().filter_map(trace::untraced));
    sections.extend(data.suspect.as_ref().map(suspect::section));
    Page {
        title: format!("Requirements of {branch}"),
        facts: facts.chain(data.filters.iter().cloned()).collect(),
        sections,
    }
}
