//! Side files: the hashed entries of sealed segments, sorted, checksummed, found by one read.
//!
//! ```text
//! | page 4096 | page 4096 | … | directory: leading u64 of each page | filter | footer 80 |
//!
//! page:   crc32c u32 | count u16 | reserved u16 | entries … | zeroes
//! entry:  name 16 | expires_at_ms u64 | value len u16 | value
//! footer: CAIRNSID | format u32 | crc32c of footer u32 | first segment | last segment | entries |
//!         pages | directory bytes | filter bytes | crc32c of directory and filter u64 | salt u64
//! ```
//!
//! Every checksum is bound to the file and to the place in it ([`Stamp`]): a page of another file, or of
//! another place in this one, does not verify. Files of format 1 have unbound checksums; what protects
//! them is that each page begins with the entry that the directory names.
//!
//! In a sealed store everything of a page behind its checksum is sealed, the last 16 bytes are the tag,
//! and the checksum is that of the sealed bytes.
//!
//! Derived data: a side file that is missing or bad is rebuilt from its segments.

mod filter;
mod stamp;
mod write;

use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::{DamagedAt, StoreError, limits};

use crate::frame::{u32_at, u64_at};
use crate::hashed::{HashedEntry, HashedName};
use crate::seal::{BadSeal, Cipher, FileKind, Sealer, TAG_BYTES, counted};
use filter::Filter;
pub(crate) use stamp::Stamp;
pub(crate) use write::{Identity, write};

pub(crate) const PAGE_BYTES: usize = 4096;
const PAGE_HEADER_BYTES: usize = 8;
const ENTRY_HEADER_BYTES: usize = HashedName::BYTES + 8 + 2;
pub(crate) const FOOTER_BYTES: usize = 80;
const MAGIC: &[u8; 8] = b"CAIRNSID";
/// Checksums are bound to their file and place.
const FORMAT: u32 = 2;
/// Checksums of bytes alone.
const FORMAT_UNBOUND: u32 = 1;
const _: () = assert!(
    PAGE_HEADER_BYTES + ENTRY_HEADER_BYTES + limits::HASHED_VALUE_BYTES_MAX + TAG_BYTES <= PAGE_BYTES
);

/// An open side file: filter and directory in memory, entries on disk.
#[derive(Debug)]
pub(crate) struct SideFile {
    /// Number in its file name.
    pub number: u64,
    /// The first segment whose entries it holds.
    pub first_segment: u64,
    /// The last segment whose entries it holds.
    pub last_segment: u64,
    /// How many entries it holds.
    pub entries: u64,
    pub(crate) file: Arc<dyn File>,
    stamp: Stamp,
    cipher: Option<Cipher>,
    pub(crate) directory: Vec<u64>,
    pub(crate) filter: Filter,
}

/// The file name of a side file.
pub(crate) fn file_name(number: u64) -> String {
    format!("side-{number:010}.idx")
}

impl SideFile {
    /// Opens a side file of a store; `None` when it is not a whole, valid one.
    pub(crate) fn open(
        number: u64,
        file: Arc<dyn File>,
        store: [u8; 16],
        sealer: Option<&Sealer>,
    ) -> std::io::Result<Option<Self>> {
        let len = file.len()?;
        let Some(footer_at) = len.checked_sub(FOOTER_BYTES as u64) else { return Ok(None) };
        let mut footer = [0; FOOTER_BYTES];
        file.read_at(&mut footer, footer_at)?;
        let stamp = match u32_at(&footer, 8) {
            FORMAT => Stamp::new(store, number, u64_at(&footer, 72)),
            FORMAT_UNBOUND => Stamp::unbound(),
            _ => return Ok(None),
        };
        if &footer[..8] != MAGIC || u32_at(&footer, 12) != stamp.of_footer(&footer) {
            return Ok(None);
        }
        let [pages, directory_bytes, filter_bytes] = [40, 48, 56].map(|at| u64_at(&footer, at));
        let table_bytes = directory_bytes.saturating_add(filter_bytes);
        if pages.saturating_mul(PAGE_BYTES as u64).saturating_add(table_bytes) != footer_at
            || directory_bytes != pages * 8
        {
            return Ok(None);
        }
        let Ok(table_len) = usize::try_from(table_bytes) else { return Ok(None) };
        let mut tables = vec![0; table_len];
        file.read_at(&mut tables, footer_at - table_bytes)?;
        if u64::from(stamp.of_tables(&[&tables])) != u64_at(&footer, 64) {
            return Ok(None);
        }
        let (directory, filter) = tables.split_at(usize::try_from(directory_bytes).unwrap_or(table_len));
        let Some(filter) = Filter::from_bytes(filter) else { return Ok(None) };
        Ok(Some(SideFile {
            number,
            first_segment: u64_at(&footer, 16),
            last_segment: u64_at(&footer, 24),
            entries: u64_at(&footer, 32),
            file,
            stamp,
            cipher: sealer.map(|sealer| sealer.of_file(FileKind::Side, number, u64_at(&footer, 72))),
            directory: directory.chunks_exact(8).map(|word| u64_at(word, 0)).collect(),
            filter,
        }))
    }

    /// Looks a name up; most absent names cost no read.
    pub(crate) fn get(&self, name: &HashedName) -> Result<Option<HashedEntry>, StoreError> {
        if !self.filter.may_contain(name) {
            return Ok(None);
        }
        // Pages that start with the same leading number may hold it from the last smaller one on.
        let mut page = self.directory.partition_point(|leading| *leading < name.leading()).saturating_sub(1);
        while page < self.directory.len() && self.directory[page] <= name.leading() {
            for (found, entry) in self.entries_of(page)? {
                if &found == name {
                    return Ok(Some(entry));
                }
            }
            page += 1;
        }
        Ok(None)
    }

    /// Every entry, in the order of names. Fails where they are out of order, and at the end if some are
    /// missing.
    pub(crate) fn scan(&self) -> impl Iterator<Item = Result<(HashedName, HashedEntry), StoreError>> + '_ {
        let (mut last, mut count) = (None, 0);
        let pages = (0..self.directory.len()).flat_map(|page| match self.entries_of(page) {
            Ok(entries) => entries.into_iter().map(|entry| Ok((page, entry))).collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        });
        let in_order = pages.map(move |entry| {
            let (page, (name, entry)) = entry?;
            if last.replace(name).is_some_and(|last| last >= name) {
                return Err(StoreError::Damaged(self.damaged(page, OUT_OF_ORDER)));
            }
            Ok((name, entry))
        });
        let mut in_order = in_order.fuse();
        let mut is_over = false;
        std::iter::from_fn(move || {
            if let Some(entry) = in_order.next() {
                count += 1;
                return Some(entry);
            }
            let was_over = std::mem::replace(&mut is_over, true);
            let is_short = !was_over && count != self.entries;
            is_short.then(|| Err(StoreError::Damaged(self.damaged(0, "entries are missing"))))
        })
    }

    /// The entries of a page, read and checked.
    fn entries_of(&self, page: usize) -> Result<Vec<(HashedName, HashedEntry)>, StoreError> {
        let mut bytes = vec![0; PAGE_BYTES];
        self.file
            .read_at(&mut bytes, (page * PAGE_BYTES) as u64)
            .map_err(|error| StoreError::io(format!("reading {}", file_name(self.number)), error))?;
        self.open_page(page, bytes).map_err(StoreError::Damaged)
    }

    /// The entries of a page that was read: its checksum and seal hold, it is the page that the directory
    /// names, and its entries are in order.
    pub(crate) fn open_page(
        &self,
        page: usize,
        mut bytes: Vec<u8>,
    ) -> Result<Vec<(HashedName, HashedEntry)>, DamagedAt> {
        if u32_at(&bytes, 0) != self.stamp.of_page(page as u64, &bytes[4..]) {
            return Err(self.damaged(page, "the page's checksum is wrong"));
        }
        if let Some(cipher) = &self.cipher {
            let opened = cipher.open_tagged(counted(page as u64), b"", &mut bytes[4..]);
            let len = opened
                .map_err(|BadSeal| self.damaged(page, "the page does not open with the store's key"))?;
            bytes.truncate(4 + len);
        }
        let entries =
            entries(&bytes).ok_or_else(|| self.damaged(page, "the page's entries do not fit into it"))?;
        if entries.first().map(|(name, _)| name.leading()) != self.directory.get(page).copied() {
            return Err(self.damaged(page, "the directory says that another page is here"));
        }
        if entries.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return Err(self.damaged(page, OUT_OF_ORDER));
        }
        Ok(entries)
    }

    fn damaged(&self, page: usize, detail: &str) -> DamagedAt {
        DamagedAt {
            file: file_name(self.number).into(),
            offset: (page * PAGE_BYTES) as u64,
            detail: detail.into(),
        }
    }
}

const OUT_OF_ORDER: &str = "entries are out of order";

/// The entries of a page; `None` when they do not fit into it.
fn entries(page: &[u8]) -> Option<Vec<(HashedName, HashedEntry)>> {
    let count = usize::from(u16::from_le_bytes([page[4], page[5]]));
    let mut found = Vec::with_capacity(count);
    let mut rest = &page[PAGE_HEADER_BYTES..];
    for _ in 0..count {
        let (head, tail) = rest.split_at_checked(ENTRY_HEADER_BYTES)?;
        let len = usize::from(u16::from_le_bytes([head[24], head[25]]));
        let (value, tail) = tail.split_at_checked(len)?;
        let entry = HashedEntry { expires_at_ms: u64_at(head, 16), value: value.into() };
        found.push((HashedName::read(head), entry));
        rest = tail;
    }
    Some(found)
}
