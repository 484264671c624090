//! Writing down what opening found, and making the log ready to be written.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_base::fs::FileSystem;
use cairn_seam::StoreError;

use super::{Found, Recovered, Recovery};
use crate::log::{Log, Segment, Spare};
use crate::manifest::{self, SegmentState};
use crate::writer::{LogPlan, LogWriter};
use crate::{housekeep, segment, set_aside};

impl Recovery {
    /// Writes down what was found and opens the log for writing.
    pub(super) fn finish(mut self) -> Result<Recovered, StoreError> {
        if self.report.is_incomplete && !self.from.accept_loss {
            return Ok(self.finish_read_only());
        }
        self.cut_tails()?;
        // A segment that was started and holds no whole run is as good as none.
        let header = segment::HEADER_BYTES as u64;
        let empty: Vec<Found> = self.found.extract_if(.., |found| found.segment.bytes <= header).collect();
        let before = self.log.manifest.lock().clone();
        remove_strays(&*self.log.options.fs, &self.log, &before.file_names())?;
        let mut after = before.clone();
        let segments: Vec<Segment> = self.found.iter().map(|found| found.segment).collect();
        // No position is given twice, also if everything behind one is missing.
        let end = segments.last().map_or(0, Segment::end).max(self.from.synced_to);
        after.segments = segments
            .iter()
            .map(|&Segment { number, base, salt, bytes, .. }| {
                (number, SegmentState::Sealed { base, bytes, salt })
            })
            .chain(self.missing_rows())
            .collect();
        for found in self.found.iter().filter(|found| !found.sealed) {
            let name = segment::file_name(found.segment.number);
            if found.file.len().map_err(self.log.io("measuring", &name))? > found.segment.bytes {
                found.file.set_len(found.segment.bytes).map_err(self.log.io("cutting", &name))?;
                found.file.sync_data().map_err(self.log.io("syncing", &name))?;
            }
        }
        let kept: BTreeSet<u64> = segments.iter().map(|segment| segment.number).collect();
        *self.log.segments.write() = segments;
        self.rebuild_sides(&kept)?;
        after.sides = self.log.hashed.read().sides.iter().map(|side| housekeep::row(side)).collect();
        after.next = after.next.max(self.log.manifest.lock().next);
        after.image = after.image.filter(|image| image.position < end);
        let mut unused = std::mem::take(&mut self.unused).into_iter();
        if self.log.sealer.is_some() {
            // Something may have been written to one of them and lost with the power, or be written to it
            // in a copy of this directory: other bytes under the same key, at the same positions. Its
            // number may also be older than the newest root. A segment of our own has neither trouble.
            unused.by_ref().for_each(|spare| self.log.forget_file(spare.number));
        }
        let first = match unused.next() {
            Some(spare) => spare,
            None => {
                let number = after.take_number();
                let salt = self.log.options.entropy.next_u64();
                Spare { number, salt, file: self.log.create_segment_file(number)?, filled: false }
            }
        };
        after.segments.push((first.number, SegmentState::Open { salt: first.salt }));
        let spare = unused.next();
        after
            .segments
            .extend(spare.iter().map(|spare| (spare.number, SegmentState::Open { salt: spare.salt })));
        after.segments.sort_by_key(|(number, _)| *number);
        if after != before {
            after.write(&*self.log.options.fs, &self.log.options.dir)?;
        }
        for number in empty.iter().map(|found| found.segment.number).chain(unused.map(|spare| spare.number)) {
            self.log.forget_file(number);
        }
        remove_strays(&*self.log.options.fs, &self.log, &after.file_names())?;
        *self.log.manifest.lock() = after;
        *self.log.spare.lock() = spare;
        let log = Arc::new(self.log);
        log.remove_stray_blobs()?;
        let plan = LogPlan::new(Arc::clone(&log), first, end);
        let writer = LogWriter::new(Arc::clone(&log), end);
        let (position, report) = (self.position, self.report);
        Ok(Recovered { log, plan, writer, position, read_only: false, report })
    }

    /// Rows of complete segments that are not there: what they held stays known to be lost.
    fn missing_rows(&self) -> impl Iterator<Item = (u64, SegmentState)> {
        self.missing.iter().copied().filter(|(_, state)| matches!(state, SegmentState::Sealed { .. }))
    }

    /// Ends an opening that changes nothing on disk: what is missing may still be found elsewhere.
    fn finish_read_only(self) -> Recovered {
        let segments = self.segments();
        let end = segments.last().map_or(0, Segment::end);
        *self.log.segments.write() = segments;
        self.log.set_read_only();
        let log = Arc::new(self.log);
        let plan = LogPlan::without_segment(Arc::clone(&log));
        let writer = LogWriter::new(Arc::clone(&log), end);
        Recovered { log, plan, writer, position: self.position, read_only: true, report: self.report }
    }

    /// Cuts torn tails off, after what is in them was set aside.
    fn cut_tails(&mut self) -> Result<(), StoreError> {
        for cut in std::mem::take(&mut self.cuts) {
            let name = segment::file_name(cut.segment);
            let file = self.log.segment_file(cut.segment)?;
            if let Some(aside) = set_aside::tail(&self.log, &*file, &cut)? {
                let bytes = cut.used_to - cut.end;
                self.report.torn = Some(format!(
                    "cut {bytes} unacknowledged bytes off {name} at byte {}, kept as {aside}",
                    cut.end
                ));
            }
        }
        Ok(())
    }

    /// Gives every segment that has no side file one.
    fn rebuild_sides(&self, kept: &BTreeSet<u64>) -> Result<(), StoreError> {
        for number in self.unsided.intersection(kept) {
            let side = self.log.side_from_recent(*number)?;
            self.log.change_hashed(|view| {
                view.recent.remove(number);
                view.sides.push(side);
                view.sides.sort_by_key(|side| side.first_segment);
            });
        }
        self.log.change_hashed(|view| view.recent.clear());
        Ok(())
    }
}

/// Removes files of ours that nothing refers to: leftovers of work that was cut short.
fn remove_strays(fs: &dyn FileSystem, log: &Log, keep: &[String]) -> Result<(), StoreError> {
    let names = fs.list(&log.options.dir).map_err(log.io("listing", ""))?;
    for name in names.iter().filter(|name| manifest::is_store_file(name) && !keep.contains(name)) {
        fs.remove(&log.path(name)).map_err(log.io("removing", name))?;
    }
    Ok(())
}
