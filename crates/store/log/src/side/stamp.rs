//! Checksums that hold in one file and at one place alone.

use super::FOOTER_BYTES;

/// Names the directory and filter where a page has its number.
const TABLES: u64 = u64::MAX;

/// The identity of a side file, which seeds its checksums: store, number and salt.
///
/// The salt is random, so that a file that was written under a number, lost with the power and written
/// again under the same number is another one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    /// `None` in files of format 1.
    identity: Option<[u8; 32]>,
}

impl Stamp {
    pub(crate) fn new(store: [u8; 16], number: u64, salt: u64) -> Self {
        let mut identity = [0; 32];
        identity[..16].copy_from_slice(&store);
        identity[16..24].copy_from_slice(&number.to_le_bytes());
        identity[24..].copy_from_slice(&salt.to_le_bytes());
        Stamp { identity: Some(identity) }
    }

    /// Checksums of bytes alone, as format 1 has them.
    pub(crate) fn unbound() -> Self {
        Stamp { identity: None }
    }

    /// The checksum of everything in a page behind the checksum itself.
    pub(crate) fn of_page(&self, page: u64, bytes: &[u8]) -> u32 {
        crc32c::crc32c_append(self.seed(page), bytes)
    }

    /// The checksum of directory and filter, which may come in parts.
    pub(crate) fn of_tables(&self, parts: &[&[u8]]) -> u32 {
        parts.iter().fold(self.seed(TABLES), |crc, part| crc32c::crc32c_append(crc, part))
    }

    /// The checksum of a footer, without the four bytes that hold it.
    pub(crate) fn of_footer(&self, footer: &[u8; FOOTER_BYTES]) -> u32 {
        let identity = self.identity.as_ref().map_or(&[][..], |identity| identity);
        [identity, &footer[..12], &footer[16..]].iter().fold(0, |crc, part| crc32c::crc32c_append(crc, part))
    }

    fn seed(&self, place: u64) -> u32 {
        let Some(identity) = &self.identity else { return 0 };
        crc32c::crc32c_append(crc32c::crc32c(identity), &place.to_le_bytes())
    }
}
