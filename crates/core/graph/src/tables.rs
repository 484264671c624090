//! Keyspaces and events of this memory: 64 to 79. The engine lists them with all others.

use cairn_seam::{EventKind, Keyspace};

/// (scope) → the last concept and the last link that got a number, and how often the schema changed.
pub const COUNTERS: Keyspace = Keyspace::new(64, "graph-counters");
/// (scope, type, concept) → the concept.
pub const CONCEPTS: Keyspace = Keyspace::new(65, "concepts");
/// (scope, concept) → its type.
pub const HOMES: Keyspace = Keyspace::new(66, "concept-types");
/// (scope, hash of a name, type) → the concept that has it.
pub const NAMES: Keyspace = Keyspace::new(67, "concept-names");
/// (scope, link) → the link.
pub const LINKS: Keyspace = Keyspace::new(68, "links");
/// (scope, subject, predicate, object) → the link, and the types of its ends.
pub const SPO: Keyspace = Keyspace::new(69, "links-by-subject");
/// (scope, predicate, subject, object) → the same.
pub const PSO: Keyspace = Keyspace::new(70, "links-by-predicate");
/// (scope, object, predicate, subject) → the same.
pub const OPS: Keyspace = Keyspace::new(71, "links-by-object");
/// (scope, kind of count, number, number) → how many there are.
pub const STATISTICS: Keyspace = Keyspace::new(72, "graph-statistics");
/// (tenant, none, hash of a name) → the number of that space, and its name.
pub const SPACES: Keyspace = Keyspace::new(73, "spaces");
/// (tenant, none, number) → the name of a space.
pub const SPACE_NAMES: Keyspace = Keyspace::new(74, "space-names");
/// (scope) → the ordered indexes of the space.
pub const INDEXES: Keyspace = Keyspace::new(75, "graph-indexes");
/// (scope, index, bytes of a value, concept) → nothing.
pub const INDEX_ENTRIES: Keyspace = Keyspace::new(76, "graph-index-entries");
/// (tenant, none, number) → that the space is staged, being deleted, or a copy whose documents are still derived; under
/// number 0 the last number that a space got.
pub const SPACE_STATES: Keyspace = Keyspace::new(77, "space-states");

/// Every ordered keyspace of this memory.
pub const KEYSPACES: &[Keyspace] = &[
    COUNTERS,
    CONCEPTS,
    HOMES,
    NAMES,
    LINKS,
    SPO,
    PSO,
    OPS,
    STATISTICS,
    SPACES,
    SPACE_NAMES,
    INDEXES,
    INDEX_ENTRIES,
    SPACE_STATES,
];

/// A concept was made or changed. The body is the space and the concept, two varints.
pub const CONCEPT_CHANGED: EventKind = EventKind(64);
/// A concept was deleted. The body is the space and the concept, two varints.
pub const CONCEPT_DELETED: EventKind = EventKind(65);
/// A link that has or had text was made or changed. The body is the space and the link, two varints.
pub const LINK_CHANGED: EventKind = EventKind(66);
/// A link that had text was deleted. The body is the space and the link, two varints.
pub const LINK_DELETED: EventKind = EventKind(67);
/// A space was made. The body is its number, a varint.
pub const SPACE_CREATED: EventKind = EventKind(68);
/// A copy of a space got its name. The body is its number, a varint.
pub const SPACE_PUBLISHED: EventKind = EventKind(69);
/// A space lost its name, and its rows go. The body is its number, a varint.
pub const SPACE_DELETED: EventKind = EventKind(70);
/// Concepts came with the copy of a space. The body is the space, the concept before the first of them and the last
/// one, three varints.
pub const CONCEPTS_COPIED: EventKind = EventKind(71);
/// Links with text came with the copy of a space. The body is the space, the link before the first of them and the
/// last one, three varints.
pub const LINKS_COPIED: EventKind = EventKind(72);

/// Every kind of event of this memory and what people call it.
pub const EVENT_KINDS: &[(EventKind, &str)] = &[
    (CONCEPT_CHANGED, "concept_changed"),
    (CONCEPT_DELETED, "concept_deleted"),
    (LINK_CHANGED, "link_changed"),
    (LINK_DELETED, "link_deleted"),
    (SPACE_CREATED, "space_created"),
    (SPACE_PUBLISHED, "space_published"),
    (SPACE_DELETED, "space_deleted"),
    (CONCEPTS_COPIED, "concepts_copied"),
    (LINKS_COPIED, "links_copied"),
];
