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
/// Tenants other than its own in which children of one artifact are looked for.
pub const CHILD_TENANTS_MAX: usize = 256;
/// Characters of a multibase text: a CID, or the key of a `did:key`.
pub const MULTIBASE_CHARS_MAX: usize = 256;
/// Bytes of an `ipfs://` URL.
pub const IPFS_URL_BYTES_MAX: usize = 2 * KIB;

/// Bytes of content that text is extracted from.
pub const EXTRACT_CONTENT_BYTES_MAX: usize = 256 * KIB;
/// Bytes of text that one extraction yields.
pub const EXTRACT_TEXT_BYTES_MAX: usize = 256 * KIB;
/// Characters of a preview.
pub const PREVIEW_CHARS_MAX: usize = 200;

/// Bytes of the signed payload of one artifact in a bundle.
pub const BUNDLE_PAYLOAD_BYTES_MAX: usize = PAYLOAD_BYTES_MAX;
/// Bytes of one content in a bundle.
pub const BUNDLE_CONTENT_BYTES_MAX: u64 = 1 << 30;
/// Bytes of the signed text of one tombstone in a bundle.
pub const BUNDLE_TOMBSTONE_BYTES_MAX: usize = 16 * KIB;
/// Bytes of a tenant name, and of a user name, in a public-key entry of a bundle.
pub const BUNDLE_NAME_BYTES_MAX: usize = KIB;
/// Entries of one bundle, signed heads not counted.
pub const BUNDLE_ENTRIES_MAX: u64 = 10_000_000;
/// Possible heads whose signatures are verified behind damage in a bundle.
pub const BUNDLE_HEADS_TRIED_MAX: usize = 64;
/// Artifacts whose signatures are verified as one batch.
pub const VERIFY_BATCH_ARTIFACTS_MAX: usize = 1000;
/// Bytes of the payloads of one batch of signatures.
pub const VERIFY_BATCH_BYTES_MAX: usize = 16 * MIB;
/// Bytes of a title or a name in a verification report; longer ones are cut.
pub const VERIFY_NAME_BYTES_MAX: usize = 512;
/// Bytes of an inclusion proof as JSON.
pub const PROOF_BYTES_MAX: usize = MIB;

/// Bytes of content in a one-artifact export; larger content needs a bundle.
pub const ONE_JSON_CONTENT_BYTES_MAX: usize = 8 * MIB;
/// Ancestors that a one-artifact export lists.
pub const ONE_JSON_LINEAGE_MAX: usize = 1000;
/// Bytes of a DSSE envelope.
pub const DSSE_BYTES_MAX: usize = MIB;
/// Characters of a title in a drawn lineage graph; longer ones are cut.
pub const GRAPH_LABEL_CHARS_MAX: usize = 80;
