//! Keyspaces and events of this memory: 112 to 127. The engine lists them with all others.

use cairn_seam::{EventKind, Keyspace};

/// (tenant, none, hash of a workspace, hash of a branch) → the branch: its space and where it comes from.
pub const BRANCHES: Keyspace = Keyspace::new(112, "kb-branches");
/// (scope) → how often the branch was written to, and when last.
pub const VERSIONS: Keyspace = Keyspace::new(113, "kb-versions");

/// Every ordered keyspace of this memory.
pub const KEYSPACES: &[Keyspace] = &[BRANCHES, VERSIONS];

/// A branch got a KB. The body is the number of its space, a varint.
pub const BRANCH_CREATED: EventKind = EventKind(112);
/// The KB of a branch was deleted. The body is the number of its space, a varint.
pub const BRANCH_DELETED: EventKind = EventKind(113);

/// Every kind of event of this memory and its name.
pub const EVENT_KINDS: &[(EventKind, &str)] =
    &[(BRANCH_CREATED, "kb_branch_created"), (BRANCH_DELETED, "kb_branch_deleted")];
