//! Which bytes of a sealed file are what.

use std::path::Path;

use cairn_seam::{BlockPlace, DERIVED_TAG_BYTES, SealStamp};

use crate::directory::IndexFileError;

pub(in crate::directory) const MAGIC: &[u8; 8] = b"CAIRNDER";
const FORMAT: u32 = 1;

/// Magic, format, stamp.
pub(in crate::directory) const HEADER_BYTES: usize = 8 + 4 + 16 + 16;
/// What is sealed as one. Whoever reads a byte opens so many; smaller ones would mean more tags and calls.
pub(in crate::directory) const BLOCK_BYTES: usize = 16 << 10;
const SEALED_BLOCK_BYTES: u64 = (BLOCK_BYTES + DERIVED_TAG_BYTES) as u64;

pub(super) fn header(stamp: &SealStamp) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    header[12..28].copy_from_slice(&stamp.key);
    header[28..].copy_from_slice(&stamp.salt);
    header
}

/// The stamp in a header of a file with this name.
pub(super) fn parse_header(header: &[u8; HEADER_BYTES], name: &Path) -> Result<SealStamp, IndexFileError> {
    let mut rest = &header[..];
    if take::<8>(&mut rest) != *MAGIC {
        return Err(IndexFileError::NotSealed { file: name.to_owned() });
    }
    let format = u32::from_le_bytes(take(&mut rest));
    if format != FORMAT {
        return Err(IndexFileError::Newer { file: name.to_owned(), format });
    }
    Ok(SealStamp { key: take(&mut rest), salt: take(&mut rest) })
}

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, behind) = rest.split_first_chunk().expect("a header has all of its parts");
    *rest = behind;
    *taken
}

/// How a file is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    blocks: u64,
    pub(super) content_bytes: usize,
}

impl Layout {
    /// That of a file of this length; `None` when no whole file has it.
    pub(super) fn of(file_bytes: u64) -> Option<Self> {
        let sealed_bytes = file_bytes.checked_sub(HEADER_BYTES as u64)?;
        let blocks = sealed_bytes.div_ceil(SEALED_BLOCK_BYTES);
        let content_bytes = sealed_bytes.checked_sub(blocks * DERIVED_TAG_BYTES as u64)?;
        let before_last = blocks.checked_sub(1)? * BLOCK_BYTES as u64;
        // Only an empty file ends with an empty block.
        if content_bytes < before_last || (content_bytes == before_last && blocks > 1) {
            return None;
        }
        Some(Layout { blocks, content_bytes: usize::try_from(content_bytes).ok()? })
    }

    pub(super) fn last(self) -> u64 {
        self.blocks - 1
    }

    pub(super) fn place(self, number: u64) -> BlockPlace {
        BlockPlace { number, is_last: number == self.last() }
    }

    /// How long a block of this file is when it is sealed.
    pub(super) fn sealed_bytes(self, number: u64) -> usize {
        let is_whole = number < self.last() || self.content_bytes as u64 == self.blocks * BLOCK_BYTES as u64;
        let content = if is_whole { BLOCK_BYTES } else { self.content_bytes % BLOCK_BYTES };
        content + DERIVED_TAG_BYTES
    }
}

/// Where a block begins in its file.
pub(super) fn offset(number: u64) -> u64 {
    HEADER_BYTES as u64 + number * SEALED_BLOCK_BYTES
}

/// The block in which a byte of the content is, and where in it.
pub(super) fn find(at: usize) -> (u64, usize) {
    ((at / BLOCK_BYTES) as u64, at % BLOCK_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_files_follow_from_those_of_their_contents_and_back() {
        let mut before = 0;
        for content in [0, 1, 100, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 2 * BLOCK_BYTES, 99_999] {
            let blocks = content.div_ceil(BLOCK_BYTES).max(1) as u64;
            let file = HEADER_BYTES as u64 + content as u64 + blocks * DERIVED_TAG_BYTES as u64;
            let layout = Layout::of(file).unwrap();
            assert_eq!(layout, Layout { blocks, content_bytes: content });
            let sealed: u64 = (0..blocks).map(|number| layout.sealed_bytes(number) as u64).sum();
            assert_eq!(HEADER_BYTES as u64 + sealed, file);
            assert_eq!(offset(layout.last()) + layout.sealed_bytes(layout.last()) as u64, file);
            assert!(before < file);
            before = file;
        }
    }

    #[test]
    fn no_file_ends_in_a_tag() {
        let whole = offset(1);
        for short in (0..HEADER_BYTES as u64 + 16).chain(whole + 1..=whole + 16) {
            assert_eq!(Layout::of(short), None, "{short}");
        }
        assert!(Layout::of(whole).is_some() && Layout::of(whole + 17).is_some());
    }
}
