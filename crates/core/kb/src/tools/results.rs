//! Import of test results: statuses of tests by what a test run reported.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::model::words;

words! {
    /// The outcome of a test case.
    ResultStatus {
        /// It passed.
        Passing = "passing",
        /// It failed, or ended with an error.
        Failing = "failing",
        /// It was not run.
        Skipped = "skipped",
    }
}

/// Test cases of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "run": "ci-4711", "commit": "1f0c2b7", "at": "2026-05-01T10:00:00Z",
    "cases": [{"name": "test_session_ends", "file": "tests/test_session.py", "status": "passing"}]
}))]
pub struct ResultsInput {
    /// Id of the run, such as that of a CI job; stored as `result_run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Commit that was tested; stored as `result_commit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Time of the run, ISO 8601; now if absent. Stored as `result_at`; tests with later results stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its test cases.
    pub cases: Vec<ResultCase>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// A test case of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultCase {
    /// Its name.
    pub name: String,
    /// Its class, package or binary, if the report names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Its suite, if the report names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// Its file, from the root of the tree, if the report names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its outcome.
    pub status: ResultStatus,
    /// Its properties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub properties: Vec<CaseProperty>,
}

/// A property of a test case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseProperty {
    /// Its name.
    pub name: String,
    /// Its value.
    #[serde(default)]
    pub value: String,
}

/// Outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultsOutput {
    /// Cases of the request.
    pub cases: u64,
    /// Cases that belong to at least one test.
    pub matched: u64,
    /// Tests with results that are stored now: `updated`, and those that had the same before.
    pub tests: u64,
    /// Tests that were changed, ordered by id; at most 1,000 of them.
    pub updated: Vec<UpdatedTest>,
    /// Number of tests that were changed.
    pub updated_count: u64,
    /// Tests that have later results and stay as they are, ordered by id; at most 1,000 of them.
    pub older: Vec<OlderResult>,
    /// Number of tests that have later results.
    pub older_count: u64,
    /// Cases that belong to no test, in their order; at most 1,000 of them.
    pub unmatched: Vec<UnmatchedCase>,
    /// Number of cases that belong to no test.
    pub unmatched_count: u64,
    /// Snapshot of the branch after the write.
    pub snapshot_id: String,
}

/// A test whose results were stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpdatedTest {
    /// Its id.
    pub id: String,
    /// Its status before.
    pub from: String,
    /// Its status now.
    pub to: ResultStatus,
    /// Cases that belong to it.
    pub cases: u64,
}

/// A test that has later results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OlderResult {
    /// Its id.
    pub id: String,
    /// The time of its results.
    pub result_at: String,
}

/// A case that belongs to no test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnmatchedCase {
    /// File or class, and name: a `source` that would match.
    pub case: String,
    /// Its outcome.
    pub status: ResultStatus,
    /// Tests that it may belong to, in several files or with cases of other packages; the first few of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

impl ResultsOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Matched {} of {} test cases. Updated {} of {} tests.",
            self.matched, self.cases, self.updated_count, self.tests
        );
        for test in &self.updated {
            text.push_str(&format!("\n{}: {} -> {}", test.id, test.from, test.to));
        }
        for test in &self.older {
            text.push_str(&format!("\nKept {}: its results are of {}", test.id, test.result_at));
        }
        for case in &self.unmatched {
            text.push_str(&format!("\nUnmatched ({}): {}", case.status, case.case));
            if !case.candidates.is_empty() {
                text.push_str(&format!("; may be {}", case.candidates.join(", ")));
            }
        }
        super::bounded(text)
    }
}
