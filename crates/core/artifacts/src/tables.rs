//! Keyspaces and events of this memory: 80 to 95. The engine lists them with all others.
//!
//! Ids are unique on a node, so the tenant of an id is the node's to know; everything else is stored in the tenant.

use cairn_seam::{EventKind, HashedKeyspace, Keyspace};

/// (node, none, artifact) → the tenant that holds it.
pub const HOMES: Keyspace = Keyspace::new(80, "artifact-homes");
/// (node, none, parent, tenant) → nothing: the tenant may hold children of an artifact of another tenant.
pub const CHILD_HOMES: Keyspace = Keyspace::new(81, "artifact-child-homes");
/// (node, none, hash of the name of a tenant) → the number of its search partition, and the name.
pub const GRANTEES: Keyspace = Keyspace::new(82, "artifact-grantees");
/// (tenant, none, artifact) → the artifact.
pub const ARTIFACTS: Keyspace = Keyspace::new(83, "artifacts");
/// (tenant, none, artifact) → its tombstone.
pub const TOMBSTONES: Keyspace = Keyspace::new(84, "artifact-tombstones");
/// (tenant, none, parent, child) → whether the author of the child signed it.
pub const CHILDREN: Keyspace = Keyspace::new(85, "artifact-children");
/// (tenant, none, time, artifact) → nothing: artifacts in the order in which they arrived.
pub const ARRIVALS: Keyspace = Keyspace::new(86, "artifact-arrivals");
/// (tenant, none, SHA-256, artifact) → nothing: artifacts with this content.
pub const CONTENTS: Keyspace = Keyspace::new(87, "artifact-contents");
/// (tenant, none, content hash, artifact) → nothing: the same by the name of the blob.
pub const CONTENT_BLOBS: Keyspace = Keyspace::new(88, "artifact-content-blobs");
/// (tenant, none, hash of a user, artifact) → nothing: artifacts of an author.
pub const AUTHORS: Keyspace = Keyspace::new(89, "artifact-authors");
/// (tenant, none, audience) → the marks of its readers.
pub const AUDIENCES: Keyspace = Keyspace::new(90, "artifact-audiences");
/// (tenant, none, parent, audience) → how many artifacts with this audience are derived from it.
pub const CITATIONS: Keyspace = Keyspace::new(91, "artifact-citations");
/// (tenant, none, artifact) → how often it was read and downloaded.
pub const USAGE: Keyspace = Keyspace::new(92, "artifact-usage");
/// (tenant, none, time, artifact) → nothing: content of deleted artifacts that goes at this time.
pub const PURGES: Keyspace = Keyspace::new(93, "artifact-purges");
/// (tenant, none, artifact) → an imported artifact whose author is not known here.
pub const QUARANTINE: Keyspace = Keyspace::new(94, "artifact-quarantine");
/// (node, none, SHA-256, tenant) → nothing: the tenant may hold content that other tenants may read.
pub const CONTENT_HOMES: Keyspace = Keyspace::new(95, "artifact-content-homes");

/// Every ordered keyspace of this memory.
pub const KEYSPACES: &[Keyspace] = &[
    HOMES,
    CHILD_HOMES,
    GRANTEES,
    ARTIFACTS,
    TOMBSTONES,
    CHILDREN,
    ARRIVALS,
    CONTENTS,
    CONTENT_BLOBS,
    AUTHORS,
    AUDIENCES,
    CITATIONS,
    USAGE,
    PURGES,
    QUARANTINE,
    CONTENT_HOMES,
];

/// (tenant, SHA-256, hash of a user) → the blob that the user uploaded, and its length.
pub const UPLOADS: HashedKeyspace = HashedKeyspace::new(80, "artifact-uploads");

/// An artifact was published or imported. The body is its id, 16 bytes.
pub const ARTIFACT_PUBLISHED: EventKind = EventKind(80);
/// An artifact was deleted. The body is its id, 16 bytes.
pub const ARTIFACT_DELETED: EventKind = EventKind(81);
/// Everything of an artifact but its id was erased. The body is its id, 16 bytes.
pub const ARTIFACT_ERASED: EventKind = EventKind(82);

/// Every kind of event of this memory and what people call it.
pub const EVENT_KINDS: &[(EventKind, &str)] = &[
    (ARTIFACT_PUBLISHED, "artifact_published"),
    (ARTIFACT_DELETED, "artifact_deleted"),
    (ARTIFACT_ERASED, "artifact_erased"),
];
