//! Results of exports, imports and pruning.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The last line of an export of turns, inside of `end`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportEnd {
    /// Contexts that were exported.
    pub contexts: u64,
    /// Turns that were exported, those without their payloads included.
    pub turns: u64,
    /// Blobs of file trees.
    pub blobs: u64,
    /// Bundles of the registry.
    pub bundles: u64,
    /// What is missing, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<ExportMissing>,
}

/// What an export lacks because it cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportMissing {
    /// Turns without their payloads.
    pub turns: u64,
    /// Turns without their file trees.
    pub trees: u64,
    /// Blobs of file trees.
    pub blobs: u64,
    /// Bundles of the registry.
    pub bundles: u64,
    /// The first of these turns.
    pub turn_ids: Vec<String>,
    /// The first of the blobs and bundles.
    pub blob_hashes: Vec<String>,
}

/// What was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportReport {
    /// Contexts that are new here.
    pub contexts: u64,
    /// Turns that are new here.
    pub turns: u64,
    /// Blobs of file trees that are new here.
    pub blobs: u64,
    /// Bundles of the registry that are new here.
    pub bundles: u64,
    /// Turns among these that are placeholders: the exporting store could not read their payloads.
    #[serde(default)]
    pub placeholders: u64,
    /// What was there already: imported before under the same id, or the same content.
    pub skipped: u64,
}

/// What was imported; of a dry run, what would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KipImportReport {
    /// Concepts that are new.
    pub concepts_created: u64,
    /// Concepts that have changed.
    pub concepts_changed: u64,
    /// Links that are new.
    pub links_created: u64,
    /// Links that have changed.
    pub links_changed: u64,
    /// Concepts and links that were so already.
    pub unchanged: u64,
    /// Bytes at the beginning that an earlier run had imported, and that were passed over.
    pub bytes_skipped: u64,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Elements behind those that a dry run tries: only their form was looked at.
    pub only_read: u64,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
}

/// What to prune: exactly one of `older_than_ms`, `keep` and `contexts`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PruneJob {
    /// Contexts in which nothing happened for so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_ms: Option<u64>,
    /// All contexts but so many in which something happened last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u64>,
    /// These contexts; those that are gone already are passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<String>>,
    /// Whether to do it; otherwise it is only said what it would come to.
    #[serde(default)]
    pub apply: bool,
}

/// What was or would be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PruneReport {
    /// Contexts.
    pub contexts: u64,
    /// Turns that no other context reaches.
    pub turns: u64,
    /// Bytes of their payloads; their space comes back when the store is compacted.
    pub payload_bytes: u64,
    /// Contexts that stay.
    pub contexts_kept: u64,
    /// Turns that stay.
    pub turns_kept: u64,
    /// Whether it was done.
    pub applied: bool,
}
