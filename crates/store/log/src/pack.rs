//! Taking dead blobs out of sealed segments.
//!
//! A packed segment holds the same frames at the same positions, without the dead ones: a gap frame
//! stands where some were taken out. Behind the last frame comes a table that leads from positions to
//! offsets, sorted, each row valid from its position on:
//!
//! ```text
//! position u64 | bytes taken out before it u64 | … | crc32c of all rows u32
//! ```
//!
//! The new file takes the old one's name, so a crash leaves one or the other, and both are whole.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::StoreError;

use crate::blob_frame::BlobFrame;
use crate::frame::{self, FrameKind, u32_at, u64_at};
use crate::log::{Log, Segment};
use crate::manifest::SegmentState;
use crate::runs::{RunReader, Step};
use crate::seal::Sealer;
use crate::segment::{self, SegmentHeader};

const WRITE_BYTES: usize = 1 << 20;
/// Bytes written between two syncs: the log's own syncs never wait for more of ours.
const SYNC_EVERY_BYTES: u64 = 4 << 20;
/// How long the disk is left to others after each of those.
const PAUSE: Duration = Duration::from_millis(15);
const ROW_BYTES: usize = 16;
/// Tables kept in memory; more are read again when needed.
const TABLES_MAX: usize = 32;

/// A blob as it stands in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobInSegment {
    /// Whose it is.
    pub tenant: TenantId,
    /// Its name.
    pub hash: ContentHash,
    /// Position of its frame.
    pub position: u64,
    /// Bytes its frame takes.
    pub stored_bytes: u64,
}

/// What leads from positions to offsets in a packed segment.
pub(crate) type PackTable = Arc<[(u64, u64)]>;

impl Log {
    /// Every complete segment, oldest first.
    pub fn sealed_segments(&self) -> Vec<Segment> {
        let manifest = self.manifest.lock();
        let is_sealed = |segment: &Segment| {
            let mut rows = manifest.segments.iter().filter(|(number, _)| *number == segment.number);
            rows.any(|(_, state)| matches!(state, SegmentState::Sealed { .. }))
        };
        self.segments().into_iter().filter(is_sealed).collect()
    }

    /// Calls `visit` with every blob of a complete segment.
    pub fn blobs_of(&self, number: u64, mut visit: impl FnMut(BlobInSegment)) -> Result<(), StoreError> {
        let (segment, file) = self.segment_and_file(number)?;
        self.each_item(&segment, &*file, self.sealer.as_deref(), |item| {
            if let Some(blob) = BlobFrame::decode(item.body).filter(|_| item.kind == FrameKind::Blob) {
                visit(BlobInSegment {
                    tenant: item.tenant,
                    hash: blob.hash,
                    position: item.position,
                    stored_bytes: item.stored_bytes() as u64,
                });
            }
            Ok(())
        })
    }

    /// Calls `visit` with every frame of a complete segment, commit frames included.
    fn each_item(
        &self,
        segment: &Segment,
        file: &dyn File,
        sealer: Option<&Sealer>,
        mut visit: impl FnMut(frame::Frame<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let name = segment::file_name(segment.number);
        let mut reader = RunReader::new(file, segment, segment.frames_end(), sealer);
        loop {
            match reader.next().map_err(self.io("reading", &name))? {
                Step::Run(run) => {
                    run.frames().try_for_each(&mut visit)?;
                    let (position, body) = (run.commit_at, run.commit.encode());
                    let (kind, tenant) = (FrameKind::Commit, TenantId::NODE);
                    visit(frame::Frame { position, kind, tenant, body: &body })?;
                }
                Step::End { bad_at } if bad_at < segment.frames_end() => {
                    return Err(self.damaged(&name, bad_at, "not a valid frame"));
                }
                Step::End { .. } => break,
            }
        }
        if reader.position() != segment.end() {
            return Err(self.damaged(&name, reader.offset(), "the segment ends too early"));
        }
        Ok(())
    }

    /// Writes a complete segment anew without the blobs at positions that `is_dead` names; says how many
    /// bytes that saved.
    pub fn pack(&self, number: u64, is_dead: &dyn Fn(u64) -> bool) -> Result<u64, StoreError> {
        let _one_at_a_time = self.packing.lock();
        let (segment, file) = self.segment_and_file(number)?;
        let name = format!("segment-{number:010}.pack.log");
        let path = self.path(&name);
        let packed = self.write_packed(&segment, &*file, &name, is_dead);
        let (new_file, packed) = packed.inspect_err(|_| drop(self.options.fs.remove(&path)))?;
        {
            // Readers look at the segment, take its file, and look again: they never mix old and new.
            let mut segments = self.segments.write();
            if self.keeps_files() {
                // A backup reads the old file. It looked at the segments after it said so.
                drop(segments);
                self.options.fs.remove(&path).map_err(self.io("removing", &name))?;
                return Ok(0);
            }
            let final_name = segment::file_name(number);
            let renamed = self.options.fs.rename(&path, &self.path(&final_name));
            renamed.map_err(self.io("naming", &final_name))?;
            self.forget_file(number);
            self.keep_file(number, &new_file);
            self.tables.lock().remove(&number);
            for segment in segments.iter_mut().filter(|segment| segment.number == number) {
                *segment = packed;
            }
        }
        self.options.fs.sync_dir(&self.options.dir).map_err(self.io("syncing the directory of", &name))?;
        let bytes = |file: &dyn File| file.len().map_err(self.io("measuring", &name));
        Ok(bytes(&*file)?.saturating_sub(bytes(&*new_file)?))
    }

    fn write_packed(
        &self,
        segment: &Segment,
        old: &dyn File,
        name: &str,
        is_dead: &dyn Fn(u64) -> bool,
    ) -> Result<(Arc<dyn File>, Segment), StoreError> {
        let mut header = [0; segment::HEADER_BYTES];
        old.read_at(&mut header, 0).map_err(self.io("reading", name))?;
        let header = SegmentHeader::decode(&header, segment.number)
            .ok_or_else(|| self.damaged(&segment::file_name(segment.number), 0, "the header is damaged"))?;
        let file = self.options.fs.create(&self.path(name)).map_err(self.io("creating", name))?;
        let start = segment::HEADER_BYTES as u64;
        let mut out = Out { log: self, file: &*file, at: start, synced: 0, buffer: Vec::new() };
        let mut next = segment.base + start;
        let mut rows: Vec<(u64, u64)> = Vec::new();
        // Without a sealer bodies come, and go, as they are stored.
        self.each_item(segment, old, None, |item| {
            if item.kind == FrameKind::Blob && is_dead(item.position) {
                return Ok(());
            }
            if item.position > next {
                let gap = (item.position - next).to_le_bytes();
                frame::encode(
                    &mut out.buffer,
                    segment.salt,
                    next,
                    FrameKind::Gap,
                    TenantId::NODE,
                    &[&gap],
                    None,
                );
                let offset = out.at + out.buffer.len() as u64;
                rows.push((item.position, item.position - segment.base - offset));
            }
            let frame::Frame { position, kind, tenant, body } = item;
            frame::encode(&mut out.buffer, segment.salt, position, kind, tenant, &[body], None);
            next = position + item.stored_bytes() as u64;
            out.flush(WRITE_BYTES).map_err(self.io("writing", name))
        })?;
        out.flush(0).map_err(self.io("writing", name))?;
        let packed = out.at;
        let mut table: Vec<u8> = Vec::with_capacity(rows.len() * ROW_BYTES + 4);
        for (position, removed) in &rows {
            table.extend_from_slice(&position.to_le_bytes());
            table.extend_from_slice(&removed.to_le_bytes());
        }
        let crc = crc32c::crc32c(&table);
        table.extend_from_slice(&crc.to_le_bytes());
        let finish = || {
            file.write_at(&table, packed)?;
            file.write_at(&SegmentHeader { packed, ..header }.encode(), 0)?;
            file.sync_data()
        };
        finish().map_err(self.io("writing", name))?;
        let segment = Segment { packed, ..*segment };
        // The old file goes for it: it must read as the old one did.
        self.each_item(&segment, &*file, None, |_| Ok(()))?;
        Ok((file, segment))
    }

    /// A segment and its file, which belong together.
    pub(crate) fn segment_and_file(&self, number: u64) -> Result<(Segment, Arc<dyn File>), StoreError> {
        let find = || {
            let segments = self.segments.read();
            let at = segments.binary_search_by_key(&number, |segment| segment.number);
            at.map(|at| segments[at])
                .map_err(|_| self.damaged("MANIFEST", 0, format!("segment {number} is not in the log")))
        };
        loop {
            let segment = find()?;
            let file = self.segment_file(number)?;
            // Else it was packed in this moment, and the file may be either.
            if find()?.packed == segment.packed {
                return Ok((segment, file));
            }
        }
    }

    /// Where in its segment's file a position is.
    pub(crate) fn offset_of(
        &self,
        segment: &Segment,
        file: &dyn File,
        position: u64,
    ) -> Result<u64, StoreError> {
        let offset = position - segment.base;
        if segment.packed == 0 {
            return Ok(offset);
        }
        let table = self.pack_table(segment, file)?;
        let behind = table.partition_point(|(from, _)| *from <= position);
        let removed = behind.checked_sub(1).map_or(0, |at| table[at].1);
        Ok(offset.saturating_sub(removed))
    }

    fn pack_table(&self, segment: &Segment, file: &dyn File) -> Result<PackTable, StoreError> {
        if let Some(table) = self.tables.lock().get(&segment.number) {
            return Ok(Arc::clone(table));
        }
        let table = match self.read_pack_table(segment, file)? {
            Some(table) => table,
            None => self.rebuild_pack_table(segment, file)?,
        };
        let mut tables = self.tables.lock();
        if tables.len() >= TABLES_MAX {
            tables.clear();
        }
        tables.insert(segment.number, Arc::clone(&table));
        Ok(table)
    }

    /// The table as it stands in the file; `None` when it was cut off or is damaged.
    pub(crate) fn read_pack_table(
        &self,
        segment: &Segment,
        file: &dyn File,
    ) -> Result<Option<PackTable>, StoreError> {
        let name = segment::file_name(segment.number);
        let len = file.len().map_err(self.io("measuring", &name))?;
        let Some(table_bytes) =
            len.checked_sub(segment.packed + 4).and_then(|bytes| usize::try_from(bytes).ok())
        else {
            return Ok(None);
        };
        let mut table = vec![0; table_bytes + 4];
        file.read_at(&mut table, segment.packed).map_err(self.io("reading", &name))?;
        let (rows, crc) = table.split_at(table_bytes);
        if crc32c::crc32c(rows) != u32_at(crc, 0) {
            return Ok(None);
        }
        Ok(Some(rows.chunks_exact(ROW_BYTES).map(|row| (u64_at(row, 0), u64_at(row, 8))).collect()))
    }

    fn rebuild_pack_table(&self, segment: &Segment, file: &dyn File) -> Result<PackTable, StoreError> {
        let start = segment::HEADER_BYTES as u64;
        let (mut next, mut offset) = (segment.base + start, start);
        let mut rows = Vec::new();
        self.each_item(segment, file, None, |item| {
            if item.position > next {
                offset += frame::stored_bytes(8) as u64;
                rows.push((item.position, item.position - segment.base - offset));
            }
            next = item.position + item.stored_bytes() as u64;
            offset += item.stored_bytes() as u64;
            Ok(())
        })?;
        Ok(rows.into())
    }
}

/// A file that is written from front to back.
struct Out<'a> {
    log: &'a Log,
    file: &'a dyn File,
    at: u64,
    synced: u64,
    buffer: Vec<u8>,
}

impl Out<'_> {
    /// Writes what is gathered, if it is more than so many bytes.
    fn flush(&mut self, more_than: usize) -> std::io::Result<()> {
        if self.buffer.len() <= more_than {
            return Ok(());
        }
        self.file.write_at(&self.buffer, self.at)?;
        self.at += self.buffer.len() as u64;
        self.buffer.clear();
        if self.at - self.synced >= SYNC_EVERY_BYTES {
            self.file.sync_data()?;
            self.synced = self.at;
            if self.log.options.leisurely && !self.log.closing.load(Ordering::Relaxed) {
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }
}
