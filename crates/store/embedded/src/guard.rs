//! What stands beside each page of the index to prove it, and where pages and proofs lie.
//!
//! A page is kept as it is, beside a checksum; or sealed, beside what opens it:
//!
//! ```text
//! checksum: crc32c u32 (0: never written), seeded with the file's salt and the number of the page
//! seal:     root u32 (0: never written) | nonce 12 | tag 16
//! ```

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use cairn_log::{Cipher, NONCE_BYTES, Sealer, TAG_BYTES};
use parking_lot::RwLock;

pub(crate) const PAGE: u64 = 4096;
pub(crate) const PAGE_LEN: usize = 4096;
pub(crate) const GROUP_PAGES: u64 = 1024;

/// How pages are guarded.
#[derive(Debug)]
pub(crate) enum Guard {
    Checksum(Salt),
    Seal(PageSeals),
}

impl Guard {
    /// For a file with this salt, which counts where pages are not sealed.
    pub(crate) fn new(sealer: Option<Arc<Sealer>>, salt: Salt) -> Self {
        match sealer {
            None => Guard::Checksum(salt),
            Some(sealer) => Guard::Seal(PageSeals { sealer, ciphers: RwLock::default() }),
        }
    }

    /// Checks a page that was read and makes it what it was when it was written.
    pub(crate) fn open(&self, page: u64, bytes: &mut [u8], mark: &[u8]) -> io::Result<()> {
        let is_fine = match self {
            // Where nothing was ever written there are zeroes: anything else lost its mark.
            Guard::Checksum(_) if is_unwritten(mark) => bytes.iter().all(|byte| *byte == 0),
            Guard::Checksum(salt) => mark == salt.checksum(page, bytes),
            Guard::Seal(seals) => seals.open(page, bytes, mark).is_some(),
        };
        if is_fine { Ok(()) } else { Err(damaged(page)) }
    }
}

impl Guard {
    /// Whether a page that was read is what its mark says. One that was never written is zero.
    pub(crate) fn is_as_marked(&self, page: u64, bytes: &mut [u8], mark: &[u8]) -> bool {
        if is_unwritten(mark) {
            return bytes.iter().all(|byte| *byte == 0);
        }
        self.open(page, bytes, mark).is_ok()
    }
}

/// Whether a mark is that of a page that was never written.
pub(crate) fn is_unwritten(mark: &[u8]) -> bool {
    mark.iter().all(|byte| *byte == 0)
}

fn damaged(page: u64) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("page {page} is damaged"))
}

/// What binds the checksums of an index file to it: a random number, in the place of the mark that page 0
/// does not need. Files from before have none (0), and checksums of bytes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Salt(pub(crate) u32);

impl Salt {
    /// That of files with unbound checksums.
    pub(crate) const NONE: Salt = Salt(0);

    /// The checksum of a page that was written.
    pub(crate) fn checksum(self, number: u64, page: &[u8]) -> [u8; 4] {
        let seed = match self {
            Salt::NONE => 0,
            Salt(salt) => crc32c::crc32c_append(crc32c::crc32c(&salt.to_le_bytes()), &number.to_le_bytes()),
        };
        crc32c::crc32c_append(seed, page).max(1).to_le_bytes()
    }
}

const ROOT_BYTES: usize = 4;
const SEAL_BYTES: usize = ROOT_BYTES + NONCE_BYTES + TAG_BYTES;

/// Seals pages. Every write of a page has a nonce of its own by chance, which is safe for 2^32 writes
/// with one key: so each group of pages has its own.
#[derive(Debug)]
pub(crate) struct PageSeals {
    pub(crate) sealer: Arc<Sealer>,
    /// By root and group.
    ciphers: RwLock<HashMap<(u32, u64), Arc<Cipher>>>,
}

impl PageSeals {
    /// Seals whole pages in place; returns their marks.
    pub(crate) fn seal(&self, first: u64, bytes: &mut [u8]) -> io::Result<Vec<u8>> {
        let root = self.sealer.newest_root();
        let mut marks = Vec::with_capacity(bytes.len() / PAGE_LEN * SEAL_BYTES);
        for (page, bytes) in (first..).zip(bytes.chunks_exact_mut(PAGE_LEN)) {
            let cipher = self.cipher(root, page / GROUP_PAGES).ok_or_else(|| damaged(page))?;
            let nonce = self.sealer.new_nonce();
            let tag = cipher.seal(nonce, &page.to_le_bytes(), bytes);
            marks.extend_from_slice(&root.to_le_bytes());
            marks.extend_from_slice(&nonce);
            marks.extend_from_slice(&tag);
        }
        Ok(marks)
    }

    fn open(&self, page: u64, bytes: &mut [u8], mark: &[u8]) -> Option<()> {
        let (root, rest) = mark.split_first_chunk()?;
        let (nonce, tag) = rest.split_first_chunk()?;
        let root = u32::from_le_bytes(*root);
        if root == 0 {
            // Never written: whatever is there instead of zeroes was not put there by us.
            bytes.fill(0);
            return Some(());
        }
        let cipher = self.cipher(root, page / GROUP_PAGES)?;
        cipher.open(*nonce, &page.to_le_bytes(), bytes, tag.try_into().ok()?).ok()
    }

    fn cipher(&self, root: u32, group: u64) -> Option<Arc<Cipher>> {
        if let Some(cipher) = self.ciphers.read().get(&(root, group)) {
            return Some(Arc::clone(cipher));
        }
        let cipher = Arc::new(self.sealer.of_index_group(root, group)?);
        self.ciphers.write().insert((root, group), Arc::clone(&cipher));
        Some(cipher)
    }
}

/// Where things lie in the file: a front, then groups of a table of marks and the pages they are for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    front_bytes: u64,
    pub(crate) mark_bytes: usize,
}

impl Layout {
    /// That of a file whose pages are sealed, or are not.
    pub(crate) fn of(is_sealed: bool) -> Self {
        match is_sealed {
            false => Layout { front_bytes: 0, mark_bytes: 4 },
            true => Layout { front_bytes: crate::front::BYTES, mark_bytes: SEAL_BYTES },
        }
    }

    /// Pages of marks in front of each group.
    pub(crate) fn table_pages(self) -> u64 {
        GROUP_PAGES * self.mark_bytes as u64 / PAGE
    }

    pub(crate) fn group_bytes(self) -> u64 {
        (self.table_pages() + GROUP_PAGES) * PAGE
    }

    /// Where a page stands.
    pub(crate) fn place_of(self, page: u64) -> u64 {
        let group = self.front_bytes + (page / GROUP_PAGES) * self.group_bytes();
        group + (self.table_pages() + page % GROUP_PAGES) * PAGE
    }

    /// Where a page of marks stands, counted over all groups.
    pub(crate) fn place_of_table(self, table: u64) -> u64 {
        let (group, within) = (table / self.table_pages(), table % self.table_pages());
        self.front_bytes + group * self.group_bytes() + within * PAGE
    }

    /// Which page of marks a page's mark is in.
    pub(crate) fn table_of(self, page: u64) -> u64 {
        page / (PAGE / self.mark_bytes as u64)
    }

    /// How long a file with so many pages is.
    pub(crate) fn len_of(self, pages: u64) -> u64 {
        self.front_bytes + (pages + pages.div_ceil(GROUP_PAGES) * self.table_pages()) * PAGE
    }

    /// How many whole pages a file of this length holds.
    pub(crate) fn pages_of(self, len: u64) -> u64 {
        let len = len.saturating_sub(self.front_bytes);
        let rest = (len % self.group_bytes()) / PAGE;
        (len / self.group_bytes()) * GROUP_PAGES + rest.saturating_sub(self.table_pages())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_tables_never_overlap_and_lengths_fit() {
        for layout in [Layout::of(false), Layout::of(true)] {
            let pages = 2 * GROUP_PAGES + 3;
            let tables = pages.div_ceil(GROUP_PAGES) * layout.table_pages();
            let mut places: Vec<u64> = (0..pages).map(|page| layout.place_of(page)).collect();
            places.extend((0..tables).map(|table| layout.place_of_table(table)));
            places.sort_unstable();
            let expected: Vec<u64> =
                (0..pages + tables).map(|place| layout.front_bytes + place * PAGE).collect();
            assert_eq!(places, expected);
            for pages in [0, 1, GROUP_PAGES - 1, GROUP_PAGES, GROUP_PAGES + 1, pages] {
                assert_eq!(layout.pages_of(layout.len_of(pages)), pages);
            }
        }
        assert_eq!(SEAL_BYTES, 32, "a whole number of them fits into a page");
    }
}
