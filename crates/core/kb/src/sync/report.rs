//! The outcome of a sync, and the list of synced files.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Outcome of a sync; with `validateOnly`, the outcome that it would have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    /// Files that were examined.
    pub files: u64,
    /// Files that are gone.
    pub files_removed: u64,
    /// Entities that are new.
    pub created: u64,
    /// Entities that have changed.
    pub updated: u64,
    /// Entities of the examined files that are as they were.
    pub unchanged: u64,
    /// Entities that were removed.
    pub removed: u64,
    /// Relationships that are new or have other metadata.
    pub relationships_created: u64,
    /// Relationships that were removed.
    pub relationships_removed: u64,
    /// Problems of documents, ordered by path and line; at most 1,000.
    pub problems: Vec<SyncProblem>,
    /// All problems of documents.
    pub problem_count: u64,
    /// Diverged entities of the examined files, which stay as tools have changed them; at most 1,000.
    pub diverged: Vec<SyncKept>,
    /// All of these.
    pub diverged_count: u64,
    /// Entities that lost their file and stay as entities of tools; at most 1,000.
    pub released: Vec<SyncKept>,
    /// All of these.
    pub released_count: u64,
    /// Contradictions of the branch after the sync; at most 100.
    pub contradictions: Vec<SyncContradiction>,
    /// All of these.
    pub contradiction_count: u64,
    /// Whether anything was stored.
    pub stored: bool,
    /// Whether it was written to a copy of the branch that then replaced it, because it is larger than a transaction.
    pub staged: bool,
    /// Snapshot of the branch after the sync.
    pub snapshot_id: String,
    /// Opaque; changes with every sync that stores something.
    pub sync_id: String,
}

/// A problem of a document. The rest of it is synced.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct SyncProblem {
    /// Path of the file.
    pub path: String,
    /// Line of the entity, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Id of the entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// What is wrong.
    pub message: String,
    /// How to correct it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// An entity that a sync has kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct SyncKept {
    /// Id of the entity.
    pub id: String,
    /// Path of its file.
    pub path: String,
    /// Why it was kept.
    #[serde(default)]
    pub reason: KeptReason,
}

/// Why a sync has kept an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptReason {
    /// A tool has changed it.
    #[default]
    Diverged,
    /// Entities of tools, or diverged ones, refer to it.
    Referred,
}

/// A contradiction between requirements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncContradiction {
    /// Ids of the requirements.
    pub requirements: Vec<String>,
    /// Why they contradict each other.
    pub reason: String,
}

/// Files that a branch was synced from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SyncedFiles {
    /// Files, ordered by path.
    pub files: Vec<SyncedFile>,
    /// Opaque; changes with every sync that stores something.
    pub sync_id: String,
    /// Time of the last sync that stored something, ISO 8601; null if there was none.
    pub last_sync_at: Option<String>,
}

/// A file that a branch was synced from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SyncedFile {
    /// Path below the root of the working tree.
    pub path: String,
    /// Hash of the content that was synced.
    pub hash: String,
    /// Ids of its entities, sorted.
    pub entities: Vec<String>,
    /// Those of them that tools have changed since, sorted.
    pub diverged: Vec<String>,
    /// Whether its last sync had problems.
    pub problems: bool,
    /// Whether the next sync has to send it even if its content has not changed: it had problems, or entities of it
    /// have diverged or are missing.
    pub resend: bool,
}
