//! The bytes of one simulated file: what readers see, what the disk holds, and what lies between.

use std::io;
use std::mem;
use std::ops::Range;

use super::chance::{Chance, Survival, WriteFate};

/// A disk writes a sector whole or not at all.
const SECTOR_BYTES: usize = 512;

/// What a file takes of the disk is counted in blocks of this size.
pub(super) const BLOCK_BYTES: usize = 4096;

/// A stray offset must become an error, not an allocation that ends the test run.
const FILE_BYTES_MAX: u64 = 1 << 32;

/// One file's bytes.
///
/// A write costs its own length and a sync costs what was written since the last one; only
/// [`Content::crash`] copies the file, and only when something was unsynced.
#[derive(Debug, Default)]
pub(super) struct Content {
    current: Vec<u8>,
    durable: Vec<u8>,
    /// Changes since the last sync, oldest first.
    pending: Vec<Change>,
    /// The bytes of the pending writes, back to back in the same order.
    staged: Vec<u8>,
    /// A failed sync gave up changes, so that `durable` plus `pending` is no longer `current`.
    diverged: bool,
    /// Which blocks of the file were written: growing a file leaves holes, which take no room.
    blocks: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    /// Takes the next `len` bytes of `staged`; `grew` when it moved the end of the file.
    Write {
        offset: usize,
        len: usize,
        grew: bool,
    },
    SetLen(usize),
}

impl Content {
    /// A file that is durable from the start.
    pub(super) fn durable(bytes: &[u8]) -> Self {
        let blocks = vec![true; bytes.len().div_ceil(BLOCK_BYTES)];
        Content { current: bytes.to_vec(), durable: bytes.to_vec(), blocks, ..Content::default() }
    }

    /// Bytes that the file takes of the disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        (self.blocks.iter().filter(|is_written| **is_written).count() * BLOCK_BYTES) as u64
    }

    /// How many leading bytes of a write fit when `free_bytes` are free on the disk.
    pub(super) fn fits(&self, offset: u64, len: usize, free_bytes: u64) -> usize {
        let mut left = free_bytes / BLOCK_BYTES as u64;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let mut at = start;
        let end = start.saturating_add(len);
        while at < end {
            let block = at / BLOCK_BYTES;
            if !self.blocks.get(block).copied().unwrap_or(false) {
                let Some(rest) = left.checked_sub(1) else { break };
                left = rest;
            }
            at = ((block + 1) * BLOCK_BYTES).min(end);
        }
        at - start
    }

    pub(super) fn current(&self) -> &[u8] {
        &self.current
    }

    pub(super) fn read(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        if buf.is_empty() {
            return Ok(());
        }
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let bytes = self.current.get(start..start.saturating_add(buf.len()));
        buf.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    pub(super) fn write(&mut self, data: &[u8], offset: u64) -> io::Result<()> {
        let end = bounded(offset.saturating_add(data.len() as u64))?;
        if data.is_empty() {
            return Ok(());
        }
        let offset = end - data.len();
        let grew = end > self.current.len();
        put(&mut self.current, offset, data);
        self.blocks.resize(self.current.len().div_ceil(BLOCK_BYTES), false);
        self.blocks[offset / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES)].fill(true);
        self.staged.extend_from_slice(data);
        self.pending.push(Change::Write { offset, len: data.len(), grew });
        Ok(())
    }

    /// Writes as many leading sectors of `data` as the dice say, perhaps none, perhaps all.
    pub(super) fn write_part(&mut self, data: &[u8], offset: u64, chance: &mut Chance) -> io::Result<()> {
        let end = bounded(offset.saturating_add(data.len() as u64))?;
        let start = end - data.len();
        let count = sectors(start..end).count() as u64;
        let written = chance.below(count + 1) as usize;
        let stop = sectors(start..end).take(written).last().map_or(start, |sector| sector.end);
        self.write(&data[..stop - start], offset)
    }

    pub(super) fn set_len(&mut self, len: u64) -> io::Result<()> {
        let len = bounded(len)?;
        self.current.resize(len, 0);
        self.blocks.resize(len.div_ceil(BLOCK_BYTES), false);
        self.pending.push(Change::SetLen(len));
        Ok(())
    }

    pub(super) fn sync(&mut self) {
        // Keeping everything throws no dice, so these need no seed.
        self.settle(Survival::Everything, &mut Chance::new(0));
    }

    /// A sync that failed: the system forgets that the pending changes were ever unwritten.
    ///
    /// What of them reached the disk is settled here and now, because nothing but a power cut can
    /// show it and no later sync will change it.
    pub(super) fn fail_sync(&mut self, chance: &mut Chance) {
        self.diverged |= !self.pending.is_empty();
        self.settle(Survival::draw(chance), chance);
    }

    /// The power was cut: readers now see what the disk holds.
    pub(super) fn crash(&mut self, survival: Survival, chance: &mut Chance) {
        if self.pending.is_empty() && !self.diverged {
            return;
        }
        self.settle(survival, chance);
        self.current.clone_from(&self.durable);
        // A cut that was lost brings back blocks that were written.
        self.blocks.resize(self.current.len().div_ceil(BLOCK_BYTES), true);
        self.diverged = false;
    }

    /// Moves pending changes to the disk, in order, those and as much of them as survives.
    fn settle(&mut self, survival: Survival, chance: &mut Chance) {
        let mut staged = self.staged.as_slice();
        for change in self.pending.drain(..) {
            match change {
                Change::SetLen(len) if survival.keeps(chance) => self.durable.resize(len, 0),
                Change::SetLen(_) => {}
                Change::Write { offset, len, grew } => {
                    let (data, rest) = staged.split_at(len);
                    staged = rest;
                    match survival.of_write(chance) {
                        WriteFate::Kept => put(&mut self.durable, offset, data),
                        WriteFate::Torn => put_torn(&mut self.durable, offset, data, chance),
                        WriteFate::Lost => {}
                    }
                    // The new length may reach the disk without the bytes.
                    let end = offset + len;
                    if grew && self.durable.len() < end && survival.keeps(chance) {
                        self.durable.resize(end, 0);
                    }
                }
            }
        }
        self.staged.clear();
    }
}

fn bounded(end: u64) -> io::Result<usize> {
    if end > FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    usize::try_from(end).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

fn put(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(data);
}

fn put_torn(bytes: &mut Vec<u8>, offset: usize, data: &[u8], chance: &mut Chance) {
    for sector in sectors(offset..offset + data.len()) {
        if chance.coin() {
            put(bytes, sector.start, &data[sector.start - offset..sector.end - offset]);
        }
    }
}

/// Cuts a range at the sector borders of the file.
fn sectors(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    std::iter::from_fn(move || {
        let end = (start / SECTOR_BYTES + 1).saturating_mul(SECTOR_BYTES).min(range.end);
        (start < end).then(|| mem::replace(&mut start, end)..end)
    })
}
