//! Frames: the unit of writing and checking in a segment.
//!
//! ```text
//! 0      4       8           16     17         20       24
//! | len  | crc32c | position | kind | reserved | tenant | body … | zeroes to 8 |
//! ```
//!
//! All numbers are little endian. `len` counts the body. `position` is the place of the frame's first
//! byte in the whole log, so a frame is valid only where it was written. The checksum is seeded with
//! the segment's salt and covers everything but itself: what a disk block held in an earlier life is
//! never taken for a frame.
//!
//! In a sealed store the bodies of transactions and blobs are sealed and end with their tag. Length and
//! checksum are those of the sealed bytes, so that frames can be checked without a key.

use cairn_base::TenantId;

use crate::seal::{BadSeal, Cipher, TAG_BYTES, counted};

pub(crate) const HEADER_BYTES: usize = 24;
const ALIGN: usize = 8;
/// No frame is longer than a whole commit with room for its headers.
const BODY_BYTES_MAX: usize = 2 * cairn_seam::limits::COMMIT_BYTES_MAX;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// One transaction: its changes and events.
    Transaction,
    /// One blob.
    Blob,
    /// Closes a run of frames: everything since the last one of these happened.
    Commit,
    /// Stands for frames that were taken out: the position goes on behind them.
    Gap,
}

impl FrameKind {
    pub(crate) fn to_byte(self) -> u8 {
        match self {
            FrameKind::Transaction => 1,
            FrameKind::Blob => 2,
            FrameKind::Commit => 3,
            FrameKind::Gap => 4,
        }
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1 => Some(FrameKind::Transaction),
            2 => Some(FrameKind::Blob),
            3 => Some(FrameKind::Commit),
            4 => Some(FrameKind::Gap),
            _ => None,
        }
    }
}

/// A checked frame inside a buffer.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Where its first byte stands in the log.
    pub position: u64,
    /// What it holds.
    pub kind: FrameKind,
    /// Whose it is; the node's for commit frames.
    pub tenant: TenantId,
    /// The body, without padding.
    pub body: &'a [u8],
}

impl Frame<'_> {
    /// Bytes the frame takes in the log, padding included.
    pub fn stored_bytes(&self) -> usize {
        stored_bytes(self.body.len())
    }
}

/// Bytes that a frame with a body of this length takes.
pub(crate) fn stored_bytes(body: usize) -> usize {
    (HEADER_BYTES + body).next_multiple_of(ALIGN)
}

/// Appends a frame whose body is the concatenation of `parts`, sealed if there is a cipher.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    salt: u64,
    position: u64,
    kind: FrameKind,
    tenant: TenantId,
    parts: &[&[u8]],
    cipher: Option<&Cipher>,
) {
    let tag_bytes = if cipher.is_some() { TAG_BYTES } else { 0 };
    let body = parts.iter().map(|part| part.len()).sum::<usize>() + tag_bytes;
    let len = u32::try_from(body).expect("a commit is limited to 64 MiB");
    let start = out.len();
    out.reserve(stored_bytes(body));
    out.extend_from_slice(&len.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&position.to_le_bytes());
    out.extend_from_slice(&[kind.to_byte(), 0, 0, 0]);
    out.extend_from_slice(&tenant.0.to_le_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
    if let Some(cipher) = cipher {
        let content = &mut out[start + HEADER_BYTES..];
        let tag = cipher.seal(counted(position), &associated(kind, tenant, position), content);
        out.extend_from_slice(&tag);
    }
    let crc = checksum(salt, &out[start..]);
    out[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    out.resize(start + stored_bytes(body), 0);
}

/// Reads the frame at the start of `bytes`, which must stand at `position`; `None` if it is not a
/// whole, valid frame.
pub(crate) fn decode(bytes: &[u8], salt: u64, position: u64) -> Option<Frame<'_>> {
    let header = bytes.get(..HEADER_BYTES)?;
    if u64_at(header, 8) != position {
        return None;
    }
    let kind = FrameKind::from_byte(header[16])?;
    let len = u32_at(header, 0) as usize;
    if len > BODY_BYTES_MAX || header[17..20] != [0; 3] {
        return None;
    }
    let padded = bytes.get(..stored_bytes(len))?;
    if checksum(salt, &padded[..HEADER_BYTES + len]) != u32_at(header, 4) {
        return None;
    }
    let body = &padded[HEADER_BYTES..HEADER_BYTES + len];
    Some(Frame { position, kind, tenant: TenantId(u32_at(header, 20)), body })
}

/// Opens the body of a sealed frame in place; returns how many bytes of it are the content.
pub(crate) fn open(
    body: &mut [u8],
    cipher: &Cipher,
    position: u64,
    kind: FrameKind,
    tenant: TenantId,
) -> Result<usize, BadSeal> {
    cipher.open_tagged(counted(position), &associated(kind, tenant, position), body)
}

/// What a sealed body is bound to.
fn associated(kind: FrameKind, tenant: TenantId, position: u64) -> [u8; 13] {
    let mut bytes = [0; 13];
    bytes[0] = kind.to_byte();
    bytes[1..5].copy_from_slice(&tenant.0.to_le_bytes());
    bytes[5..].copy_from_slice(&position.to_le_bytes());
    bytes
}

/// The body length that a frame header claims, when it is plausible at this position.
///
/// Lets a reader fetch a whole frame before it is checked.
pub(crate) fn claimed_stored_bytes(header: &[u8], position: u64) -> Option<usize> {
    if header.len() < HEADER_BYTES || u64_at(header, 8) != position {
        return None;
    }
    let len = u32_at(header, 0) as usize;
    (len <= BODY_BYTES_MAX).then(|| stored_bytes(len))
}

/// Whether a header, which is not proved by its checksum, says that a blob of so many bytes stands here.
pub(crate) fn claims_blob(header: &[u8], position: u64, stored: u64) -> bool {
    claimed_stored_bytes(header, position).is_some_and(|claimed| claimed as u64 == stored)
        && header.get(16) == Some(&FrameKind::Blob.to_byte())
}

fn checksum(salt: u64, frame: &[u8]) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the salt are used")]
    let seed = (salt ^ (salt >> 32)) as u32;
    crc32c::crc32c_append(crc32c::crc32c_append(seed, &frame[..4]), &frame[8..])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// The body of a commit frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommitBody {
    /// Everything before this position was on disk when the frame was written.
    pub synced_to: u64,
    /// Where the first frame of the run stands.
    pub run_start: u64,
}

impl CommitBody {
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn encode(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.synced_to.to_le_bytes());
        bytes[8..].copy_from_slice(&self.run_start.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        (body.len() == Self::BYTES)
            .then(|| CommitBody { synced_to: u64_at(body, 0), run_start: u64_at(body, 8) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_frame_reads_back_only_with_its_salt_at_its_place(
            salt: u64, position in 0..u64::MAX - 1, tenant: u32, body in proptest::collection::vec(any::<u8>(), 0..300)
        ) {
            let mut bytes = Vec::new();
            encode(&mut bytes, salt, position, FrameKind::Blob, TenantId(tenant), &[&body], None);
            prop_assert_eq!(bytes.len() % ALIGN, 0);
            let frame = decode(&bytes, salt, position).expect("what was encoded");
            prop_assert_eq!(frame.body, &body[..]);
            prop_assert_eq!(frame.tenant, TenantId(tenant));
            prop_assert_eq!(frame.stored_bytes(), bytes.len());
            prop_assert!(decode(&bytes, salt, position + 1).is_none());
            prop_assert!(decode(&bytes, salt ^ 1, position).is_none());
            prop_assert!(decode(&bytes[..bytes.len() - 1], salt, position).is_none());
        }

        #[test]
        fn any_flipped_bit_outside_the_padding_is_found(
            body in proptest::collection::vec(any::<u8>(), 0..100), at: proptest::sample::Index, bit in 0u8..8
        ) {
            let mut bytes = Vec::new();
            encode(&mut bytes, 7, 64, FrameKind::Transaction, TenantId(1), &[&body], None);
            let at = at.index(HEADER_BYTES + body.len());
            bytes[at] ^= 1 << bit;
            prop_assert!(decode(&bytes, 7, 64).is_none());
        }

        #[test]
        fn garbage_is_never_a_frame(bytes in proptest::collection::vec(any::<u8>(), 0..200), salt: u64) {
            prop_assert!(decode(&bytes, salt, 64).is_none());
        }
    }
}
