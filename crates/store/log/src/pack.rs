//! Finding frames in segments that were written anew ([`rewrite`](crate::rewrite)).
//!
//! A packed segment holds frames at the positions they always had, with gap frames where some were taken
//! out. Behind the last frame comes a table that leads from positions to offsets, sorted, each row valid
//! from its position on:
//!
//! ```text
//! position u64 | bytes taken out before it u64 | … | crc32c of all rows u32
//! ```
//!
//! A gap takes bytes itself, so a count may be below zero: it is counted modulo 2^64.

use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::frame::{u32_at, u64_at};
use crate::log::{Log, Segment};
use crate::segment;
use crate::verify::frames::{FrameWalk, Step};

pub(crate) const ROW_BYTES: usize = 16;
/// Tables kept in memory; more are read again when needed.
const TABLES_MAX: usize = 32;

/// What leads from positions to offsets in a packed segment.
pub(crate) type PackTable = Arc<[(u64, u64)]>;

/// What tells one making of a segment's file from the next: number, salt, offset behind the last frame.
pub(crate) type Making = (u64, u64, u64);

/// The table as it is stored.
pub(crate) fn encode_table(rows: &[(u64, u64)]) -> Vec<u8> {
    let mut table: Vec<u8> = Vec::with_capacity(rows.len() * ROW_BYTES + 4);
    for (position, removed) in rows {
        table.extend_from_slice(&position.to_le_bytes());
        table.extend_from_slice(&removed.to_le_bytes());
    }
    let crc = crc32c::crc32c(&table);
    table.extend_from_slice(&crc.to_le_bytes());
    table
}

impl Log {
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
            // Else it was written anew in this moment, and the file may be either.
            if making_of(&find()?) == making_of(&segment) {
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
        Ok(offset.wrapping_sub(removed))
    }

    fn pack_table(&self, segment: &Segment, file: &dyn File) -> Result<PackTable, StoreError> {
        if let Some(table) = self.tables.lock().get(&making_of(segment)) {
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
        tables.insert(making_of(segment), Arc::clone(&table));
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

    /// The table as it follows from the frames that can be read.
    fn rebuild_pack_table(&self, segment: &Segment, file: &dyn File) -> Result<PackTable, StoreError> {
        let name = segment::file_name(segment.number);
        let len = file.len().map_err(self.io("measuring", &name))?;
        // Bodies as they are stored: where they stand is what counts.
        let mut walk = FrameWalk::new(file, *segment, segment.packed.min(len), None);
        let mut rows: Vec<(u64, u64)> = Vec::new();
        loop {
            match walk.next().map_err(self.io("reading", &name))? {
                Step::Frame { frame, offset, .. } => {
                    let removed = (frame.position - segment.base).wrapping_sub(offset);
                    if removed != rows.last().map_or(0, |(_, removed)| *removed) {
                        rows.push((frame.position, removed));
                    }
                }
                Step::Bad { .. } | Step::Sealed { .. } => {}
                Step::End => return Ok(rows.into()),
            }
        }
    }
}

fn making_of(segment: &Segment) -> Making {
    (segment.number, segment.salt, segment.packed)
}
