//! Reading around damage while the log is opened.

use std::ops::Range;
use std::sync::Arc;

use cairn_seam::StoreError;

use super::{Found, Progress, Recovery, Replay, Unreadable};
use crate::frame::{self, FrameKind};
use crate::gather::gather_hashed;
use crate::log::Segment;
use crate::manifest::SegmentState;
use crate::salvage::{Around, Lost, RunAround};
use crate::segment;
use crate::set_aside::Cut;

impl Recovery {
    /// Takes from a damaged segment what can be read, and notes the rest. Everything before `durable_to`
    /// was on disk.
    pub(super) fn read_around(
        &mut self,
        index: usize,
        durable_to: u64,
        progress: &mut Progress,
        replay: &mut dyn Replay,
    ) -> Result<(), StoreError> {
        let Found { segment, is_headless, .. } = self.found[index];
        let name = segment::file_name(segment.number);
        // Twice: what is lost is known at the end, and what follows must not be taken for the whole.
        let around = self.walk(index, durable_to, &mut |_, _| Ok(()))?;
        if is_headless {
            let header = segment::HEADER_BYTES as u64;
            self.lose(&name, 0..header, segment.base..segment.base, "the header is damaged", replay);
        }
        for lost in &around.lost {
            let Lost { offset, position } = lost.clone();
            match self.is_one_blob(index, lost)? {
                // No transaction is missing: whoever reads the blob hears of it.
                true => self.note(&name, offset, position, "a blob is damaged"),
                false => self.lose(&name, offset, position, "not a valid frame", replay),
            }
        }
        let seen = self.position;
        let mut last = seen;
        let recent = self.log.hashed.read().recent.get(&segment.number).cloned();
        let replay_after = self.from.replay_after;
        let done = progress.done;
        let total = progress.total;
        self.walk(index, durable_to, &mut |recovery, run| {
            for frame in &run.frames {
                if let Some(recent) = &recent {
                    let gathered = gather_hashed(&recovery.log.hash_key, frame, &mut *recent.write());
                    gathered.map_err(|_| recovery.senseless(&name, frame.position))?;
                }
                if frame.kind == FrameKind::Transaction && frame.position > replay_after.max(seen) {
                    replay.transaction(frame)?;
                }
            }
            let Some(position) = run.position().filter(|position| *position > seen) else { return Ok(()) };
            last = position;
            replay.run_end(position, Progress { done, total })
        })?;
        self.position = last;
        let found = &mut self.found[index];
        found.segment.bytes = around.end - segment.base;
        if let Some(torn_at) = around.torn_at.filter(|_| !found.sealed) {
            self.cuts.push(Cut { segment: segment.number, end: torn_at, used_to: found.limit });
        }
        Ok(())
    }

    fn walk(
        &self,
        index: usize,
        durable_to: u64,
        visit: &mut dyn FnMut(&Self, &RunAround<'_>) -> Result<(), StoreError>,
    ) -> Result<Around, StoreError> {
        let Found { segment, limit, .. } = self.found[index];
        let file = Arc::clone(&self.found[index].file);
        self.log.read_around(&*file, &segment, limit, durable_to, &mut |run| visit(self, run))
    }

    fn senseless(&self, name: &str, position: u64) -> StoreError {
        let detail = format!("the transaction at position {position} makes no sense");
        self.log.damaged(name, 0, detail)
    }

    /// Notes what segments held that are listed and not there, up to where segment `index` begins.
    pub(super) fn tell_missing_before(&mut self, index: usize, replay: &mut dyn Replay) {
        let number = |found: &Found| found.segment.number;
        let after = index.checked_sub(1).map_or(0, |before| number(&self.found[before]));
        let before = self.found.get(index).map_or(u64::MAX, number);
        let missing: Vec<(u64, SegmentState)> =
            self.missing.iter().filter(|(number, _)| (after..before).contains(number)).copied().collect();
        for (number, state) in missing {
            let end_before = index.checked_sub(1).map_or(0, |before| self.found[before].segment.end());
            let position = match (state, self.found.get(index)) {
                (SegmentState::Sealed { base, bytes, .. }, _) => base..base + bytes,
                (SegmentState::Open { .. }, Some(next)) => end_before..next.segment.base,
                // Nobody knows how much was in it.
                (SegmentState::Open { .. }, None) => end_before..u64::MAX,
            };
            self.lose(&segment::file_name(number), 0..0, position, "the file is missing", replay);
        }
    }

    /// Notes a stretch that cannot be read. Without the index or the image, transactions are missing.
    pub(super) fn lose(
        &mut self,
        name: &str,
        offset: Range<u64>,
        position: Range<u64>,
        detail: &str,
        replay: &mut dyn Replay,
    ) {
        if position.end > self.from.covered_to && !position.is_empty() {
            self.report.is_incomplete = true;
            replay.incomplete();
        }
        self.note(name, offset, position, detail);
    }

    fn note(&mut self, name: &str, offset: Range<u64>, position: Range<u64>, detail: &str) {
        let (file, detail) = (self.log.path(name), detail.to_owned());
        self.report.damage.push(Unreadable { file, offset, position, detail });
    }

    /// Whether what cannot be read is the body of one blob: the header says so, and the next frame stands
    /// where this one ends.
    fn is_one_blob(&self, index: usize, lost: &Lost) -> Result<bool, StoreError> {
        let Found { segment, .. } = self.found[index];
        let bytes = lost.offset.end - lost.offset.start;
        if segment.packed > 0 || bytes < frame::HEADER_BYTES as u64 {
            return Ok(false);
        }
        let mut header = [0; frame::HEADER_BYTES];
        let read = self.found[index].file.read_at(&mut header, lost.offset.start);
        read.map_err(self.log.io("reading", &segment::file_name(segment.number)))?;
        Ok(frame::claims_blob(&header, lost.position.start, bytes))
    }

    /// The segments of the log as they are, whether or not they may be written to.
    pub(super) fn segments(&self) -> Vec<Segment> {
        self.found.iter().map(|found| found.segment).collect()
    }
}
