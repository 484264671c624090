//! The applier: moves published changes into the index.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_seam::StoreError;

use crate::generation::Generation;
use crate::index::{Applied, Cursor};
use crate::options::Background;
use crate::shared::Shared;

impl Shared {
    /// Moves everything published so far into the index in one durable commit.
    ///
    /// After a failed write the store refuses writes until it is opened again: the log has everything.
    /// While the index is damaged, or the disk has no room, everything stays where it is.
    pub(crate) fn apply(&self) -> Result<bool, StoreError> {
        let _one_at_a_time = self.applying.lock();
        if let Some(detail) = self.place.alarm.why() {
            // What is published stays in memory until there is a new index.
            return Err(StoreError::IndexRebuilding { detail });
        }
        if self.check_space().is_err() {
            // An index that cannot grow fails for good; what is not in it waits in memory and in the log.
            return Ok(false);
        }
        let Some((frozen, applied)) = self.freeze()? else { return Ok(false) };
        // redb asserts what it believes about its file; damage may prove it wrong.
        let moved = catch_unwind(AssertUnwindSafe(|| self.move_into_index(&frozen, applied)));
        let moved = moved.unwrap_or_else(|_| Err(self.place.damaged(&"redb panicked")));
        if let Err(error) = moved {
            if error.is_full() && self.closed.load(Ordering::Relaxed) {
                // It waited for room until the store was closed; the next opening replays the log.
                return Ok(false);
            }
            // A damaged index is rebuilt beside, and the frozen generation is read until then. A write that
            // failed is another matter.
            if !matches!(error, StoreError::IndexRebuilding { .. }) {
                self.poison(&error);
            }
            return Err(error);
        }
        self.change_view(|view| view.frozen = None);
        self.retired.lock().push(frozen);
        self.free_retired();
        self.counters.applied_to.store(applied.position, Ordering::Relaxed);
        self.counters.applies.fetch_add(1, Ordering::Relaxed);
        self.signals.made_room();
        Ok(true)
    }

    /// Frees generations and replaced indexes that no view holds any more.
    pub(crate) fn free_retired(&self) {
        let closed: Vec<_> = self.replaced.lock().extract_if(.., |index| !index.is_viewed()).collect();
        drop(closed);
        let is_free = |generation: &mut Arc<Generation>| Arc::strong_count(generation) == 1;
        let free: Vec<_> = self.retired.lock().extract_if(.., is_free).collect();
        drop(free);
    }

    /// Moves a generation portion by portion, and shows each to new readers at once, so that the index
    /// can reuse what only older ones needed.
    fn move_into_index(&self, frozen: &Generation, applied: Applied) -> Result<(), StoreError> {
        let mut cursor = Some(Cursor::default());
        while let Some(from) = cursor {
            let is_threaded = self.options.background == Background::Threads;
            let is_pressed = self.view().unapplied_bytes() >= self.options.apply_bytes / 2;
            let index = self.index();
            index.pace.set_leisurely(is_threaded && !is_pressed && !self.closed.load(Ordering::Relaxed));
            cursor = index.apply(frozen, &from, applied)?;
            let index = Arc::new(index.view()?);
            self.change_view(|view| view.index = index);
        }
        Ok(())
    }

    /// Lets new changes go to a new generation, between two groups; `None` when there are none.
    ///
    /// With both locks no group is in flight, and one that failed has poisoned the store already: what
    /// it left in the active generation never gets further.
    fn freeze(&self) -> Result<Option<(Arc<Generation>, Applied)>, StoreError> {
        let _no_group_is_made = self.committer.lock();
        let disk = self.disk.lock();
        self.check_poison()?;
        let applied_to = self.counters.applied_to.load(Ordering::Relaxed);
        let mut frozen = None;
        self.change_view(|view| {
            // Also without changes to keys: what else was committed need not be replayed again.
            if view.position > applied_to {
                // Between two groups the log ends with the run of the last transaction.
                let end = disk.writer.synced_to();
                let applied = Applied { position: view.position, synced_to: end, covers_to: end };
                let generation = std::mem::take(&mut view.active);
                view.frozen = Some(Arc::clone(&generation));
                frozen = Some((generation, applied));
            }
        });
        Ok(frozen)
    }
}
