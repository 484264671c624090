//! Segments: the files the log is made of.
//!
//! ```text
//! 0           8        12       16       24     32     40          48           56         64
//! | CAIRNSEG  | format | crc32c | number | base | salt | synced_to | created_ms | packed   | frames …
//! ```
//!
//! `base` is the position of the file's first byte. The header is written together with the first
//! group of the segment, so a segment that was prepared and never used starts with zeroes.

use crate::frame::{u32_at, u64_at};

pub(crate) const HEADER_BYTES: usize = 64;
const MAGIC: &[u8; 8] = b"CAIRNSEG";
const FORMAT: u32 = 1;

/// The header of a segment in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentHeader {
    /// Counts up from 1 and is never reused.
    pub number: u64,
    /// The position of the file's first byte.
    pub base: u64,
    /// Seeds every frame checksum.
    pub salt: u64,
    /// Everything before this position was on disk when the segment was started.
    pub synced_to: u64,
    /// When it was started.
    pub created_ms: u64,
    /// Offset behind the last frame, if frames were taken out since; else 0.
    pub packed: u64,
}

impl SegmentHeader {
    pub(crate) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.base.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.salt.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.synced_to.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.created_ms.to_le_bytes());
        bytes[56..64].copy_from_slice(&self.packed.to_le_bytes());
        let crc = checksum(&bytes);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// `None` when the bytes are not a valid header of this segment.
    pub(crate) fn decode(bytes: &[u8], number: u64) -> Option<Self> {
        let bytes = bytes.get(..HEADER_BYTES)?;
        if &bytes[..8] != MAGIC || u32_at(bytes, 8) != FORMAT || u32_at(bytes, 12) != checksum(bytes) {
            return None;
        }
        let header = SegmentHeader {
            number: u64_at(bytes, 16),
            base: u64_at(bytes, 24),
            salt: u64_at(bytes, 32),
            synced_to: u64_at(bytes, 40),
            created_ms: u64_at(bytes, 48),
            packed: u64_at(bytes, 56),
        };
        (header.number == number).then_some(header)
    }
}

fn checksum(header: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&header[..12]), &header[16..HEADER_BYTES])
}

/// The file name of a segment.
pub(crate) fn file_name(number: u64) -> String {
    format!("segment-{number:010}.log")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_reads_back_and_any_flipped_byte_is_found() {
        let header =
            SegmentHeader { number: 3, base: 4096, salt: 77, synced_to: 4000, created_ms: 5, packed: 6 };
        let bytes = header.encode();
        assert_eq!(SegmentHeader::decode(&bytes, 3), Some(header));
        assert_eq!(SegmentHeader::decode(&bytes, 4), None);
        assert_eq!(SegmentHeader::decode(&[0; HEADER_BYTES], 3), None);
        for at in 0..HEADER_BYTES {
            let mut damaged = bytes;
            damaged[at] ^= 1;
            assert_eq!(SegmentHeader::decode(&damaged, 3), None, "byte {at}");
        }
    }
}
