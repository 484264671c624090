//! Limits of artifacts. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a payload without its content.
pub const PAYLOAD_BYTES_MAX: usize = 256 * KIB;
/// Bytes of a payload that is stored in its record; a longer one is stored as a blob.
pub const PAYLOAD_INLINE_BYTES_MAX: usize = 32 * KIB;
/// Bytes of content that travel inside of a publish request, as base64.
pub const CONTENT_INLINE_BYTES_MAX: usize = 8 * MIB;
/// Characters of a title.
pub const TITLE_CHARS_MAX: usize = 512;
/// Characters of a summary.
pub const SUMMARY_CHARS_MAX: usize = 500;
/// Tags of one artifact.
pub const TAGS_MAX: usize = 64;
/// Characters of one tag.
pub const TAG_CHARS_MAX: usize = 128;
/// Bytes of `source`, `team`, `format`, `content_url` and other short texts of a payload.
pub const SHORT_TEXT_BYTES_MAX: usize = 2 * KIB;
/// Bytes of `format`.
pub const FORMAT_BYTES_MAX: usize = 64;
/// Parents of one artifact.
pub const PARENTS_MAX: usize = 256;
/// Data sources of one artifact.
pub const DATA_SOURCES_MAX: usize = 1024;
/// Numbers of an embedding.
pub const EMBEDDING_NUMBERS_MAX: usize = 4096;
/// Entries of all three lists of an ACL together.
pub const ACL_ENTRIES_MAX: usize = 256;
/// Bytes of all entries of an ACL together: they are stored in the record.
pub const ACL_BYTES_MAX: usize = 16 * KIB;
/// Other tenants that one ACL names: each of them finds the artifact in a search partition of its own.
pub const ACL_TENANTS_MAX: usize = 32;
/// Difference between the timestamp of a payload and the clock of the node on a direct publish.
pub const TIMESTAMP_WINDOW: Duration = Duration::from_secs(5 * 60);
/// Characters of the reason of a tombstone.
pub const REASON_CHARS_MAX: usize = 500;
/// Levels of a lineage that one request walks.
pub const LINEAGE_DEPTH_MAX: usize = 1000;
/// Levels of a lineage, unless the request says otherwise.
pub const LINEAGE_DEPTH_DEFAULT: usize = 10;
/// Nodes of one lineage response.
pub const LINEAGE_NODES_MAX: usize = 10_000;
/// Nodes of one lineage response, unless the request says otherwise.
pub const LINEAGE_NODES_DEFAULT: usize = 500;
/// Ancestors that are looked at to find out whether a publish would close a cycle.
pub const CYCLE_NODES_MAX: usize = 10_000;
/// Artifacts in the quarantine of one tenant.
pub const QUARANTINE_MAX: usize = 10_000;
/// Bytes of content that are searched.
pub const SEARCHED_CONTENT_BYTES_MAX: usize = 256 * KIB;
/// Characters of the preview of a search result.
pub const PREVIEW_CHARS: usize = 200;
/// Tenants other than its own in which children of one artifact are looked for.
pub const CHILD_TENANTS_MAX: usize = 256;
