//! Writing a side file.

use cairn_base::fs::File;

use super::filter::Filter;
use super::{ENTRY_HEADER_BYTES, FOOTER_BYTES, FORMAT, MAGIC, PAGE_BYTES, PAGE_HEADER_BYTES, Stamp};
use crate::hashed::{HashedEntry, HashedName};
use crate::seal::{Cipher, TAG_BYTES, counted};

/// Bytes written between two syncs: a large file must not delay the log's own syncs.
const SLICE_BYTES: usize = 1 << 20;

/// What makes a file the one it is.
pub(crate) struct Identity {
    pub(crate) store: [u8; 16],
    pub(crate) number: u64,
    /// Random.
    pub(crate) salt: u64,
    /// Seals the pages of a sealed store.
    pub(crate) cipher: Option<Cipher>,
}

/// Writes sorted entries as the side file of a run of segments, and syncs it.
///
/// `count_hint` sizes the filter and must not be smaller than the number of entries by much.
pub(crate) fn write(
    file: &dyn File,
    identity: &Identity,
    segments: (u64, u64),
    count_hint: usize,
    sorted: impl Iterator<Item = (HashedName, HashedEntry)>,
) -> std::io::Result<()> {
    let Identity { store, number, salt, ref cipher } = *identity;
    let stamp = Stamp::new(store, number, salt);
    let seal = Seal { stamp, cipher: cipher.as_ref() };
    let room = PAGE_BYTES - if cipher.is_some() { TAG_BYTES } else { 0 };
    let mut out = Out { file, offset: 0, buffer: Vec::new() };
    let mut filter = Filter::for_count(count_hint);
    let mut directory = Vec::new();
    let mut page = Page::default();
    let mut count = 0u64;
    for (name, entry) in sorted {
        if page.bytes.len() + ENTRY_HEADER_BYTES + entry.value.len() > room {
            out.push(&page.finish(room, &seal))?;
        }
        if page.count == 0 {
            page.start();
            directory.extend_from_slice(&name.leading().to_le_bytes());
        }
        page.push(&name, &entry);
        filter.insert(&name);
        count += 1;
    }
    if page.count > 0 {
        out.push(&page.finish(room, &seal))?;
    }
    let filter = filter.to_bytes();
    out.push(&directory)?;
    out.push(&filter)?;
    let tables_crc = stamp.of_tables(&[&directory, &filter]);
    let pages = (directory.len() / 8) as u64;
    let sizes = [pages, directory.len() as u64, filter.len() as u64, u64::from(tables_crc), salt];
    out.push(&footer(&stamp, segments, count, sizes))?;
    out.flush()?;
    file.sync_data()
}

fn footer(stamp: &Stamp, segments: (u64, u64), count: u64, sizes: [u64; 5]) -> [u8; FOOTER_BYTES] {
    let mut footer = [0; FOOTER_BYTES];
    footer[..8].copy_from_slice(MAGIC);
    footer[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    let words = [segments.0, segments.1, count].into_iter().chain(sizes);
    for (slot, word) in footer[16..].chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    let crc = stamp.of_footer(&footer);
    footer[12..16].copy_from_slice(&crc.to_le_bytes());
    footer
}

/// What makes a page one of its file.
struct Seal<'a> {
    stamp: Stamp,
    cipher: Option<&'a Cipher>,
}

#[derive(Default)]
struct Page {
    bytes: Vec<u8>,
    count: u16,
    /// Which page of the file it is.
    number: u64,
}

impl Page {
    fn start(&mut self) {
        self.bytes.clear();
        self.bytes.resize(PAGE_HEADER_BYTES, 0);
    }

    fn push(&mut self, name: &HashedName, entry: &HashedEntry) {
        let len = u16::try_from(entry.value.len()).expect("hashed values are limited to 1 KiB");
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(&entry.expires_at_ms.to_le_bytes());
        self.bytes.extend_from_slice(&len.to_le_bytes());
        self.bytes.extend_from_slice(&entry.value);
        self.count += 1;
    }

    fn finish(&mut self, room: usize, seal: &Seal<'_>) -> Vec<u8> {
        self.bytes.resize(room, 0);
        self.bytes[4..6].copy_from_slice(&self.count.to_le_bytes());
        if let Some(cipher) = seal.cipher {
            let tag = cipher.seal(counted(self.number), b"", &mut self.bytes[4..]);
            self.bytes.extend_from_slice(&tag);
        }
        let crc = seal.stamp.of_page(self.number, &self.bytes[4..]);
        self.number += 1;
        self.bytes[..4].copy_from_slice(&crc.to_le_bytes());
        self.count = 0;
        std::mem::take(&mut self.bytes)
    }
}

struct Out<'a> {
    file: &'a dyn File,
    offset: u64,
    buffer: Vec<u8>,
}

impl Out<'_> {
    fn push(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= SLICE_BYTES {
            self.flush()?;
            self.file.sync_data()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.write_at(&self.buffer, self.offset)?;
        self.offset += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
