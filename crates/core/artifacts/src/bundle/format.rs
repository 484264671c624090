//! The bytes around entries: header and frames.

use cairn_seam::Sha256;

use super::BundleError;
use super::entry::{ARTIFACT_FIXED_BYTES, DERIVED_FROM_BYTES, KEY_FIXED_BYTES, TOMBSTONE_FIXED_BYTES};
use super::head::HEAD_BYTES;
use crate::limits::{
    BUNDLE_CONTENT_BYTES_MAX, BUNDLE_NAME_BYTES_MAX, BUNDLE_PAYLOAD_BYTES_MAX, BUNDLE_TOMBSTONE_BYTES_MAX,
};
use crate::merkle::leaf_hash_of_parts;

/// The first bytes of a bundle. Bytes that text tools change show that one of them did.
const MAGIC: [u8; 8] = *b"\x89KCP\r\n\x1a\n";
/// The format that is written.
pub(super) const VERSION: u16 = 1;
/// Bytes of the header: magic, version, six reserved bytes, time of creation.
pub(super) const HEADER_BYTES: usize = 24;
/// Bytes in front of each body: kind, length, check value.
pub(super) const FRAME_BYTES: usize = 9;
/// Bytes of the SHA-256 in front of content.
pub(super) const CONTENT_NAME_BYTES: usize = 32;

/// Kinds of entries. The numbers are letters, to be recognised in a hex dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Artifact = 0x41,
    Content = 0x43,
    Head = 0x48,
    Key = 0x4b,
    Tombstone = 0x54,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Artifact, Kind::Content, Kind::Head, Kind::Key, Kind::Tombstone];

    pub(super) fn of(byte: u8) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }

    /// Returns whether a body can have so many bytes.
    pub(super) fn allows(self, length: u32) -> bool {
        let artifact = ARTIFACT_FIXED_BYTES + DERIVED_FROM_BYTES + BUNDLE_PAYLOAD_BYTES_MAX;
        let (min, max) = match self {
            Kind::Artifact => (ARTIFACT_FIXED_BYTES, artifact as u64),
            Kind::Content => (CONTENT_NAME_BYTES, CONTENT_NAME_BYTES as u64 + BUNDLE_CONTENT_BYTES_MAX),
            Kind::Head => (HEAD_BYTES, HEAD_BYTES as u64),
            Kind::Key => (KEY_FIXED_BYTES, (KEY_FIXED_BYTES + 2 * BUNDLE_NAME_BYTES_MAX) as u64),
            Kind::Tombstone => {
                (TOMBSTONE_FIXED_BYTES, (TOMBSTONE_FIXED_BYTES + BUNDLE_TOMBSTONE_BYTES_MAX) as u64)
            }
        };
        (min as u64..=max).contains(&u64::from(length))
    }
}

/// Writes the header.
pub(super) fn header(created_at_ms: u64) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[16..].copy_from_slice(&created_at_ms.to_le_bytes());
    bytes
}

/// Reads the time of creation out of a header.
pub(super) fn parse_header(bytes: &[u8; HEADER_BYTES]) -> Result<u64, BundleError> {
    let mut fields = Fields(bytes);
    if fields.array() != Some(MAGIC) {
        return Err(BundleError::NotABundle);
    }
    let version = fields.array().map(u16::from_le_bytes).ok_or(BundleError::NotABundle)?;
    if version != VERSION {
        return Err(BundleError::UnsupportedVersion { version });
    }
    let is_reserved_zero = fields.array() == Some([0; 6]);
    fields.u64().filter(|_| is_reserved_zero).ok_or(BundleError::NotABundle)
}

/// Hashes an entry into its leaf.
pub(super) fn leaf(kind: Kind, body: &[u8]) -> Sha256 {
    leaf_hash_of_parts(&[&[kind as u8], body])
}

/// Hashes content into its leaf: its name and its length stand for its bytes.
pub(super) fn content_leaf(sha256: &Sha256, length: u64) -> Sha256 {
    leaf_hash_of_parts(&[&[Kind::Content as u8], sha256.as_bytes(), &length.to_le_bytes()])
}

/// Writes what stands in front of a body; the check value is the start of the leaf.
pub(super) fn frame(kind: Kind, length: u32, leaf: &Sha256) -> [u8; FRAME_BYTES] {
    let mut bytes = [kind as u8; FRAME_BYTES];
    bytes[1..5].copy_from_slice(&length.to_le_bytes());
    bytes[5..].copy_from_slice(&check(leaf));
    bytes
}

/// The check value of an entry: the first four bytes of its leaf.
pub(super) fn check(leaf: &Sha256) -> [u8; 4] {
    let [a, b, c, d, ..] = *leaf.as_bytes();
    [a, b, c, d]
}

/// Takes fields off the front of bytes.
#[derive(Debug)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Text whose length stands in front of it, in two bytes.
    pub(super) fn text(&mut self, bytes_max: usize) -> Option<&'a str> {
        let length = usize::from(self.array().map(u16::from_le_bytes)?);
        let (text, rest) = self.0.split_at_checked(length).filter(|_| length <= bytes_max)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    /// All bytes that are left, as text.
    pub(super) fn rest(self) -> Option<&'a str> {
        std::str::from_utf8(self.0).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_back_and_others_refused() {
        let good = header(1_700_000_000_123);
        assert_eq!(parse_header(&good).expect("a header"), 1_700_000_000_123);
        for at in 0..16 {
            let mut bad = good;
            bad[at] ^= 4;
            let refused = parse_header(&bad).expect_err("a flipped bit");
            let is_version = matches!(refused, BundleError::UnsupportedVersion { .. });
            assert_eq!(is_version, (8..10).contains(&at), "{at}: {refused}");
        }
    }

    #[test]
    fn lengths_are_checked_at_their_limits() {
        for (kind, min, max) in [
            (Kind::Artifact, 105, 105 + 16 + (256 << 10)),
            (Kind::Content, 32, 32 + (1 << 30)),
            (Kind::Head, 168, 168),
            (Kind::Key, 45, 45 + 2048),
            (Kind::Tombstone, 96, 96 + (16 << 10)),
        ] {
            assert_eq!(Kind::of(kind as u8), Some(kind));
            let allowed = [min - 1, min, max, max + 1].map(|length| kind.allows(length));
            assert_eq!(allowed, [false, true, true, false], "{kind:?}");
        }
        assert_eq!((Kind::of(0), Kind::of(0x42)), (None, None));
    }
}
