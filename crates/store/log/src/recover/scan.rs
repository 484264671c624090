//! Reading the log at opening, and telling a torn tail from damage.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use super::{Found, Progress, Recovery, Replay};
use crate::batch::BadBatch;
use crate::frame::FrameKind;
use crate::gather::gather_hashed;
use crate::log::Recent;
use crate::runs::{self, RunReader, Step};
use crate::{segment, set_aside};

/// The newest part of the log is verified at every opening, at least this much of it.
const VERIFY_BYTES: u64 = 64 << 20;

/// How far into a file that seems unused is looked for bytes.
const LOOK_BYTES: u64 = 64 << 10;

/// Where a segment stops being whole, and what lies behind.
struct Bad {
    index: usize,
    bad_at: u64,
    end: u64,
    detail: String,
}

impl Recovery {
    pub(super) fn scan(&mut self, replay: &mut dyn Replay) -> Result<(), StoreError> {
        let first = self.first_to_scan();
        let total: u64 =
            self.found.iter().filter(|found| self.must_scan(found, first)).map(|f| f.limit).sum();
        let mut progress = Progress { done: 0, total };
        for index in 0..self.found.len() {
            if !self.must_scan(&self.found[index], first) {
                continue;
            }
            if let Some(bad) = self.scan_segment(index, &mut progress, replay)? {
                return self.judge(&bad);
            }
        }
        self.check_unused()?;
        let end = self.found.last().map_or(0, |found| found.segment.end());
        if self.from.synced_to > end {
            let detail = format!("the log ends at position {end}; the index knows {}", self.from.synced_to);
            let name = self.found.last().map_or("MANIFEST".into(), |f| segment::file_name(f.segment.number));
            let offset = self.found.last().map_or(0, |found| found.segment.bytes);
            self.damage_unless_accepted(&name, offset, &detail)?;
            self.report.lost = Some(detail);
        }
        Ok(())
    }

    /// Looks into files that seem to wait for their first group.
    ///
    /// One that holds bytes lost its header: with its first group, which was then never acknowledged, or
    /// by damage, which later commit frames give away.
    fn check_unused(&mut self) -> Result<(), StoreError> {
        let base = self.found.last().map_or(0, |found| found.segment.end());
        let mut clean = Vec::new();
        for spare in std::mem::take(&mut self.unused) {
            let name = segment::file_name(spare.number);
            let len = spare.file.len().map_err(self.log.io("measuring", &name))?;
            let mut start = vec![0; usize::try_from(len.min(LOOK_BYTES)).expect("64 KiB")];
            spare.file.read_at(&mut start, 0).map_err(self.log.io("reading", &name))?;
            if start.iter().all(|byte| *byte == 0) {
                clean.push(spare);
                continue;
            }
            let first = segment::HEADER_BYTES as u64;
            let remains = runs::inspect_remains(&*spare.file, spare.salt, base, first, len)
                .map_err(self.log.io("reading", &name))?;
            if remains.synced_to > base {
                self.damage_unless_accepted(&name, 0, "the header is damaged, and groups were acknowledged")?;
                self.refuse_to_lose_the_image(base)?;
                self.beyond.push(spare.number);
            } else {
                // Never acknowledged, and not to be written over: old frames would fit in between.
                let cut = set_aside::Cut { segment: spare.number, end: 0, used_to: remains.used_to };
                let aside = set_aside::tail(&self.log, &*spare.file, &cut, false)?;
                let bytes = remains.used_to;
                self.report.torn =
                    aside.map(|aside| format!("took {bytes} unacknowledged bytes out of {name}, {aside}"));
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
        if unsided {
            self.log.change_hashed(|view| drop(view.recent.insert(segment.number, recent)));
        }
        let end_position = reader.position();
        self.found[index].segment.bytes = end_position - segment.base;
        if segment.packed > 0 {
            self.found[index].segment.packed = end;
        }
        let next_base = self.found.get(index + 1).map(|next| next.segment.base);
        let whole = match next_base {
            Some(base) => end_position == base,
            None => sealed && end == limit,
        };
        if whole {
            return Ok(None);
        }
        let detail = if sealed { "the sealed segment is not whole" } else { "not a valid frame" };
        Ok(Some(Bad { index, bad_at, end, detail: detail.into() }))
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
    fn judge(&mut self, bad: &Bad) -> Result<(), StoreError> {
        let Found { segment, sealed, limit, .. } = self.found[bad.index];
        let name = segment::file_name(segment.number);
        let file = Arc::clone(&self.found[bad.index].file);
        let remains = runs::inspect_remains(&*file, segment.salt, segment.base, bad.end, limit)
            .map_err(self.log.io("reading", &name))?;
        let is_last = bad.index + 1 == self.found.len();
        let known_synced = remains.synced_to.max(self.from.synced_to);
        let damaged = !is_last || sealed || known_synced > segment.base + bad.bad_at;
        if damaged && !self.from.accept_loss {
            return Err(self.log.damaged(&name, bad.bad_at, bad.detail.clone()));
        }
        if damaged {
            self.refuse_to_lose_the_image(segment.end())?;
        }
        let cut = set_aside::Cut { segment: segment.number, end: bad.end, used_to: remains.used_to };
        let aside = set_aside::tail(&self.log, &*file, &cut, damaged)?;
        if damaged {
            let later = self.found.split_off(bad.index + 1);
            let later_bytes: u64 = later.iter().map(|found| found.limit).sum();
            for found in &later {
                set_aside::segment(&self.log, found.segment.number)?;
            }
            self.report.lost = Some(format!(
                "everything after position {} is gone: {} bytes of {name} from byte {} with {} readable \
                 transactions, and {} later segments with {later_bytes} bytes; kept aside as lost-* files",
                self.found[bad.index].segment.end(),
                remains.used_to - bad.end,
                bad.end,
                remains.transactions,
                later.len(),
            ));
        } else if let Some(aside) = aside {
            let bytes = remains.used_to - bad.end;
            self.report.torn =
                Some(format!("cut {bytes} unacknowledged bytes off {name} at byte {}, {aside}", bad.end));
        }
        Ok(())
    }
}
