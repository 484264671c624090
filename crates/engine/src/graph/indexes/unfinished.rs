//! Going on with what is half made or half dropped, a little at a time.

use std::sync::atomic::Ordering;
use std::time::Duration;

use cairn_access::Scope;
use cairn_base::Position;
use cairn_graph::{IndexId, IndexState, all_indexes, build_index_page, drop_index, drop_index_page};

use super::{BUILD_PAGE, DROP_PAGE, Indexing};
use crate::{Engine, EngineError};

/// After something failed, it is tried again so much later: what is damaged stays so.
const RETRY_AFTER: Duration = Duration::from_secs(60);
/// How long one step of upkeep works on indexes: the store waits for its own upkeep meanwhile.
const WORK_MAX: Duration = Duration::from_millis(250);

impl Indexing {
    /// Something is left to be done.
    pub(crate) fn note_unfinished(&self) {
        self.is_unfinished.store(true, Ordering::Relaxed);
    }
}

impl Engine {
    /// Makes the indexes that queries wish for, and goes on with those that are half made or half dropped.
    pub(crate) fn look_after_indexes(&self) {
        let now = self.clock().monotonic();
        if now < *self.memories.graph.indexing.retry_at.lock() {
            return;
        }
        self.make_wished_indexes();
        if let Err(error) = self.go_on_with_indexes() {
            self.memories.graph.indexing.note_unfinished();
            *self.memories.graph.indexing.retry_at.lock() = now + RETRY_AFTER;
            tracing::warn!(%error, "an index of the graph could not be made or dropped; it is tried again");
        }
    }

    fn go_on_with_indexes(&self) -> Result<(), EngineError> {
        if !self.memories.graph.indexing.is_unfinished.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let until = self.clock().monotonic() + WORK_MAX;
        let is_sealed = self.is_sealed();
        let all = all_indexes(&*self.pipeline.store().snapshot(Position::START)?)?;
        let mut verdict = Ok(());
        for (tenant, space, info) in all {
            let (scope, id) = (self.own_space(tenant, space)?, info.index.id);
            let done = match info.state {
                IndexState::Ready | IndexState::Building { .. } if is_sealed => {
                    tracing::warn!(%tenant, index = id.0, "dropping an index: the store is sealed");
                    let dropped = self.pipeline.step(&scope, move |tx, scope| Ok(drop_index(tx, scope, id)?));
                    dropped.and_then(|()| self.clear_index(&scope, id, until))
                }
                IndexState::Ready => Ok(()),
                IndexState::Building { .. } => self.build_index(&scope, id, until),
                IndexState::Dropping => self.clear_index(&scope, id, until),
            };
            // One that cannot be made does not keep others from it.
            verdict = verdict.and(done);
        }
        verdict
    }

    /// Covers pages until that time, and at least one.
    fn build_index(&self, scope: &Scope, id: IndexId, until: Duration) -> Result<(), EngineError> {
        loop {
            let page = self
                .pipeline
                .step(scope, move |tx, scope| Ok(build_index_page(tx, scope, id, BUILD_PAGE)?))?;
            if page.is_ready {
                tracing::info!(index = id.0, "an index of the graph is ready");
                return Ok(());
            }
            if self.is_over(until) {
                return Ok(());
            }
        }
    }

    /// Removes pieces of an index that is being dropped until that time, and at least one.
    pub(super) fn clear_index(&self, scope: &Scope, id: IndexId, until: Duration) -> Result<(), EngineError> {
        loop {
            let piece =
                self.pipeline.step(scope, move |tx, scope| Ok(drop_index_page(tx, scope, id, DROP_PAGE)?))?;
            if piece.is_gone || self.is_over(until) {
                return Ok(());
            }
        }
    }

    /// Whether the time is over; then the rest is left for later.
    fn is_over(&self, until: Duration) -> bool {
        let is_over = self.clock().monotonic() >= until || self.upkeep.is_stopped();
        if is_over {
            self.memories.graph.indexing.note_unfinished();
        }
        is_over
    }
}
