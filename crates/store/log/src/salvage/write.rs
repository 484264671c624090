//! Writing what is left of a segment: every frame at its position, gaps where something is lost.
//!
//! The result is a packed segment like those that compaction writes, with a salt of its own.

use std::sync::Arc;

use cairn_base::TenantId;
use cairn_base::fs::File;

use super::around::RunAround;
use crate::frame::{self, CommitBody, Frame, FrameKind};
use crate::log::Segment;
use crate::pack;
use crate::seal::{Sealer, TAG_BYTES};
use crate::segment::{self, SegmentHeader};

const WRITE_BYTES: usize = 1 << 20;

/// A segment that is written from front to back.
pub(super) struct SegmentOut {
    file: Arc<dyn File>,
    number: u64,
    base: u64,
    salt: u64,
    sealer: Option<Arc<Sealer>>,
    at: u64,
    /// Position behind the last frame.
    next: u64,
    buffer: Vec<u8>,
    /// What the table will say.
    rows: Vec<(u64, u64)>,
}

impl SegmentOut {
    pub(super) fn new(
        file: Arc<dyn File>,
        number: u64,
        base: u64,
        salt: u64,
        sealer: Option<Arc<Sealer>>,
    ) -> Self {
        let at = segment::HEADER_BYTES as u64;
        let (buffer, rows) = (Vec::new(), Vec::new());
        SegmentOut { file, number, base, salt, sealer, at, next: base + at, buffer, rows }
    }

    /// Adds what is left of a run. It gets a transaction, if none is left, and a commit frame, if that is
    /// lost: what was lost in between leaves room for both.
    pub(super) fn run(&mut self, run: &RunAround<'_>) -> std::io::Result<()> {
        let first = run.frames.first().map_or(self.next, |frame| frame.position);
        let run_start = run.commit.map_or(first, |(_, commit)| commit.run_start.min(first)).max(self.next);
        let commit_at = run.commit.map(|(position, _)| position);
        let stand_in = match run.position() {
            Some(_) => None,
            None => room(run, run_start, commit_at, self.tag_bytes()),
        };
        let mut frames: Vec<Frame<'_>> = run.frames.clone();
        if let Some(position) = stand_in {
            let (kind, tenant) = (FrameKind::Transaction, TenantId::NODE);
            let at = frames.partition_point(|frame| frame.position < position);
            frames.insert(at, Frame { position, kind, tenant, body: &[] });
        }
        frames.iter().for_each(|frame| self.frame(frame));
        let synced_to = run.commit.map_or(run_start, |(_, commit)| commit.synced_to.min(run_start));
        let body = CommitBody { synced_to, run_start }.encode();
        let position = commit_at.unwrap_or(run.end).max(self.next);
        self.frame(&Frame { position, kind: FrameKind::Commit, tenant: TenantId::NODE, body: &body });
        self.flush(WRITE_BYTES)
    }

    /// Position behind the last frame.
    pub(super) fn position(&self) -> u64 {
        self.next
    }

    fn tag_bytes(&self) -> usize {
        if self.sealer.is_some() { TAG_BYTES } else { 0 }
    }

    fn frame(&mut self, frame: &Frame<'_>) {
        self.skip_to(frame.position);
        let Frame { position, kind, tenant, body } = *frame;
        let is_sealed = matches!(kind, FrameKind::Transaction | FrameKind::Blob);
        let sealer = self.sealer.as_ref().filter(|_| is_sealed);
        let cipher = sealer.map(|sealer| sealer.of_frames(self.number, self.salt, tenant));
        let before = self.buffer.len();
        frame::encode(&mut self.buffer, self.salt, position, kind, tenant, &[body], cipher.as_deref());
        self.next = position + (self.buffer.len() - before) as u64;
    }

    /// Puts a gap up to a position.
    fn skip_to(&mut self, position: u64) {
        if position <= self.next {
            return;
        }
        let gap = (position - self.next).to_le_bytes();
        frame::encode(&mut self.buffer, self.salt, self.next, FrameKind::Gap, TenantId::NODE, &[&gap], None);
        let offset = self.base + self.at + self.buffer.len() as u64;
        self.rows.push((position, position.wrapping_sub(offset)));
        self.next = position;
    }

    fn flush(&mut self, more_than: usize) -> std::io::Result<()> {
        if self.buffer.len() > more_than {
            self.file.write_at(&self.buffer, self.at)?;
            self.at += self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the segment at a position, and makes it durable. Says what it is.
    pub(super) fn finish(mut self, end: u64, created_ms: u64) -> std::io::Result<Segment> {
        self.skip_to(end);
        self.flush(0)?;
        let SegmentOut { number, base, salt, at: packed, next, .. } = self;
        self.file.write_at(&pack::encode_table(&self.rows), packed)?;
        let header = SegmentHeader { number, base, salt, synced_to: base, created_ms, packed };
        self.file.write_at(&header.encode(), 0)?;
        self.file.sync_data()?;
        Ok(Segment { number, base, salt, bytes: next - base, packed })
    }
}

/// Where a transaction fits that has no entries: in the place of one that is lost.
fn room(run: &RunAround<'_>, run_start: u64, commit_at: Option<u64>, tag_bytes: usize) -> Option<u64> {
    let needed = frame::stored_bytes(tag_bytes) as u64;
    let mut at = run_start;
    for frame in &run.frames {
        if frame.position >= at + needed {
            return Some(at);
        }
        at = frame.position + frame::stored_bytes(frame.body.len() + tag_bytes) as u64;
    }
    // Behind the last one, where the commit frame is not in the way.
    commit_at.is_none_or(|commit_at| at + needed <= commit_at).then_some(at)
}
