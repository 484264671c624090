//! Limits of turns, contexts and types. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::KIB;

/// Bytes of a declared type's id.
pub const TYPE_ID_BYTES_MAX: usize = 256;
/// Bytes of an idempotency key.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 256;
/// How long an idempotency key is remembered at least.
pub const IDEMPOTENCY_REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of a bundle of the type registry: it is a blob inside a commit.
pub const REGISTRY_BUNDLE_BYTES_MAX: usize = cairn_seam::limits::BLOB_IN_COMMIT_BYTES_MAX;
/// Bytes of all types and enums of a tenant together: they are kept in memory.
pub const REGISTRY_BYTES_MAX: u64 = 64 << 20;
/// Fields of one version of a type.
pub const REGISTRY_FIELDS_MAX: usize = 1000;
/// Labels of one enum.
pub const REGISTRY_LABELS_MAX: usize = 10_000;
/// Bytes of an address of a renderer.
pub const REGISTRY_URL_BYTES_MAX: usize = 2048;
/// Bytes of a text in the metadata of a context; longer ones are left out.
pub const METADATA_TEXT_BYTES_MAX: usize = KIB;
/// Bytes of a label of a context; longer ones are left out.
pub const METADATA_LABEL_BYTES_MAX: usize = 256;
/// Labels of one context; more are left out.
pub const METADATA_LABELS_MAX: usize = 64;
/// Bytes of names and texts of a map in the metadata of a context, 8 more for each; more are left out. With
/// the other limits all of it fits into one record.
pub const METADATA_TEXTS_BYTES_MAX: usize = 8 * KIB;
/// Bytes of a query for contexts.
pub const QUERY_BYTES_MAX: usize = 64 * KIB;
/// Levels of parentheses and negations in a query.
pub const QUERY_LEVELS_MAX: usize = 64;
/// Values that a query compares with.
pub const QUERY_VALUES_MAX: usize = 1000;
/// Contexts that one search looks at; then it says that there may be more.
pub const SEARCH_VISITS_MAX: usize = 100_000;
/// Contexts that are told of above one in the tree of forks.
pub const FORK_PARENTS_MAX: usize = 100;
/// Longest name that an import can have.
pub const IMPORT_ID_BYTES_MAX: usize = 256;
/// Turns, and blobs, that the end of an export names as unreadable; beyond, they are counted.
pub const EXPORT_UNREADABLE_LISTED_MAX: usize = 1000;
/// Entries of one folder in a file tree.
pub const TREE_ENTRIES_MAX: u32 = 1_000_000;
/// Bytes of a name in a file tree.
pub const TREE_NAME_BYTES_MAX: usize = 255;
/// Turns that are looked at for a file tree that was attached late.
pub const TREE_WALK_MAX: usize = 10_000;
