//! Which bytes of a checked file are what.

use std::path::Path;

use crc32c::{crc32c, crc32c_append};

use crate::directory::IndexFileError;

pub(super) const MAGIC: &[u8; 8] = b"CAIRNCHK";
const FORMAT: u32 = 1;

/// What has one checksum. Whoever reads a byte for the first time reads so many.
pub(in crate::directory) const BLOCK_BYTES: usize = 16 << 10;
pub(in crate::directory) const SUM_BYTES: usize = 4;
/// Magic, format, length of the content, salt, checksum.
pub(in crate::directory) const FOOTER_BYTES: usize = 8 + 4 + 8 + 16 + SUM_BYTES;

/// The end of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Footer {
    pub(super) content_bytes: u64,
    pub(super) salt: [u8; 16],
}

impl Footer {
    /// The bytes that follow a table in the file of a name.
    pub(super) fn to_bytes(self, name: &Path, table: &[u8]) -> [u8; FOOTER_BYTES] {
        let mut bytes = [0; FOOTER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.content_bytes.to_le_bytes());
        bytes[20..36].copy_from_slice(&self.salt);
        let sum = sum_of_table(name, table, &bytes);
        bytes[36..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the end of a file of this name and length. What it says is not verified before
    /// [`Footer::covers`].
    pub(super) fn parse(
        bytes: &[u8; FOOTER_BYTES],
        name: &Path,
        file_bytes: u64,
    ) -> Result<Self, IndexFileError> {
        let mut rest = &bytes[..];
        if take::<8>(&mut rest) != *MAGIC {
            return Err(IndexFileError::NoChecksums { file: name.to_owned() });
        }
        let format = u32::from_le_bytes(take(&mut rest));
        if format != FORMAT {
            return Err(IndexFileError::Newer { file: name.to_owned(), format });
        }
        let footer = Footer { content_bytes: u64::from_le_bytes(take(&mut rest)), salt: take(&mut rest) };
        if footer.file_bytes() != Some(file_bytes) {
            return Err(IndexFileError::Length { file: name.to_owned(), file_bytes });
        }
        Ok(footer)
    }

    /// Whether these bytes of a footer and this table were written for a file of this name.
    pub(super) fn covers(bytes: &[u8; FOOTER_BYTES], name: &Path, table: &[u8]) -> bool {
        bytes[36..] == sum_of_table(name, table, bytes).to_le_bytes()
    }

    pub(super) fn blocks(self) -> u64 {
        self.content_bytes.div_ceil(BLOCK_BYTES as u64).max(1)
    }

    /// How long the whole file is.
    fn file_bytes(self) -> Option<u64> {
        let table_bytes = self.blocks().checked_mul(SUM_BYTES as u64)?;
        self.content_bytes.checked_add(table_bytes)?.checked_add(FOOTER_BYTES as u64)
    }
}

fn sum_of_table(name: &Path, table: &[u8], footer: &[u8; FOOTER_BYTES]) -> u32 {
    let sum = crc32c_append(crc32c(name.as_os_str().as_encoded_bytes()), table);
    crc32c_append(sum, &footer[..FOOTER_BYTES - SUM_BYTES])
}

fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, behind) = rest.split_first_chunk().expect("a footer has all of its parts");
    *rest = behind;
    *taken
}

/// The checksum of a block, as far as it is there.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockSum(u32);

impl BlockSum {
    /// Of an empty block of the file with this name and salt.
    pub(super) fn start(name: &Path, salt: &[u8; 16]) -> Self {
        BlockSum(crc32c_append(crc32c(name.as_os_str().as_encoded_bytes()), salt))
    }

    pub(super) fn add(self, bytes: &[u8]) -> Self {
        BlockSum(crc32c_append(self.0, bytes))
    }

    /// Of the whole block, at its place.
    pub(super) fn at(self, number: u64, is_last: bool) -> u32 {
        let place = self.add(&number.to_le_bytes());
        place.add(&[u8::from(is_last)]).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_is_that_of_one_name_table_and_length() {
        let name = Path::new("a.idx");
        for content_bytes in [0, 1, BLOCK_BYTES as u64, BLOCK_BYTES as u64 + 1] {
            let footer = Footer { content_bytes, salt: [7; 16] };
            let table = vec![9; usize::try_from(footer.blocks()).unwrap() * SUM_BYTES];
            let bytes = footer.to_bytes(name, &table);
            let file_bytes = content_bytes + (table.len() + FOOTER_BYTES) as u64;
            assert_eq!(Footer::parse(&bytes, name, file_bytes), Ok(footer));
            assert!(Footer::covers(&bytes, name, &table));
            assert!(!Footer::covers(&bytes, Path::new("b.idx"), &table));
            assert!(!Footer::covers(&bytes, name, &vec![8; table.len()]));
            for other in [file_bytes - 1, file_bytes + 1, 0, u64::MAX] {
                let error = Footer::parse(&bytes, name, other).unwrap_err();
                assert!(matches!(error, IndexFileError::Length { .. }), "{error}");
            }
            for at in 0..FOOTER_BYTES {
                let mut spoiled = bytes;
                spoiled[at] ^= 1;
                let parsed = Footer::parse(&spoiled, name, file_bytes);
                assert!(parsed.is_err() || !Footer::covers(&spoiled, name, &table), "byte {at}");
            }
        }
    }

    #[test]
    fn a_length_that_no_file_has_is_no_length() {
        let footer = Footer { content_bytes: u64::MAX - 8, salt: [0; 16] };
        let bytes = footer.to_bytes(Path::new("a"), &[]);
        assert!(Footer::parse(&bytes, Path::new("a"), 40).is_err());
    }

    #[test]
    fn a_checksum_is_that_of_one_place() {
        let of =
            |name: &str, salt: u8, content: &[u8]| BlockSum::start(Path::new(name), &[salt; 16]).add(content);
        let sum = of("a", 1, b"content").at(3, false);
        assert_eq!(of("a", 1, b"con").add(b"tent").at(3, false), sum);
        for other in [
            of("b", 1, b"content").at(3, false),
            of("a", 2, b"content").at(3, false),
            of("a", 1, b"contenu").at(3, false),
            of("a", 1, b"content").at(4, false),
            of("a", 1, b"content").at(3, true),
        ] {
            assert_ne!(other, sum);
        }
    }
}
