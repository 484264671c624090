//! Branches of the requirements KB. Inputs and outputs of its tools are `cairn_kb::tools`.

use cairn_kb::tools::{EntityJson, GraphEdge};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The KB of a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KbBranch {
    /// The workspace.
    #[schema(example = "shop")]
    pub workspace: String,
    /// The branch.
    #[schema(example = "feature/login")]
    pub branch: String,
    /// Name of its space, for KIP.
    pub space: String,
    /// The branch that it was copied from; null if it began empty.
    pub copied_from: Option<String>,
    /// Time of creation, ISO 8601.
    pub created_at: String,
    /// Time of the last write, ISO 8601; null if there was none.
    pub written_at: Option<String>,
    /// Opaque; changes with every write.
    pub snapshot_id: String,
}

/// Branches that have a KB, ordered by workspace and name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KbBranches {
    /// Branches.
    pub branches: Vec<KbBranch>,
    /// Whether there are more than one list holds.
    pub has_more: bool,
}

/// The KB of a branch, which exists now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KbEnsured {
    /// The branch.
    pub branch: KbBranch,
    /// Whether this request created it.
    pub created: bool,
}

/// The end of the KB of a branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KbBranchDeleted {
    /// Whether there was one.
    pub deleted: bool,
}

/// Differences between two branches of a workspace, in one page. Times of writes do not count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KbDiff {
    /// Entities that only the second branch has, ordered by id.
    pub added: Vec<EntityJson>,
    /// Ids of entities that only the first branch has.
    pub removed: Vec<String>,
    /// Entities that differ, ordered by id.
    pub changed: Vec<KbChanged>,
    /// Relationships that only the second branch has.
    pub links_added: Vec<GraphEdge>,
    /// Relationships that only the first branch has.
    pub links_removed: Vec<GraphEdge>,
    /// Whether there is more than one response holds.
    pub truncated: bool,
}

/// An entity that differs between two branches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KbChanged {
    /// As the first branch has it.
    pub from: EntityJson,
    /// As the second branch has it.
    pub to: EntityJson,
}
