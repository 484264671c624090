//! Writing down what opening found, and making the log ready to be written.

use std::sync::Arc;

use cairn_base::fs::FileSystem;
use cairn_seam::StoreError;

use super::{Found, Recovered, Recovery};
use crate::log::{Log, Segment, Spare};
use crate::manifest::{self, Manifest, SegmentState, SideRow};
use crate::side::{self, SideFile};
use crate::writer::{LogPlan, LogWriter};
use crate::{housekeep, segment, set_aside};

impl Recovery {
    /// Writes down what was found and opens the log for writing. Nothing of it needs room on the disk: what
    /// has none is left for later.
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
        let segments: Vec<Segment> = self.found.iter().map(|found| found.segment).collect();
        // No position is given twice, also if everything behind one is missing.
        let end = segments.last().map_or(0, Segment::end).max(self.from.synced_to);
        for found in self.found.iter().filter(|found| !found.sealed) {
            let name = segment::file_name(found.segment.number);
            if found.file.len().map_err(self.log.io("measuring", &name))? > found.segment.bytes {
                found.file.set_len(found.segment.bytes).map_err(self.log.io("cutting", &name))?;
                found.file.sync_data().map_err(self.log.io("syncing", &name))?;
            }
        }
        *self.log.segments.write() = segments;
        let mut unused = std::mem::take(&mut self.unused).into_iter();
        if self.log.sealer.is_some() {
            // Something may have been written to one of them and lost with the power, or be written to it
            // in a copy of this directory: other bytes under the same key, at the same positions. Its
            // number may also be older than the newest root. A segment of our own has neither trouble.
            unused.by_ref().for_each(|spare| self.log.forget_file(spare.number));
        }
        let spare = unused.next();
        for number in empty.iter().map(|found| found.segment.number).chain(unused.map(|spare| spare.number)) {
            self.log.forget_file(number);
        }
        let mut after = before.clone();
        after.image = after.image.filter(|image| image.position < end);
        match self.tidy_up(&after, &before, spare.as_ref()) {
            Ok(tidied) => after = tidied,
            // The segments stay open, with their entries in memory: housekeeping seals them once there is
            // room. Nothing goes that the manifest on disk lists.
            Err(error) if error.is_full() => {
                after.segments = self.rows(spare.as_ref(), |found| found.sealed);
                after.sides = self.side_rows();
                after.next = after.next.max(self.log.manifest.lock().next);
                let listed = after.file_names();
                *self.log.leftovers.lock() =
                    before.file_names().into_iter().filter(|name| !listed.contains(name)).collect();
                self.report.untidy = true;
            }
            Err(error) => return Err(error),
        }
        *self.log.manifest.lock() = after;
        *self.log.spare.lock() = spare;
        let log = Arc::new(self.log);
        log.remove_stray_blobs()?;
        let plan = LogPlan::new(Arc::clone(&log), end);
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
        let plan = LogPlan::new(Arc::clone(&log), end);
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
                self.report.torn =
                    Some(format!("cut {bytes} unacknowledged bytes off {name} at byte {}, {aside}", cut.end));
            }
        }
        Ok(())
    }

    /// Gives every segment its side file, marks all as sealed, and removes what nothing needs.
    fn tidy_up(
        &self,
        found: &Manifest,
        before: &Manifest,
        spare: Option<&Spare>,
    ) -> Result<Manifest, StoreError> {
        let made = self.rebuild_sides()?;
        let mut after = found.clone();
        after.segments = self.rows(spare, |_| true);
        after.sides = self.side_rows();
        after.sides.extend(made.iter().map(|side| housekeep::row(side)));
        after.sides.sort_by_key(|side| side.first_segment);
        after.next = after.next.max(self.log.manifest.lock().next);
        if after != *before {
            let written = after.write(&*self.log.options.fs, &self.log.options.dir);
            written.inspect_err(|error| self.give_up_sides(&made, error))?;
        }
        self.log.change_hashed(|view| {
            view.recent.clear();
            view.sides.extend(made);
            view.sides.sort_by_key(|side| side.first_segment);
        });
        remove_strays(&*self.log.options.fs, &self.log, &after.file_names())?;
        Ok(after)
    }

    /// The segments for the manifest, in the order of numbers.
    fn rows(&self, spare: Option<&Spare>, is_sealed: impl Fn(&Found) -> bool) -> Vec<(u64, SegmentState)> {
        let state = |found: &Found| {
            let Segment { number, base, salt, bytes, .. } = found.segment;
            match is_sealed(found) {
                true => (number, SegmentState::Sealed { base, bytes, salt }),
                false => (number, SegmentState::Open { salt }),
            }
        };
        let spare = spare.map(|spare| (spare.number, SegmentState::Open { salt: spare.salt }));
        let mut rows: Vec<_> = self.found.iter().map(state).chain(spare).chain(self.missing_rows()).collect();
        rows.sort_by_key(|(number, _)| *number);
        rows
    }

    fn side_rows(&self) -> Vec<SideRow> {
        self.log.hashed.read().sides.iter().map(|side| housekeep::row(side)).collect()
    }

    /// Writes a side file for every segment that has none.
    fn rebuild_sides(&self) -> Result<Vec<Arc<SideFile>>, StoreError> {
        let mut made = Vec::new();
        let kept = self.found.iter().map(|found| found.segment.number);
        for number in kept.filter(|number| self.unsided.contains(number)) {
            let side = self.log.side_from_recent(number);
            made.push(side.inspect_err(|error| self.give_up_sides(&made, error))?);
        }
        Ok(made)
    }

    /// Removes side files that nothing lists when the disk is full: they take room, and the entries are in
    /// memory.
    fn give_up_sides(&self, made: &[Arc<SideFile>], error: &StoreError) {
        for side in made.iter().filter(|_| error.is_full()) {
            // Best effort: the next opening removes them.
            let _ = self.log.options.fs.remove(&self.log.path(&side::file_name(side.number)));
        }
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
