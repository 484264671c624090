//! `kb_matrix`: the traceability matrix of requirements, scenarios, tests and symbols.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{StatusOutput, bounded};
use crate::model::{EntityType, words};

/// Arguments of `kb_matrix`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"by": "req", "priorities": ["must"], "onlyGaps": true}))]
pub struct MatrixInput {
    /// What the rows are; requirements by default.
    #[serde(default)]
    pub by: MatrixBy,
    /// Only entities with any of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only entities with any of these priorities, compared without case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<String>,
    /// Only entities whose source file contains this text; entities without one are compared by their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// Whether only rows with a gap, a failing test or a suspect link are returned.
    #[serde(default)]
    pub only_gaps: bool,
    /// Whether entities that do not count any more are included: deprecated, removed and superseded ones.
    #[serde(default)]
    pub include_retired: bool,
    /// Rows of one page; 100 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Rows to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Rows of a traceability matrix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatrixBy {
    /// Requirements.
    #[default]
    Req,
    /// Scenarios.
    Scenario,
    /// Tests.
    Test,
    /// Symbols.
    Symbol,
}

impl MatrixBy {
    /// The type of the entities of the rows.
    pub fn kind(self) -> EntityType {
        match self {
            MatrixBy::Req => EntityType::Req,
            MatrixBy::Scenario => EntityType::Scenario,
            MatrixBy::Test => EntityType::Test,
            MatrixBy::Symbol => EntityType::Symbol,
        }
    }
}

words! {
    /// The state of the tests of an entity.
    Proof {
        /// At least one test passes, and none fails.
        Passing = "passing",
        /// A test fails.
        Failing = "failing",
        /// There are tests, and none of them passes or fails.
        Open = "open",
        /// There is no test.
        Untested = "untested",
        /// The entity does not count any more, or needs no test.
        NotApplicable = "not_applicable",
    }
}

words! {
    /// A missing part of a trace.
    TraceGap {
        /// No requirement leads to it.
        MissingRequirement = "missing_requirement",
        /// No scenario specifies it.
        MissingScenario = "missing_scenario",
        /// No test verifies or covers it.
        MissingTest = "missing_test",
        /// No symbol implements it.
        MissingSymbol = "missing_symbol",
    }
}

/// Result of `kb_matrix`, ordered by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixOutput {
    /// What the rows are.
    pub by: MatrixBy,
    /// Counts of all entities that pass the filters, those that are not shown included.
    pub summary: MatrixSummary,
    /// Rows of this page.
    pub rows: Vec<MatrixRow>,
    /// Rows of all pages.
    pub count: u64,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// Counts of a traceability matrix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixSummary {
    /// Entities that pass the filters.
    pub total: u64,
    /// Entities by the state of their tests.
    #[schema(value_type = Object)]
    pub proofs: BTreeMap<String, u64>,
    /// Entities by missing part; one with two gaps counts twice.
    #[schema(value_type = Object)]
    pub gaps: BTreeMap<String, u64>,
    /// Entities with a gap, a failing test or a suspect link.
    pub with_gaps: u64,
    /// Links of the branch whose ends changed after they were made.
    pub suspect_links: u64,
    /// Links of the branch that are older than the digests of their ends.
    pub unknown_links: u64,
}

/// A row of a traceability matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MatrixRow {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its priority.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// Its source file, or its source.
    pub source: String,
    /// The state of its tests.
    pub proof: Proof,
    /// Missing parts of its trace.
    pub gaps: Vec<TraceGap>,
    /// Suspect links that start or end at it.
    pub suspect: u64,
    /// Requirements that it belongs to; empty for requirements.
    pub requirements: TraceCells,
    /// Scenarios.
    pub scenarios: TraceCells,
    /// Tests.
    pub tests: TraceCells,
    /// Symbols.
    pub symbols: TraceCells,
}

/// Linked entities of a row, ordered by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceCells {
    /// The first of them; at most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<TraceCell>,
    /// All of them.
    pub count: u64,
}

/// A linked entity of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TraceCell {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its source file, or its source.
    pub source: String,
    /// Whether it is linked to the entity of the row itself.
    pub direct: bool,
    /// Entities of the row that lead to it: scenarios to tests, tests to symbols; at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<String>,
    /// Whether a link that leads to it is suspect.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspect: bool,
}

impl MatrixRow {
    /// Whether something is missing or wrong.
    pub fn has_gap(&self) -> bool {
        has_gap(&self.gaps, self.proof, self.suspect)
    }
}

/// Whether something is missing or wrong in a row.
pub(crate) fn has_gap(gaps: &[TraceGap], proof: Proof, suspect: u64) -> bool {
    !gaps.is_empty() || proof == Proof::Failing || suspect > 0
}

impl MatrixOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let MatrixSummary { total, with_gaps, suspect_links, .. } = &self.summary;
        let kind = self.by.kind();
        let mut text =
            format!("{total} of type {kind}, {with_gaps} with gaps; {suspect_links} suspect links.");
        for row in &self.rows {
            text.push_str(&format!("\n{} ({}): {}", row.id, row.title, row.proof));
            let gaps = row.gaps.iter().map(|gap| gap.text());
            gaps.for_each(|gap| text.push_str(&format!(", {gap}")));
            let columns = [
                ("requirements", &row.requirements),
                ("scenarios", &row.scenarios),
                ("tests", &row.tests),
                ("symbols", &row.symbols),
            ];
            for (name, cells) in columns.into_iter().filter(|(_, cells)| cells.count > 0) {
                let ids: Vec<&str> = cells.items.iter().map(|cell| cell.id.as_str()).collect();
                text.push_str(&format!("; {name}: {}", ids.join(", ")));
                let more = cells.count - ids.len() as u64;
                if more > 0 {
                    text.push_str(&format!(" and {more} more"));
                }
            }
        }
        bounded(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_every_row_and_says_what_it_leaves_out() {
        let cell = |id: &str| TraceCell {
            id: id.to_owned(),
            title: String::new(),
            status: String::new(),
            source: String::new(),
            direct: true,
            through: Vec::new(),
            suspect: false,
        };
        let output = MatrixOutput {
            summary: MatrixSummary { total: 2, with_gaps: 1, suspect_links: 3, ..MatrixSummary::default() },
            rows: vec![MatrixRow {
                id: "REQ-1".into(),
                kind: EntityType::Req,
                title: "Sessions end".into(),
                status: "open".into(),
                priority: None,
                source: String::new(),
                proof: Proof::Open,
                gaps: vec![TraceGap::MissingScenario],
                suspect: 0,
                requirements: TraceCells::default(),
                scenarios: TraceCells::default(),
                tests: TraceCells { items: vec![cell("T-1"), cell("T-2")], count: 5 },
                symbols: TraceCells::default(),
            }],
            ..MatrixOutput::default()
        };
        assert_eq!(
            output.text(),
            "2 of type req, 1 with gaps; 3 suspect links.\n\
             REQ-1 (Sessions end): open, missing_scenario; tests: T-1, T-2 and 3 more"
        );
    }

    #[test]
    fn unknown_arguments_are_refused() {
        let read = |json: &str| serde_json::from_str::<MatrixInput>(json);
        assert_eq!(read("{}").unwrap(), MatrixInput::default());
        assert_eq!(read(r#"{"by":"symbol","_requestId":"x"}"#).unwrap().by, MatrixBy::Symbol);
        assert!(read(r#"{"by":"fact"}"#).is_err());
        assert!(read(r#"{"only_gaps":true}"#).is_err());
    }
}
