//! The applier: moves published changes into the index.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_seam::StoreError;

use crate::generation::Generation;
use crate::index::Applied;
use crate::shared::Shared;

impl Shared {
    /// Moves everything published so far into the index in one durable commit.
    ///
    /// After a failure the store refuses writes until it is opened again: the log has everything.
    pub(crate) fn apply(&self) -> Result<bool, StoreError> {
        let _one_at_a_time = self.applying.lock();
        self.check_poison()?;
        let Some((frozen, applied)) = self.freeze() else { return Ok(false) };
        let moved = self.index.apply(&frozen, applied).and_then(|()| self.index.view());
        let index = match moved {
            Ok(index) => Arc::new(index),
            Err(error) => {
                self.poison(&error);
                return Err(error);
            }
        };
        self.change_view(|view| {
            view.frozen = None;
            view.index = index;
        });
        self.counters.applied_to.store(applied.position, Ordering::Relaxed);
        self.counters.applies.fetch_add(1, Ordering::Relaxed);
        self.signals.made_room();
        Ok(true)
    }

    /// Lets new changes go to a new generation, between two groups.
    fn freeze(&self) -> Option<(Arc<Generation>, Applied)> {
        let committer = self.committer.lock();
        let mut frozen = None;
        self.change_view(|view| {
            if !view.active.is_empty() {
                let applied = Applied { position: view.position, synced_to: committer.writer.synced_to() };
                let generation = std::mem::take(&mut view.active);
                view.frozen = Some(Arc::clone(&generation));
                frozen = Some((generation, applied));
            }
        });
        frozen
    }
}
