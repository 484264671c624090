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
    /// Nobody compared them, and nothing else shows that they differ.
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
    /// Files and KB are known to differ.
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
    /// Time of the last sync that stored something, ISO 8601; null if there was none.
    #[serde(default)]
    pub last_sync_at: Option<String>,
    /// Entities that documents own.
    #[serde(default)]
    pub file_owned: u64,
    /// Those of them that tools have changed since their documents were synced.
    #[serde(default)]
    pub diverged: u64,
    /// Files whose last sync had problems.
    #[serde(default)]
    pub files_with_problems: u64,
    /// Differences between the working tree and the KB; the first of them. Unless the process that has the working tree
    /// compared them, only the numbers of diverged entities and of documents with problems are known.
    #[serde(default)]
    pub stale_reasons: Vec<String>,
    /// All of these.
    #[serde(default)]
    pub stale_reason_count: u64,
    /// The branch that this one was copied from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied_from: Option<String>,
}

impl StatusOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let StatusOutput { branch, snapshot_id, entities, relationships, file_owned, diverged, .. } = self;
        let synced = self.synced_at.as_deref().unwrap_or("never");
        let state = match self.sync_state {
            SyncState::Fresh => "fresh",
            SyncState::Stale => "stale",
            SyncState::Unknown => "unknown",
        };
        let last_sync = self.last_sync_at.as_deref().unwrap_or("never");
        let mut text = format!(
            "Branch {branch}: {entities} entities, {relationships} relationships. Last write: {synced}. \
             Freshness: {state}. Snapshot: {snapshot_id}.\nLast sync: {last_sync}. {file_owned} entities of documents, \
             {diverged} of them diverged; {} documents with problems.",
            self.files_with_problems
        );
        self.stale_reasons.iter().for_each(|reason| text.push_str(&format!("\nStale: {reason}")));
        let more = self.stale_reason_count.saturating_sub(self.stale_reasons.len() as u64);
        if more > 0 {
            text.push_str(&format!("\nStale: {more} more"));
        }
        super::bounded(text)
    }
}
