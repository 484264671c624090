//! Limits of concepts, links and their indexes. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a concept's name.
pub const CONCEPT_NAME_BYTES_MAX: usize = KIB;
/// Bytes of the key of an attribute, or of metadata.
pub const ELEMENT_KEY_BYTES_MAX: usize = 256;
/// Bytes of the attributes and metadata of a concept or a link together: they fit into one blob.
pub const ELEMENT_BYTES_MAX: usize = cairn_seam::limits::BLOB_IN_COMMIT_BYTES_MAX;
/// A longer record of a concept or a link keeps its attributes and metadata in a blob.
pub const ELEMENT_INLINE_BYTES_MAX: usize = 48 * KIB;
/// Levels of arrays and objects inside each other in one attribute.
pub const ELEMENT_LEVELS_MAX: usize = 64;
/// Links about links inside of each other: one command, and one line of JSON, has room for so many brackets.
pub const LINK_LEVELS_MAX: usize = 24;
/// Links that one link about links is about, those inside of others included and each as often as it is there.
pub const LINKS_INSIDE_MAX: usize = 64;
/// Bytes of the name of a space.
pub const SPACE_NAME_BYTES_MAX: usize = 384;
/// Ordered indexes of one space; those that are being dropped do not count.
pub const GRAPH_INDEXES_MAX: usize = 32;
/// Ordered indexes of one space, those that are being dropped included: their definitions are one record.
pub const GRAPH_INDEXES_HELD_MAX: usize = 48;
/// Keys on the way to the value that an ordered index holds, like the two of `attributes.context.place`.
pub const GRAPH_INDEX_PATH_KEYS_MAX: usize = 4;
/// Bytes that an entry of an ordered index holds of a value; a longer one is cut.
pub const GRAPH_INDEX_VALUE_BYTES_MAX: usize = 256;
/// Rows that one read makes on the way to its result, all together, and nodes that its paths come by.
pub const GRAPH_WORK_ROWS_MAX: u64 = 10_000_000;
/// Bytes that one read holds at once on the way to its result.
pub const GRAPH_WORK_BYTES_MAX: u64 = 256 * MIB as u64;
/// How long one read takes. It has to end before its snapshot does.
pub const GRAPH_WORK_TIME_MAX: Duration = Duration::from_secs(4);
/// Concepts or links that a sleep cycle looks at in one snapshot.
pub const SLEEP_PAGE: usize = 512;
/// Links that go with concepts in one transaction of a sleep cycle; of a concept that has more, these go first.
pub const SLEEP_STEP_LINKS: usize = 4_096;
/// Names and aliases of one type that a sleep cycle compares; others are counted.
pub const SLEEP_NAMES_MAX: usize = 1_000_000;
/// Links that a sleep cycle which changes nothing tells apart when it counts what would go with concepts.
pub const SLEEP_LINKS_MAX: usize = 1_000_000;
/// Rows of a space that is copied or deleted in one transaction.
pub const SPACE_STEP_ROWS: usize = 5_000;
/// Bytes of keys and values that are copied in one transaction.
pub const SPACE_STEP_BYTES: usize = 2 * MIB;
/// Rows of a space that changed while it was copied and are copied again in the transaction that publishes the copy.
pub const SPACE_PUBLISH_ROWS_MAX: usize = 20_000;
/// Concepts of a copied space, or links with text, whose documents are derived after one transaction.
pub const SPACE_DERIVE_PAGE: usize = 256;
