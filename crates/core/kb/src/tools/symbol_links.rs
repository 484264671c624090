//! Requirements that symbols of source files implement, for the check of a commit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Source files whose symbols are wanted, and ids that may be requirements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"files": ["src/auth/login.ts"], "requirements": ["REQ-001"]}))]
pub struct SymbolLinksInput {
    /// Source files, from the root of the working tree; at most 10,000.
    #[serde(default)]
    pub files: Vec<String>,
    /// Ids that comments name; at most 10,000.
    #[serde(default)]
    pub requirements: Vec<String>,
}

/// Symbols of the files, ordered by id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolLinksOutput {
    /// Symbols of the files; at most 20,000.
    pub symbols: Vec<SymbolLinks>,
    /// Ids of the request that are requirements of the branch, sorted.
    pub requirements: Vec<String>,
    /// Whether symbols were left out because of the limit.
    pub truncated: bool,
}

/// A symbol and its links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolLinks {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its source file as the request names it.
    pub source_file: String,
    /// Requirements that it implements, sorted.
    pub implements: Vec<String>,
    /// Whether it is executable test code.
    pub is_test: bool,
    /// Reason to link a whole file; null if it is a narrow symbol.
    pub granularity_reason: Option<String>,
}
