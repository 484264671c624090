//! Keyspaces and events of this memory: 16 to 47. The engine lists them with all others.

use cairn_seam::{EventKind, HashedKeyspace, Keyspace};

/// (scope) → the last context and the last turn that got a number.
pub const COUNTERS: Keyspace = Keyspace::new(16, "turn-counters");
/// (scope, context) → its head, and where it comes from.
pub const CONTEXTS: Keyspace = Keyspace::new(17, "contexts");
/// (scope, turn) → the turn, without its payload, which is a blob.
pub const TURNS: Keyspace = Keyspace::new(18, "turns");
/// (scope, turn) → the root of a file tree that was attached after the turn was appended.
pub const TREES: Keyspace = Keyspace::new(19, "turn-trees");
/// (scope, number) → the name of a declared type.
pub const TYPES: Keyspace = Keyspace::new(20, "turn-types");
/// (scope, hash of a name) → the number of that type.
pub const TYPE_NUMBERS: Keyspace = Keyspace::new(21, "turn-type-numbers");
/// (scope, turn, child) → nothing: the child was appended to another context than the turn.
pub const BRANCHES: Keyspace = Keyspace::new(22, "turn-branches");
/// (scope, hash of an id) → the bytes of a bundle, a blob, and its id.
pub const BUNDLES: Keyspace = Keyspace::new(23, "registry-bundles");
/// (scope, type, version) → the descriptor, JSON.
pub const DESCRIPTORS: Keyspace = Keyspace::new(24, "registry-types");
/// (scope, hash of an id) → the id and the labels of an enum, JSON.
pub const ENUMS: Keyspace = Keyspace::new(25, "registry-enums");
/// (scope) → how often the registry grew, how large it is, and by which bundle.
pub const REGISTRY: Keyspace = Keyspace::new(26, "registry");
/// (scope, first turn) → what its payload says about the history.
pub const METADATA: Keyspace = Keyspace::new(27, "context-metadata");
/// (scope, context) → the first turn of the chain of its head.
pub const ROOTS: Keyspace = Keyspace::new(28, "context-roots");
/// (scope, field, hash of what it says, context) → nothing.
pub const TERMS: Keyspace = Keyspace::new(29, "context-terms");
/// (scope, context, fork) → nothing: the fork started from a turn that was appended to the context.
pub const FORKS: Keyspace = Keyspace::new(30, "context-forks");
/// (scope, block of contexts) → the earliest and the latest time at which one of them was made.
pub const TIMES: Keyspace = Keyspace::new(31, "context-times");
/// (scope, import, context there) → the context here, and which turn was made its head.
pub const IMPORTED_CONTEXTS: Keyspace = Keyspace::new(36, "imported-contexts");
/// (scope, import, turn there) → the turn here.
pub const IMPORTED_TURNS: Keyspace = Keyspace::new(37, "imported-turns");
/// (scope, how many were taken before and with it) → a bundle, as in [`BUNDLES`]: the order counts.
pub const BUNDLE_ORDER: Keyspace = Keyspace::new(38, "registry-order");

/// Every ordered keyspace of this memory.
pub const KEYSPACES: &[Keyspace] = &[
    COUNTERS,
    CONTEXTS,
    TURNS,
    TREES,
    TYPES,
    TYPE_NUMBERS,
    BRANCHES,
    BUNDLES,
    DESCRIPTORS,
    ENUMS,
    REGISTRY,
    METADATA,
    ROOTS,
    TERMS,
    FORKS,
    TIMES,
    IMPORTED_CONTEXTS,
    IMPORTED_TURNS,
    BUNDLE_ORDER,
];

/// (scope, context, key of the client) → what was answered the first time.
pub const IDEMPOTENCY: HashedKeyspace = HashedKeyspace::new(16, "turn-idempotency");

/// A context was made or forked. The body is its number, a varint.
pub const CONTEXT_CREATED: EventKind = EventKind(16);
/// A turn was appended. The body is its number, a varint.
pub const TURN_APPENDED: EventKind = EventKind(17);
/// A file tree was attached to a turn that was there already. The body is the turn's number, a varint.
pub const TREE_ATTACHED: EventKind = EventKind(18);
/// A bundle was taken into the registry. The body is the number of bundles so far, a varint.
pub const BUNDLE_PUBLISHED: EventKind = EventKind(19);
/// A context was pruned. The body is its number, a varint.
pub const CONTEXT_PRUNED: EventKind = EventKind(36);
/// A turn that nothing reached any more was pruned. The body is its number, a varint.
pub const TURN_PRUNED: EventKind = EventKind(37);
/// A context got metadata: its first turn says something. The body is the context's number, a varint.
pub const METADATA_UPDATED: EventKind = EventKind(38);

/// Every kind of event of this memory and what people call it.
pub const EVENT_KINDS: &[(EventKind, &str)] = &[
    (CONTEXT_CREATED, "context_created"),
    (TURN_APPENDED, "turn_appended"),
    (TREE_ATTACHED, "tree_attached"),
    (BUNDLE_PUBLISHED, "bundle_published"),
    (CONTEXT_PRUNED, "context_pruned"),
    (TURN_PRUNED, "turn_pruned"),
    (METADATA_UPDATED, "context_metadata_updated"),
];
