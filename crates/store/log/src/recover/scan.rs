//! Reading the log at opening, and telling a torn tail from damage.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use super::{Found, Progress, Recovery, Replay};
use crate::batch::BadBatch;
use crate::frame::FrameKind;
use crate::gather::gather_hashed;
use crate::log::{Recent, Spare};
use crate::manifest::SegmentState;
use crate::runs::{self, RunReader, Step};
use crate::set_aside::Cut;
use crate::{segment, set_aside};

/// The newest part of the log is verified at every opening, at least this much of it.
const VERIFY_BYTES: u64 = 64 << 20;

/// How far into a file that seems unused is looked for bytes.
const LOOK_BYTES: u64 = 64 << 10;

/// Where a segment stops being whole.
pub(super) struct Bad {
    pub(super) index: usize,
    /// Offset of the first bad byte.
    bad_at: u64,
    /// Offset behind the last whole run.
    end: u64,
}

impl Recovery {
    pub(super) fn scan(&mut self, replay: &mut dyn Replay) -> Result<(), StoreError> {
        let first = self.first_to_scan();
        let total: u64 =
            self.found.iter().filter(|found| self.must_scan(found, first)).map(|f| f.limit).sum();
        let mut progress = Progress { done: 0, total };
        self.tell_missing_before(0, replay);
        for index in 0..self.found.len() {
            self.find_base(index);
            if self.must_scan(&self.found[index], first)
                && let Some(bad) = self.scan_segment(index, &mut progress, replay)?
            {
                self.judge(&bad, &mut progress, replay)?;
            }
            self.tell_missing_before(index + 1, replay);
        }
        self.check_unused(&mut progress, replay)?;
        let end = self.found.last().map_or(0, |found| found.segment.end());
        if self.from.synced_to > end {
            let detail = format!("the log ends at position {end}; the index knows {}", self.from.synced_to);
            let name = self.found.last().map_or("MANIFEST".into(), |f| segment::file_name(f.segment.number));
            let offset = self.found.last().map_or(0, |found| found.limit);
            self.lose(&name, offset..offset, end..self.from.synced_to, &detail, replay);
            // No position is given twice: the log goes on behind what it once held.
            if let Some(last) = self.found.last_mut() {
                last.segment.bytes = self.from.synced_to - last.segment.base;
            }
        }
        Ok(())
    }

    /// A segment without a header begins where the one before it ended.
    fn find_base(&mut self, index: usize) {
        if self.found[index].is_headless {
            let before = index.checked_sub(1).map_or(0, |before| self.found[before].segment.end());
            self.found[index].segment.base = before;
        }
    }

    /// Looks into files that seem to wait for their first group.
    ///
    /// One that holds bytes lost its header: with its first group, which was then never acknowledged, or
    /// by damage, which later commit frames give away.
    fn check_unused(&mut self, progress: &mut Progress, replay: &mut dyn Replay) -> Result<(), StoreError> {
        let mut clean = Vec::new();
        for spare in std::mem::take(&mut self.unused) {
            let base = self.found.last().map_or(0, |found| found.segment.end());
            let name = segment::file_name(spare.number);
            if self.is_unwritten(&spare)? {
                clean.push(spare);
                continue;
            }
            let len = spare.file.len().map_err(self.log.io("measuring", &name))?;
            let first = segment::HEADER_BYTES as u64;
            let remains = runs::inspect_remains(&*spare.file, spare.salt, base, first, len)
                .map_err(self.log.io("reading", &name))?;
            if remains.synced_to.max(self.from.synced_to) > base {
                self.unsided.insert(spare.number);
                self.found.push(Found::headless(spare));
                let index = self.found.len() - 1;
                self.find_base(index);
                if let Some(bad) = self.scan_segment(index, progress, replay)? {
                    self.judge(&bad, progress, replay)?;
                }
            } else {
                // Never acknowledged, and not to be written over: old frames would fit in between.
                let cut = set_aside::Cut { segment: spare.number, end: 0, used_to: remains.used_to };
                self.log.keep_file(spare.number, &spare.file);
                self.cuts.push(cut);
            }
        }
        self.unused = clean;
        Ok(())
    }

    /// The first segment whose bytes are read whatever else is known.
    fn first_to_scan(&self) -> u64 {
        let mut verified = 0;
        let mut first = u64::MAX;
        if self.from.accept_loss {
            return 0;
        }
        for found in self.found.iter().rev() {
            let replayed = found.sealed && found.segment.end() <= self.from.replay_after;
            if replayed && verified >= VERIFY_BYTES {
                break;
            }
            verified += found.segment.bytes;
            first = found.segment.number;
        }
        first
    }

    fn must_scan(&self, found: &Found, first: u64) -> bool {
        found.segment.number >= first || self.unsided.contains(&found.segment.number)
    }

    /// Reads one segment to its end; `Some` when it is not whole.
    fn scan_segment(
        &mut self,
        index: usize,
        progress: &mut Progress,
        replay: &mut dyn Replay,
    ) -> Result<Option<Bad>, StoreError> {
        let Found { segment, sealed, limit, .. } = self.found[index];
        let file = Arc::clone(&self.found[index].file);
        let name = segment::file_name(segment.number);
        let unsided = self.unsided.contains(&segment.number);
        let recent = Recent::default();
        if unsided {
            self.log.change_hashed(|view| drop(view.recent.insert(segment.number, Arc::clone(&recent))));
        }
        let sealer = self.log.sealer.clone();
        let mut reader = RunReader::new(&*file, &segment, limit, sealer.as_deref());
        let mut last_run_at = reader.offset();
        let bad_at = loop {
            let run_at = reader.offset();
            match reader.next().map_err(self.log.io("reading", &name))? {
                Step::Run(run) => {
                    for frame in run.frames() {
                        if unsided {
                            gather_hashed(&self.log.hash_key, &frame, &mut *recent.write()).map_err(
                                |BadBatch| self.log.damaged(&name, run_at, "a transaction makes no sense"),
                            )?;
                        }
                        if frame.kind == FrameKind::Transaction && frame.position > self.from.replay_after {
                            replay.transaction(&frame)?;
                        }
                    }
                    self.position = run.position;
                    last_run_at = run_at;
                    let done = Progress { done: progress.done + (run.end - segment.base), ..*progress };
                    replay.run_end(run.position, done)?;
                }
                Step::End { bad_at } => break bad_at,
            }
        };
        let end = reader.offset();
        progress.done += limit;
        if !sealed {
            self.write_again(&*file, last_run_at, end).map_err(self.log.io("writing again", &name))?;
        }
        let end_position = reader.position();
        let whole = match self.expected_end(index) {
            Some(expected) => end_position == expected && !self.found[index].is_headless,
            None => false,
        };
        if !whole {
            return Ok(Some(Bad { index, bad_at, end }));
        }
        self.found[index].segment.bytes = end_position - segment.base;
        if segment.packed > 0 {
            self.found[index].segment.packed = end;
        }
        Ok(None)
    }

    /// Whether the log goes on in a segment whose header is lost.
    fn is_followed_by_headless(&self, index: usize) -> Result<bool, StoreError> {
        if self.found[index + 1..].first().is_some_and(|next| next.is_headless) {
            return Ok(true);
        }
        let is_last = index + 1 == self.found.len();
        for spare in self.unused.iter().filter(|_| is_last) {
            if !self.is_unwritten(spare)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a segment that seems to wait for its first group holds nothing.
    fn is_unwritten(&self, spare: &Spare) -> Result<bool, StoreError> {
        let name = segment::file_name(spare.number);
        let len = spare.file.len().map_err(self.log.io("measuring", &name))?;
        let mut start = vec![0; usize::try_from(len.min(LOOK_BYTES)).expect("64 KiB")];
        spare.file.read_at(&mut start, 0).map_err(self.log.io("reading", &name))?;
        Ok(start.iter().all(|byte| *byte == 0))
    }

    /// Position at which a segment ended, if something outside of its frames says so.
    pub(super) fn expected_end(&self, index: usize) -> Option<u64> {
        let Found { segment, sealed, .. } = self.found[index];
        if sealed {
            return Some(segment.end());
        }
        let next = self.found[index + 1..].iter().find(|next| !next.is_headless);
        let missing = self.missing.iter().filter_map(|(_, state)| match state {
            SegmentState::Sealed { base, .. } if *base > segment.base => Some(*base),
            SegmentState::Sealed { .. } | SegmentState::Open { .. } => None,
        });
        missing.chain(next.map(|next| next.segment.base)).min()
    }

    /// Writes the last run once more and syncs it.
    ///
    /// If its own sync failed, the system may hold it in memory as clean although it never reached the
    /// disk, and no later sync would put it there. Every earlier run is known to be synced.
    fn write_again(&self, file: &dyn File, from: u64, to: u64) -> io::Result<()> {
        let mut header = [0; segment::HEADER_BYTES];
        file.read_at(&mut header, 0)?;
        file.write_at(&header, 0)?;
        let mut run = vec![0; usize::try_from(to - from).expect("one run")];
        file.read_at(&mut run, from)?;
        file.write_at(&run, from)?;
        file.sync_data()
    }

    /// Decides between a torn tail and damage, and acts on it.
    fn judge(
        &mut self,
        bad: &Bad,
        progress: &mut Progress,
        replay: &mut dyn Replay,
    ) -> Result<(), StoreError> {
        let Found { segment, sealed, limit, is_headless, .. } = self.found[bad.index];
        let name = segment::file_name(segment.number);
        let file = Arc::clone(&self.found[bad.index].file);
        let remains = runs::inspect_remains(&*file, segment.salt, segment.base, bad.end, limit)
            .map_err(self.log.io("reading", &name))?;
        let expected_end = self.expected_end(bad.index);
        let is_followed = self.is_followed_by_headless(bad.index)?;
        // A segment without a header goes on with the log: what was synced may be in that one.
        let synced_to = if is_followed { 0 } else { self.from.synced_to };
        let known_synced = remains.synced_to.max(synced_to);
        let is_last = bad.index + 1 == self.found.len() && expected_end.is_none();
        let is_damaged = known_synced > segment.base + bad.bad_at || (!is_last && !is_followed);
        if is_damaged || sealed || is_headless {
            let durable_to = expected_end.unwrap_or(synced_to);
            return self.read_around(bad.index, durable_to, progress, replay);
        }
        self.found[bad.index].segment.bytes = bad.end;
        if remains.used_to > bad.end {
            self.cuts.push(Cut { segment: segment.number, end: bad.end, used_to: remains.used_to });
        }
        Ok(())
    }
}
