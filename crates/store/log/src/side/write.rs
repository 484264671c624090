//! Writing a side file.

use cairn_base::fs::File;

use super::filter::Filter;
use super::{ENTRY_HEADER_BYTES, FOOTER_BYTES, FORMAT, MAGIC, PAGE_BYTES, PAGE_HEADER_BYTES};
use crate::hashed::{HashedEntry, HashedName};
use crate::seal::{Cipher, TAG_BYTES, counted};

/// Bytes written between two syncs: a large file must not delay the log's own syncs.
const SLICE_BYTES: usize = 1 << 20;

/// What a sealed file is written with.
pub(crate) struct Seal {
    pub(crate) cipher: Cipher,
    pub(crate) salt: u64,
}

/// Writes sorted entries as the side file of a run of segments, and syncs it.
///
/// `count_hint` sizes the filter and must not be smaller than the number of entries by much.
pub(crate) fn write(
    file: &dyn File,
    segments: (u64, u64),
    count_hint: usize,
    sorted: impl Iterator<Item = (HashedName, HashedEntry)>,
    seal: Option<&Seal>,
) -> std::io::Result<()> {
    let room = PAGE_BYTES - if seal.is_some() { TAG_BYTES } else { 0 };
    let mut out = Out { file, offset: 0, buffer: Vec::new() };
    let mut filter = Filter::for_count(count_hint);
    let mut directory = Vec::new();
    let mut page = Page::default();
    let mut count = 0u64;
    for (name, entry) in sorted {
        if page.bytes.len() + ENTRY_HEADER_BYTES + entry.value.len() > room {
            out.push(&page.finish(room, seal))?;
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
        out.push(&page.finish(room, seal))?;
    }
    let filter = filter.to_bytes();
    out.push(&directory)?;
    out.push(&filter)?;
    let tables_crc = crc32c::crc32c_append(crc32c::crc32c(&directory), &filter);
    let pages = (directory.len() / 8) as u64;
    let sizes = [
        pages,
        directory.len() as u64,
        filter.len() as u64,
        u64::from(tables_crc),
        seal.map_or(0, |seal| seal.salt),
    ];
    out.push(&footer(segments, count, sizes))?;
    out.flush()?;
    file.sync_data()
}

fn footer(segments: (u64, u64), count: u64, sizes: [u64; 5]) -> [u8; FOOTER_BYTES] {
    let mut footer = [0; FOOTER_BYTES];
    footer[..8].copy_from_slice(MAGIC);
    footer[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    let words = [segments.0, segments.1, count].into_iter().chain(sizes);
    for (slot, word) in footer[16..].chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    let crc = crc32c::crc32c_append(crc32c::crc32c(&footer[..12]), &footer[16..]);
    footer[12..16].copy_from_slice(&crc.to_le_bytes());
    footer
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

    fn finish(&mut self, room: usize, seal: Option<&Seal>) -> Vec<u8> {
        self.bytes.resize(room, 0);
        self.bytes[4..6].copy_from_slice(&self.count.to_le_bytes());
        if let Some(Seal { cipher, .. }) = seal {
            let tag = cipher.seal(counted(self.number), b"", &mut self.bytes[4..]);
            self.bytes.extend_from_slice(&tag);
        }
        self.number += 1;
        let crc = crc32c::crc32c(&self.bytes[4..]);
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
