//! Audit trails.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One line of an audit trail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownLine {
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// Who.
    #[schema(example = "ada@example.org")]
    pub actor: String,
    /// What.
    #[schema(example = "access.change")]
    pub action: String,
    /// On which tenant; null for the node itself, and for a tenant that the caller may not know of.
    #[schema(example = "acme")]
    pub tenant: Option<String>,
    /// On what; empty if the action says it all.
    #[schema(example = "revoke token 5f3a90c1d2e4b687")]
    pub subject: String,
    /// `done` or `refused`. An act that is more than one transaction has two lines: `begun`, and then `done`,
    /// `failed` or `stopped`; without the second it goes on, or died half-way with the server.
    #[schema(example = "done")]
    pub outcome: String,
    /// Why it was refused.
    pub reason: Option<String>,
    /// What it failed with: the code of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "StorageFull")]
    pub code: Option<String>,
    /// How many refusals since the line before left none of their own, because there were too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<u32>,
}

/// Part of an audit trail, oldest line first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Trail {
    /// The lines, in the order in which it happened.
    pub lines: Vec<ShownLine>,
    /// What to pass as `after` to go on; null at the end.
    pub next: Option<String>,
    /// What to pass as `after` later, for what has come by then; null while there is no line at all.
    pub last: Option<String>,
}
