//! `kb_coverage`: coverage of requirements, symbols and types.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{StatusOutput, bounded};
use crate::model::EntityType;

/// Arguments of `kb_coverage`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"by": "req", "includePassing": false, "includeTransitive": true}))]
pub struct CoverageInput {
    /// What the rows are; requirements by default.
    #[serde(default)]
    pub by: CoverageBy,
    /// Only entities with any of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether fully covered rows are included; they are not by default.
    #[serde(default)]
    pub include_passing: bool,
    /// Whether symbols count that are connected through dependent requirements and tests; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_transitive: Option<bool>,
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

/// Rows of a coverage report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CoverageBy {
    /// Requirements.
    #[default]
    Req,
    /// Symbols.
    Symbol,
    /// Types of entities.
    Type,
}

/// Coverage of one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CoverageStatus {
    /// Nothing is missing.
    FullyCovered,
    /// Something is missing.
    Uncovered,
    /// It need not be covered.
    NotApplicable,
}

/// Result of `kb_coverage`, ordered by type and id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CoverageOutput {
    /// Counts of all rows, those that are not shown included.
    pub summary: CoverageSummary,
    /// Rows of this page.
    pub rows: Vec<CoverageRow>,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// Counts of a coverage report. Which of them are there depends on `by`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoverageSummary {
    /// All rows.
    pub total: u64,
    /// Requirements that must be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluated: Option<u64>,
    /// Rows where nothing is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fully_covered: Option<u64>,
    /// Rows where something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncovered: Option<u64>,
    /// Rows that need not be covered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_applicable: Option<u64>,
    /// Requirements that only lack a scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_scenario: Option<u64>,
    /// Requirements that only lack a test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_test: Option<u64>,
    /// Requirements that lack both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_scenario_and_test: Option<u64>,
}

/// A row of a coverage report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum CoverageRow {
    /// A requirement.
    Req(Box<ReqRow>),
    /// A symbol.
    Symbol(Box<SymbolRow>),
    /// A type of entities.
    Type(TypeRow),
}

/// Coverage of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReqRow {
    /// Its id.
    pub id: String,
    /// `req`.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Its priority.
    pub priority: Option<String>,
    /// Scenarios that specify it.
    pub scenario_count: u64,
    /// Tests that verify it, directly or through a scenario.
    pub test_count: u64,
    /// Symbols that implement it.
    pub direct_symbol_count: u64,
    /// These, symbols that implement a requirement that transitively depends on it, and symbols that a test of it
    /// covers.
    pub transitive_symbol_count: u64,
    /// What is missing: `missing_scenario`, `missing_test` or `missing_scenario_and_test`.
    pub gaps: Vec<String>,
    /// Whether it must be covered.
    pub evaluated: bool,
    /// Its coverage.
    pub coverage_status: CoverageStatus,
    /// The strongest evidence there is.
    pub coverage_depth: String,
    /// Tests that verify it directly, ordered by id; at most 1,000 are listed.
    pub direct_tests: Vec<String>,
    /// Tests that verify one of its scenarios, ordered by id; at most 1,000 are listed.
    pub scenario_tests: Vec<String>,
    /// Statuses of these tests, each once.
    pub test_statuses: Vec<String>,
    /// Scopes of these tests, each once.
    pub verification_scopes: Vec<String>,
}

impl ReqRow {
    /// Returns the evidence in words for people.
    pub fn evidence(&self) -> String {
        // The key says nothing about passing tests that are neither end-to-end nor of units alone.
        let is_passing = self.test_statuses.iter().any(|status| status == "passing");
        match self.coverage_depth.as_str() {
            "open_or_nonpassing_tests_only" if is_passing => "passing, not end-to-end".to_owned(),
            "open_or_nonpassing_tests_only" => "no passing test".to_owned(),
            other => other.replace('_', " "),
        }
    }
}

/// Coverage of a symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolRow {
    /// Its id.
    pub id: String,
    /// `symbol`.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// Requirements that it implements.
    pub direct_requirement_count: u64,
    /// Tests that cover it.
    pub test_count: u64,
    /// `missing_requirement`, if it implements none and is not the code of a test.
    pub gaps: Vec<String>,
    /// Its coverage.
    pub coverage_status: CoverageStatus,
}

/// Entities of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TypeRow {
    /// The type.
    pub id: EntityType,
    /// The type.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Entities of it.
    pub count: u64,
}

impl CoverageOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let CoverageSummary { total, fully_covered, .. } = &self.summary;
        let mut text = match fully_covered {
            Some(covered) => format!("Coverage summary: {covered} fully covered out of {total}."),
            None => format!("Coverage summary: {total} types."),
        };
        for row in &self.rows {
            match row {
                CoverageRow::Req(row) if row.gaps.is_empty() => {}
                CoverageRow::Req(row) => text.push_str(&format!("\n{}: {}", row.id, row.gaps.join(", "))),
                CoverageRow::Symbol(row) if row.gaps.is_empty() => {}
                CoverageRow::Symbol(row) => text.push_str(&format!("\n{}: {}", row.id, row.gaps.join(", "))),
                CoverageRow::Type(row) => text.push_str(&format!("\n{}: {}", row.kind, row.count)),
            }
        }
        bounded(text)
    }
}
