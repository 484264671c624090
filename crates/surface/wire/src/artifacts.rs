//! Published artifacts (KCP): responses of `/kcp/v1`, and of the routes beside it.
//!
//! An artifact itself is free-form JSON: the payload that its author signed, with `signature`, and with what this node
//! knows of it under `_cairn`. Verifiers leave out keys that begin with `_`, so what was signed can be verified as it
//! comes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use crate::json_text::JsonText;

/// What this node knows of an artifact, under `_cairn`. Nobody signed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactAbout)]
pub struct About {
    /// The address of the artifact.
    #[schema(example = "cairn://artifact/550e8400-e29b-41d4-a716-446655440000")]
    pub uri: String,
    /// The signer: `author`, or `node` for an author whom the node had authenticated.
    #[schema(example = "author")]
    pub attested_by: String,
    /// The key that verifies the signature, 64 hexadecimal digits.
    pub public_key: String,
    /// The id of the node that accepted it; null if that node had none.
    pub accepted_by: Option<String>,
    /// The time at which this node accepted it.
    #[schema(example = "2026-11-18T12:34:56.789Z")]
    pub received_at: String,
    /// The CID of the content (CIDv1, raw, sha2-256).
    #[schema(example = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku")]
    pub cid: String,
    /// Whether the content is stored on this node.
    pub has_content: bool,
    /// Bytes of the content; null if it is not stored here.
    pub content_bytes: Option<u64>,
    /// Whether `content_url` is the CID of this very content; null if it cannot be told, or there is none.
    pub content_url_verified: Option<bool>,
    /// A parent that was added after the artifact was signed.
    pub derived_from: Option<String>,
    /// Times that the artifact was read.
    pub reads: u64,
    /// Times that its content was read.
    pub downloads: u64,
    /// Artifacts that are derived from it and that the caller may read.
    pub citations: u64,
}

/// A page of a list or a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactsFound)]
pub struct Found {
    /// The artifacts: the best first with `q`, the newest first without.
    pub results: Vec<FoundArtifact>,
    /// The same as whole artifacts; only without `q`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>)]
    pub artifacts: Option<Vec<JsonText>>,
    /// How many there are in all that the caller may read.
    pub total: u64,
    /// Milliseconds that the query took.
    pub query_time_ms: u64,
    /// Search terms that were not looked for.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// Queries that may have been meant.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// Whether something that was published before may be missing.
    #[serde(default)]
    pub behind: bool,
    /// Whether the search index is being rebuilt, and this is what it holds so far.
    #[serde(default)]
    pub rebuilding: bool,
}

/// An artifact of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactFound)]
pub struct FoundArtifact {
    /// Its id.
    #[schema(example = "550e8400-e29b-41d4-a716-446655440000")]
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its summary; empty for none.
    pub summary: String,
    /// The time at which it was signed, as its author wrote it.
    #[schema(example = "2026-11-18T12:34:56Z")]
    pub created_at: String,
    /// How well it matches, from 0 to 1; 1 without `q`.
    #[schema(example = 0.94)]
    pub relevance: f64,
    /// The first 200 characters of its content with `q`; of its summary without, or if it has no text.
    pub preview: String,
    /// The format of its content.
    #[schema(example = "markdown")]
    pub format: String,
    /// Its author.
    pub user_id: String,
    /// The author's tenant.
    pub tenant_id: String,
    /// Its team; empty for none.
    pub team: String,
    /// `public`, `org`, `team` or `private`.
    pub visibility: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// SHA-256 of its content.
    pub content_hash: String,
    /// Times that it was read.
    pub reads: u64,
    /// Times that its content was read.
    pub downloads: u64,
    /// Artifacts that are derived from it and that the caller may read.
    pub citations: u64,
}

/// The lineage of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactLineage)]
pub struct Lineage {
    /// The artifact.
    pub artifact_id: String,
    /// All artifacts, each after everything that it was derived from.
    pub lineage: Vec<LineageItem>,
    /// Ids of ancestors, the nearest first.
    pub ancestors: Vec<String>,
    /// Ids of descendants, the nearest first.
    pub descendants: Vec<String>,
    /// Derivations between them.
    pub edges: Vec<LineageEdge>,
    /// Whether there is more than `depth` and `limit` allow.
    pub truncated: bool,
    /// Artifacts next to those here that were left out, at least.
    pub left_out: u64,
}

/// An artifact of a lineage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactLineageItem)]
pub struct LineageItem {
    /// Its id.
    pub id: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The author's tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The time at which it was signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// The format of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Its first parent; null for a root.
    pub derived_from: Option<String>,
    /// Whether it was deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// Whether the caller may not read it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Whether this node has no such artifact for the caller.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missing: bool,
}

/// A derivation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactLineageEdge)]
pub struct LineageEdge {
    /// The parent.
    pub from: String,
    /// The child.
    pub to: String,
    /// Whether the signer of the child said so.
    pub attested: bool,
}

/// Artifacts that are derived from one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactDerivatives)]
pub struct Derivatives {
    /// The artifact.
    pub artifact_id: String,
    /// Its children.
    pub derivatives: Vec<LineageItem>,
    /// Whether there are more than `limit` allows.
    pub truncated: bool,
}

/// An artifact that was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactDeleted)]
pub struct Deleted {
    /// The artifact.
    pub id: String,
    /// The time of the deletion.
    pub deleted_at: String,
}

/// The outcome of a verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactVerified)]
pub struct Verified {
    /// Whether it verifies.
    pub valid: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The time of the verification.
    pub verified_at: String,
    /// The artifact.
    pub id: String,
    /// Its author.
    pub user_id: String,
    /// The author's tenant.
    pub tenant_id: String,
    /// The key that verifies it; null if none does.
    pub public_key: Option<String>,
    /// The signer: `author` or `node`.
    pub attested_by: String,
}

/// The keys of an author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactAuthorKeys)]
pub struct AuthorKeys {
    /// The author's tenant.
    pub tenant_id: String,
    /// The author.
    pub user_id: String,
    /// The keys, revoked ones included.
    pub keys: Vec<AuthorKey>,
}

/// A key of an author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactAuthorKey)]
pub struct AuthorKey {
    /// The public key, 64 hexadecimal digits.
    pub public_key: String,
    /// The time at which it was registered.
    pub created_at: String,
    /// The time at which it was revoked; null if it is valid.
    pub revoked_at: Option<String>,
}

/// Content that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactContentStored)]
pub struct ContentStored {
    /// SHA-256 of the content.
    pub content_hash: String,
    /// The CID of the content.
    pub cid: String,
    /// Bytes of the content.
    pub bytes: u64,
    /// Whether it was not stored before.
    pub was_new: bool,
}

/// The state of a node, for its peers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = KcpHealth)]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// The id of the node; null if it has none.
    pub node_id: Option<String>,
    /// Artifacts that the caller may read.
    pub artifacts: u64,
    /// Peers of the node.
    pub peers: u64,
    /// The version of the protocol.
    #[schema(example = "0.2.0")]
    pub kcp_version: String,
    /// The name of the protocol.
    #[schema(example = "KCP/1")]
    pub protocol: String,
}

/// Ids of all artifacts of a tenant, for its administrators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactIds)]
pub struct Ids {
    /// The ids, in the order in which the artifacts arrived.
    pub ids: Vec<String>,
    /// The `cursor` of the next page; null if this is the last.
    pub next_cursor: Option<String>,
}

/// An event of `/kcp/v1/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactEvent)]
pub struct Event {
    /// The artifact.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its author.
    pub user_id: String,
    /// The author's tenant.
    pub tenant_id: String,
    /// Its team; empty for none.
    pub team: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The format of its content.
    pub format: String,
    /// The time at which it was signed.
    pub created_at: String,
    /// The time at which it was deleted; null if it was not.
    pub deleted_at: Option<String>,
}

/// The outcome of an import of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactImportReport)]
pub struct ImportReport {
    /// Artifacts that were imported.
    pub imported: u64,
    /// Artifacts that were here already.
    pub known: u64,
    /// Artifacts whose authors are not known here: stored, and not served.
    pub quarantined: u64,
    /// Artifacts that were refused.
    pub refused: u64,
    /// Tombstones that were applied.
    pub tombstones: u64,
    /// Bytes of content that were stored.
    pub content_bytes: u64,
    /// Bytes behind the last signed head, which were ignored.
    pub torn_bytes: u64,
    /// What was quarantined or refused, and why; at most 1,000.
    pub notes: Vec<ImportNote>,
}

/// An artifact that was not imported as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ArtifactImportNote)]
pub struct ImportNote {
    /// The artifact.
    pub id: String,
    /// `quarantined` or `refused`.
    pub outcome: String,
    /// Why.
    pub reason: String,
}
