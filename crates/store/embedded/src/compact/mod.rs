//! Compaction: blobs that nothing refers to go, segments that are mostly dead are written anew, and
//! history is thinned out: what is older than a horizon, and what is to be forgotten.
//!
//! Before anything is taken out that a rebuild of the index would need, an image that has it is on disk,
//! and the manifest says that the log cannot do without it. Writers never wait: segments are written anew
//! beside the old ones, and the one being written is left for a new one between two groups.

mod sieve;
mod sweep;

use std::time::Duration;

use cairn_base::Position;
use cairn_log::{BlobInSegment, Segment, Thinned};
use cairn_seam::{Compaction, Forget, MaintenanceReport, OnStage, References, Stage, StoreError};

use self::sieve::{History, Sifter};
use self::sweep::Sweep;
use crate::shared::Shared;
use crate::verify;

impl Shared {
    pub(crate) fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        let _one_at_a_time = self.compacting.lock();
        self.check_poison()?;
        let thins = what.keep_changes.is_some() || what.forget.is_some();
        let _history_is_ours = thins.then(|| self.thinning.write());
        // A backup that is being written holds on to files that have to go.
        let _no_backup = what.forget.is_some().then(|| self.backing_up.lock());
        let mut done = Done::default();
        let sweep = Sweep::new(self, references)?;
        let history = self.begin_thinning(what, on_stage, &mut done)?;
        self.rewrite_segments(&sweep, &history, on_stage, &mut done)?;
        sweep.files(on_stage, &mut done)?;
        if what.forget.is_some() {
            self.log.renew_sides()?;
            self.tail.drop_to(history.forget_to);
            self.log.sync_removals()?;
            done.set_aside = self.log.set_aside_files()?;
        }
        Ok(MaintenanceReport { figures: done.figures(what), ..MaintenanceReport::default() })
    }

    /// Decides how much of history goes, and makes sure that nothing is lost with it.
    fn begin_thinning(
        &self,
        what: &Compaction,
        on_stage: OnStage<'_>,
        done: &mut Done,
    ) -> Result<History, StoreError> {
        let mut history = History::default();
        if let Some(Forget { selections, up_to }) = &what.forget {
            let complete_to = self.complete_segments()?;
            history.forget_to = (*up_to).min(complete_to).to_stored();
            history.selections.clone_from(selections);
        }
        if let Some(keep) = what.keep_changes {
            history.horizon = self.horizon_of(keep)?;
        }
        let records_to = history.horizon.max(history.forget_to);
        if records_to > self.log.thinned().records_to {
            // The image is made of the index, which is derived: the log must agree before it loses records.
            verify::check_index(self, on_stage)?;
        }
        let imaged_to = self.log.image().map_or(0, |image| image.position);
        // One that reaches as far holds nothing that was replaced or deleted before.
        if imaged_to < records_to || self.has_grown_since(imaged_to) {
            self.write_image()?;
            done.images = 1;
        }
        if what.forget.is_some() {
            self.place.mark_forgotten()?;
        }
        self.log.set_thinned(Thinned { records_to, events_to: history.horizon })?;
        Ok(history)
    }

    /// Whether the log has grown noticeably, so that a rebuild would take long.
    fn has_grown_since(&self, imaged_to: u64) -> bool {
        self.view().position.saturating_sub(imaged_to) >= self.options.compact_image_bytes
    }

    /// Leaves the segment that is being written, so that everything up to the position that is returned is
    /// in complete ones.
    pub(crate) fn complete_segments(&self) -> Result<Position, StoreError> {
        let (number, position) = {
            let mut committer = self.committer.lock();
            // With both locks no group is in flight.
            let _disk = self.disk.lock();
            self.check_poison()?;
            let (number, _) = committer.plan.roll_over()?;
            (number, self.view().position)
        };
        self.log.seal_before(number)?;
        Ok(Position::from_stored(position))
    }

    /// The last transaction of the last complete segment in which all are older than `keep`; what is gone
    /// already if there is none.
    fn horizon_of(&self, keep: Duration) -> Result<u64, StoreError> {
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        let before_ms = self.options.clock.now_ms().saturating_sub(keep_ms);
        let mut segments = self.log.segments();
        if let Some(active) = segments.last()
            && self.log.started_at_ms(active.number)? <= before_ms
        {
            // Else a store that is written to seldom would keep everything in it for ever.
            self.complete_segments()?;
            segments = self.log.segments();
        }
        let sealed = self.log.sealed_segments();
        let mut last = None;
        for (segment, next) in segments.iter().zip(segments.iter().skip(1)) {
            // Everything in a segment is older than the next one.
            let is_old = self.log.started_at_ms(next.number)? <= before_ms;
            if !is_old || !sealed.iter().any(|sealed| sealed.number == segment.number) {
                break;
            }
            last = Some(segment.number);
        }
        let gone_to = self.log.thinned().events_to;
        let position = last.map(|number| self.log.last_transaction(number)).transpose()?.flatten();
        Ok(position.unwrap_or(0).max(gone_to))
    }

    fn rewrite_segments(
        &self,
        sweep: &Sweep<'_>,
        history: &History,
        on_stage: OnStage<'_>,
        done: &mut Done,
    ) -> Result<(), StoreError> {
        // Oldest first: nothing is taken out that still hides something older.
        let segments = self.log.sealed_segments();
        let total = segments.iter().map(Segment::frames_end).sum();
        let mut stage = Stage { name: "looking for what is dead", done: 0, total };
        for segment in segments {
            go_on(on_stage, stage)?;
            let mut blobs = Vec::new();
            let read = self.log.frames_of(segment.number, &mut |frame| {
                blobs.extend(BlobInSegment::of(frame));
                Ok(())
            });
            if let Err(StoreError::Damaged(_)) = read {
                // It stays as it is: what can be read in it may be all that is left.
                done.damaged += 1;
                continue;
            }
            read?;
            sweep.segment(&blobs, done)?;
            self.rewrite_segment(&segment, &blobs, sweep, history, done)?;
            stage.done += segment.frames_end();
        }
        Ok(())
    }

    /// Writes a segment anew if it is mostly dead, or if something has to go whatever it saves.
    fn rewrite_segment(
        &self,
        segment: &Segment,
        blobs: &[BlobInSegment],
        sweep: &Sweep<'_>,
        history: &History,
        done: &mut Done,
    ) -> Result<(), StoreError> {
        let mut sifter = Sifter::new(self, sweep, history);
        if history.touches(segment.base) {
            self.log.frames_of(segment.number, &mut |frame| sifter.fate(frame).map(drop))?;
        } else {
            sifter.weigh_blobs(blobs)?;
        }
        let dead = sifter.tally;
        let is_mostly_dead = dead.bytes > 0 && dead.bytes * 2 >= segment.frames_end();
        if !is_mostly_dead && !dead.must_go {
            return Ok(());
        }
        self.check_space_for(segment.frames_end().saturating_sub(dead.bytes))?;
        let mut sifter = Sifter::new(self, sweep, history);
        let freed = self.log.rewrite(segment.number, &mut |frame| sifter.fate(frame))?;
        if let Some(freed) = freed {
            done.rewritten += 1;
            done.freed += freed;
            done.changes += sifter.tally.changes;
        }
        Ok(())
    }
}

/// What was done, for the report.
#[derive(Default)]
struct Done {
    images: u64,
    changes: u64,
    removed: u64,
    files: u64,
    waiting: u64,
    rewritten: u64,
    freed: u64,
    /// Segments that were left alone because something in them cannot be read.
    damaged: u64,
    /// Files beside the log that may hold what was to be forgotten: nobody knows what is in them.
    set_aside: u64,
}

impl Done {
    fn figures(&self, what: &Compaction) -> Vec<(&'static str, u64)> {
        let mut figures = vec![
            ("images_written", self.images),
            ("changes_dropped", self.changes),
            ("blobs_removed", self.removed),
            ("blob_files_removed", self.files),
            ("blobs_waiting", self.waiting),
            ("segments_rewritten", self.rewritten),
            ("bytes_freed", self.freed),
        ];
        if self.damaged > 0 {
            figures.push(("segments_damaged", self.damaged));
        }
        if what.forget.is_some() {
            // What is free in the index is not wiped: it is made anew.
            figures.push(("index_renewed_at_next_opening", 1));
            figures.push(("set_aside_files", self.set_aside));
        }
        figures
    }
}

fn go_on(on_stage: OnStage<'_>, stage: Stage<'_>) -> Result<(), StoreError> {
    if on_stage(stage) { Ok(()) } else { Err(StoreError::Stopped) }
}
