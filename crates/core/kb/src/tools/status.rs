//! `kb_status`: branch, snapshot and freshness.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Arguments of `kb_status`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusInput {
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Freshness of a KB compared with the files it describes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SyncState {
    /// Nothing has changed since.
    Fresh,
    /// Files have changed since.
    Stale,
    /// Nobody compared them.
    #[default]
    Unknown,
}

/// Result of `kb_status`; also the `meta` of reports.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusOutput {
    /// The workspace.
    pub workspace: String,
    /// The branch.
    pub branch: String,
    /// Opaque; changes with every write.
    pub snapshot_id: String,
    /// Time of the last write, ISO 8601; null if there was none.
    pub synced_at: Option<String>,
    /// Files are known to have changed since.
    pub dirty: bool,
    /// Freshness compared with files.
    pub sync_state: SyncState,
    /// URI of the branch.
    pub kb_path: String,
    /// Where `syncedAt` comes from: `persisted`, or `unknown` if there was no write.
    pub last_sync_source: String,
    /// Entities of the branch.
    pub entities: u64,
    /// Relationships of the branch.
    pub relationships: u64,
    /// The branch that this one was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<String>,
}

impl StatusOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let StatusOutput { branch, snapshot_id, entities, relationships, .. } = self;
        let synced = self.synced_at.as_deref().unwrap_or("never");
        let state = match self.sync_state {
            SyncState::Fresh => "fresh",
            SyncState::Stale => "stale",
            SyncState::Unknown => "unknown",
        };
        format!(
            "Branch {branch}: {entities} entities, {relationships} relationships. Last write: {synced}. \
             Freshness: {state}. Snapshot: {snapshot_id}."
        )
    }
}
