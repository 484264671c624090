//! Limits of the exchange formats: bundles, one-artifact exports, content identifiers, text extraction.

use cairn_base::{KIB, MIB};

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
pub const BUNDLE_PAYLOAD_BYTES_MAX: usize = 256 * KIB;
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
