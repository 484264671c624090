//! Rebuilding a damaged index while the store serves.
//!
//! A new index is built beside the damaged one from the newest image and the log, every byte of which is
//! checked on the way. It takes the place of the old one by a rename, and of the view between two applies:
//! whatever is published and not in it is in memory and in the log. Until then reads that need the old one
//! fail as [`StoreError::IndexRebuilding`], and writers wait when memory for what is not in the index is
//! used up.
//!
//! If image or log are damaged where the new index would need them, nothing is touched: the old index may
//! be the only copy of what it still holds.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cairn_log::{FrameKind, KeptFiles, Log, Op, Ops, Watch};
use cairn_seam::{DamagedAt, Finding, StoreError};
use parking_lot::RwLockReadGuard;

use crate::generation::Generation;
use crate::image;
use crate::index::{self, Applied, Cursor, Index};
use crate::shared::Shared;

/// How often the new index is brought up to date before the applier has to stand still for the rest.
const ROUNDS_MAX: usize = 8;
/// After a rebuild that failed, this long until the next try.
const RETRY: Duration = Duration::from_secs(30);
/// The same if somebody else was in the way.
const RETRY_SOON: Duration = Duration::from_millis(100);

/// What the alarm is rung with by a verification, which names the damage in its own report.
pub(crate) const FOUND_BY_VERIFYING: &str = "it was found damaged when it was verified";

/// What came of trying to rebuild the index.
#[derive(Debug)]
pub(crate) enum Mended {
    /// It is not damaged.
    NotNeeded,
    /// It was rebuilt.
    Done,
    /// History is being thinned out: later.
    Later,
    /// It could not be rebuilt.
    Failed(StoreError),
}

impl Shared {
    /// The thread that rebuilds the index as soon as it turns out to be damaged.
    pub(crate) fn run_mender(&self) {
        while self.place.alarm.wait_rung() {
            let again_after = match self.mend_index() {
                Mended::NotNeeded | Mended::Done => continue,
                Mended::Later => RETRY_SOON,
                Mended::Failed(_) => RETRY,
            };
            if !self.place.alarm.rest(again_after) {
                return;
            }
        }
    }

    /// Rebuilds the index if it is damaged.
    pub(crate) fn mend_index(&self) -> Mended {
        if self.place.alarm.why().is_none() {
            return Mended::NotNeeded;
        }
        if let Err(refusal @ StoreError::ReadOnly { .. }) = self.check_poison() {
            return Mended::Failed(refusal);
        }
        // Not waited for: whoever holds it may wait for the applier, which waits for a new index.
        match self.thinning.try_read() {
            Some(history_stays) => self.mend_index_with(&history_stays),
            None => Mended::Later,
        }
    }

    /// The same for somebody who keeps history from being thinned out already.
    pub(crate) fn mend_index_with(&self, _history_stays: &RwLockReadGuard<'_, ()>) -> Mended {
        let _one_at_a_time = self.mending.lock();
        let Some(why) = self.place.alarm.why() else { return Mended::NotNeeded };
        match self.rebuild_index() {
            Ok(()) => {
                self.note_index(&why, "rebuilt from image and log", true);
                Mended::Done
            }
            Err(StoreError::Stopped) => Mended::Later,
            Err(error) => {
                // Half an index is of no use, and takes room.
                let _ = self.place.remove_unfinished();
                let failure = error.to_string();
                self.note_index(&why, &format!("it cannot be rebuilt: {failure}"), false);
                self.place.alarm.failed(&failure);
                // Writers that wait for room are refused now.
                self.signals.made_room();
                Mended::Failed(error)
            }
        }
    }

    /// Writes down what came of damage that a read or the applier met. Who found it by verifying says so.
    fn note_index(&self, why: &str, outcome: &str, repaired: bool) {
        if why == FOUND_BY_VERIFYING {
            if repaired {
                // It may have been in the way of somebody then, and was reported as it was.
                self.scrub.note_rebuilt(index::FILE);
            }
            return;
        }
        let detail = format!("{why}; {outcome}");
        let finding = Finding { file: index::FILE.into(), offset: 0, detail, repaired };
        self.scrub.note(&[index::FILE.to_owned()], vec![finding]);
    }

    /// Why writers are refused because of the index: it cannot be rebuilt, and no more fits into memory.
    pub(crate) fn check_index(&self) -> Result<(), StoreError> {
        match self.place.alarm.failure() {
            Some(why) if self.view().unapplied_bytes() >= self.options.unapplied_bytes_max => {
                Err(self.place.damaged_at(format!("the index is damaged and cannot be rebuilt: {why}")))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn rebuild_index(&self) -> Result<(), StoreError> {
        let _files_stay = KeptFiles::new(Arc::clone(&self.log));
        self.check_space_for(self.index().bytes())?;
        let (index, mut at) = self.build_from_image()?;
        for _ in 0..ROUNDS_MAX {
            let to = self.view().position;
            self.replay_into(&index, at, to)?;
            at = to;
            if self.view().position.saturating_sub(to) < self.options.apply_bytes {
                break;
            }
        }
        let _index_stays_as_it_is = self.applying.lock();
        let to = self.view().position;
        self.replay_into(&index, at, to)?;
        let applied = Applied::to(to);
        index.apply(&Generation::default(), &Cursor::default(), applied)?;
        self.swap_index(index.take_place(&self.place)?, to)
    }

    /// Serves from a new index that holds everything up to a position which is published.
    fn swap_index(&self, index: Index, position: u64) -> Result<(), StoreError> {
        let shown = Arc::new(index.view()?);
        let old = std::mem::replace(&mut *self.index.write(), Arc::new(index));
        let mut frozen = None;
        self.change_view(|view| {
            // What is in memory beyond the position is in the active generation, which stays.
            view.index = shown;
            frozen = view.frozen.take();
        });
        self.counters.applied_to.store(position, Ordering::Relaxed);
        self.retired.lock().extend(frozen);
        self.replaced.lock().push(old);
        self.place.alarm.clear();
        self.free_retired();
        self.signals.made_room();
        Ok(())
    }

    /// A new index with what the newest image holds, and up to where that is.
    fn build_from_image(&self) -> Result<(Index, u64), StoreError> {
        let create = || Index::create_beside(&self.place, self.log.store_id(), self.options.cache_bytes);
        let index = create()?;
        let Some(row) = self.log.image() else {
            self.check_history()?;
            return Ok((index, 0));
        };
        match image::load(&self.options, &self.dir, row, &index) {
            Ok(()) => Ok((index, row.position)),
            Err(StoreError::Damaged(_)) if self.log.has_all_history() => {
                // The log has everything that the image has.
                drop(index);
                Ok((create()?, 0))
            }
            Err(error) => Err(error),
        }
    }

    fn check_history(&self) -> Result<(), StoreError> {
        if self.log.has_all_history() {
            return Ok(());
        }
        let detail = "the log lacks its start, and there is no image".to_owned();
        Err(StoreError::Damaged(DamagedAt { file: self.dir.join("MANIFEST"), offset: 0, detail }))
    }

    /// Adds every transaction after one position up to another, which is published.
    fn replay_into(&self, index: &Index, after: u64, to: u64) -> Result<(), StoreError> {
        let mut replay = Replay::new(index, self.options.apply_bytes);
        let mut end = None;
        for segment in self.log.segments() {
            if segment.end() <= after || segment.base > to {
                continue;
            }
            if end.map_or(segment.base > after, |end| end != segment.base) {
                return Err(self.damaged_segment(segment.number, "segments before it are missing"));
            }
            end = Some(segment.end());
            let mut on_bytes = |_| !self.place.alarm.is_stopped();
            let is_whole = self.log.read_again(&segment, &mut Watch::paced(&mut on_bytes), &mut |frame| {
                if frame.kind == FrameKind::Transaction && frame.position > after && frame.position <= to {
                    replay.transaction(frame.position, frame.body);
                }
            })?;
            if !is_whole || !replay.makes_sense {
                return Err(self.damaged_segment(segment.number, "it cannot be read to its end"));
            }
            replay.outcome.clone()?;
        }
        replay.flush();
        replay.outcome
    }

    fn damaged_segment(&self, number: u64, detail: &str) -> StoreError {
        let file = self.dir.join(Log::segment_name(number));
        StoreError::Damaged(DamagedAt { file, offset: 0, detail: detail.into() })
    }
}

/// Gathers transactions and loads them in portions.
struct Replay<'a> {
    index: &'a Index,
    /// Bytes that are loaded at once.
    portion_bytes: u64,
    generation: Generation,
    makes_sense: bool,
    outcome: Result<(), StoreError>,
}

impl<'a> Replay<'a> {
    fn new(index: &'a Index, portion_bytes: u64) -> Self {
        let generation = Generation::default();
        Replay { index, portion_bytes, generation, makes_sense: true, outcome: Ok(()) }
    }

    fn transaction(&mut self, position: u64, body: &[u8]) {
        for op in Ops::new(body) {
            let (keyspace, key, slot) = match op {
                Ok(Op::Put { keyspace, key, value }) => (keyspace, key, Some(Arc::from(value))),
                Ok(Op::Delete { keyspace, key }) => (keyspace, key, None),
                Ok(Op::Hashed { .. } | Op::Event { .. }) => continue,
                Err(_) => {
                    self.makes_sense = false;
                    return;
                }
            };
            self.generation.insert(keyspace, position, [(Arc::from(key), slot)]);
        }
        if self.generation.bytes() >= self.portion_bytes {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.outcome.is_ok() {
            self.outcome = self.index.load(&std::mem::take(&mut self.generation), None);
        }
    }
}
