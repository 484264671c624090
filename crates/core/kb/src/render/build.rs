//! From the results of tools to the model of a page.

mod cells;
mod contradictions;
mod coverage;
mod suspect;
mod trace;

use serde::Serialize;

use super::model::{Page, Scope};
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

words! {
    /// A filter of a report.
    ReportFilter {
        /// Tags of entities.
        Tags = "Tags",
        /// Priorities of requirements.
        Priorities = "Priorities",
        /// Part of a source file.
        SourceFile = "Source file",
        /// Rows that are shown.
        Rows = "Rows",
        /// Entities that do not count any more.
        Retired = "Retired",
    }
}

/// Sections that filters apply to.
const APPLIES: [(ReportFilter, &[&str]); 5] = [
    (ReportFilter::Tags, &["matrix", "coverage", "code", "tests", "scenarios"]),
    (ReportFilter::Priorities, &["matrix"]),
    (ReportFilter::SourceFile, &["matrix", "code", "tests", "scenarios"]),
    (ReportFilter::Rows, &["matrix"]),
    (ReportFilter::Retired, &["matrix"]),
];

/// Results of tools that a report is made of; those that are there become sections.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportData {
    /// State of the branch that all of them are about.
    pub meta: StatusOutput,
    /// Filters and their values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<(ReportFilter, String)>,
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
    let scope = |anchor: &str| scope(&data.filters, anchor);
    let mut sections = Vec::new();
    sections.extend(data.matrix.as_ref().map(|matrix| trace::requirements(matrix, scope("matrix"))));
    let contradictions = data.contradictions.as_ref();
    sections.extend(contradictions.map(|check| contradictions::section(check, scope("contradictions"))));
    sections.extend(data.coverage.as_ref().map(|coverage| coverage::section(coverage, scope("coverage"))));
    sections.extend(data.untraced.iter().filter_map(|matrix| trace::untraced(matrix, &scope)));
    sections.extend(data.suspect.as_ref().map(|suspect| suspect::section(suspect, scope("suspect"))));
    Page { title: format!("Requirements of {branch}"), facts: facts.collect(), sections }
}

/// Filters of a section, by its name in addresses.
fn scope(filters: &[(ReportFilter, String)], anchor: &str) -> Scope {
    let applies =
        |filter| APPLIES.iter().any(|(known, anchors)| *known == filter && anchors.contains(&anchor));
    let mut scope = Scope::default();
    for (filter, value) in filters {
        let name = filter.text().to_owned();
        if applies(*filter) {
            scope.filters.push((name, value.clone()));
        } else {
            scope.not_applied.push(name);
        }
    }
    scope
}
