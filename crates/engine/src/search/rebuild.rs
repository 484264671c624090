//! A new index out of primary data.

use std::ops::Bound;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cairn_access::Scope;
use cairn_base::{ContextId, KeyReader, Position, TenantId, TurnId};
use cairn_seam::{KeyRange, MaintenanceReport, OnStage, Order, Snapshot, Stage, StoreError, Visit};
use cairn_search::document::Change;
use cairn_search::index::SearchIndex;
use cairn_turns::tables::COUNTERS;
use cairn_turns::{contexts_after, last_numbers, turns_between};

use super::documents::Documents;
use super::feed::take_into;
use super::{Searching, State, graph_rebuild};
use crate::pipeline::WithoutLine;
use crate::{Engine, EngineError};

/// Turns and contexts that are read from one snapshot.
const PAGE: usize = 512;
/// How often whoever waits for a new index is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// An index is being made.
pub(super) struct Making<'a>(&'a Searching);

impl<'a> Making<'a> {
    pub(super) fn begin(searching: &'a Searching, why: &str) -> Self {
        *searching.making.lock() = Some(why.to_owned());
        Making(searching)
    }
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        *self.0.making.lock() = None;
        self.0.progress.1.store(0, Ordering::Relaxed);
    }
}

impl Searching {
    fn is_making(&self) -> bool {
        self.making.lock().is_some()
    }

    pub(super) fn note_rebuilt(&self, outcome: Result<(), String>) {
        *self.rebuilt.lock() = Some(outcome);
        self.rebuilt_changed.notify_all();
    }

    /// What came of the index that was asked for, if that is known within this time.
    fn rebuilt_within(&self, at_most: Duration) -> Option<Result<(), String>> {
        let mut rebuilt = self.rebuilt.lock();
        if rebuilt.is_none() {
            self.rebuilt_changed.wait_for(&mut rebuilt, at_most);
        }
        rebuilt.take()
    }
}

impl Engine {
    /// Has the index made anew from primary data, and returns when the new one serves. Until then searches
    /// go on with the one that is there.
    ///
    /// Only one waits at a time: a second one is answered [`EngineError::SearchRebuilding`]. One that is
    /// being made because there was none counts. When `on_stage` says to stop, nobody waits any more, and
    /// the index is made all the same.
    pub fn search_rebuild(
        &self,
        principal: &cairn_access::Principal,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, EngineError> {
        let act = crate::Act::new(cairn_access::Action::Maintain, cairn_access::Resource::NODE)
            .on("make the search index anew");
        let work = |_: &Scope, (): &()| self.rebuild_and_wait(on_stage);
        self.pipeline.undertake(principal, &act, WithoutLine::GoOn, || Ok(()), work)
    }

    pub(super) fn rebuild_and_wait(&self, on_stage: OnStage<'_>) -> Result<MaintenanceReport, EngineError> {
        let searching = &self.searching;
        let _alone = searching.asking.try_lock().ok_or(EngineError::SearchRebuilding)?;
        if matches!(searching.state(), State::Off) {
            return Err(EngineError::SearchOff);
        }
        while matches!(searching.state(), State::Opening) && !searching.is_making() {
            self.still_waiting(on_stage)?;
            std::thread::sleep(TELL_EVERY);
        }
        if searching.is_making() {
            while searching.is_making() {
                self.still_waiting(on_stage)?;
                std::thread::sleep(TELL_EVERY);
            }
            if let State::Failed(detail) = searching.state() {
                return Err(EngineError::NoSearch { detail });
            }
        } else {
            *searching.rebuilt.lock() = None;
            searching.want_rebuild();
            loop {
                if let Some(outcome) = searching.rebuilt_within(TELL_EVERY) {
                    outcome.map_err(|detail| EngineError::NoSearch { detail })?;
                    break;
                }
                self.still_waiting(on_stage)?;
            }
        }
        let status = self.search_status();
        let figures = vec![("search_documents", status.documents), ("search_segments", status.segments)];
        Ok(MaintenanceReport { figures, ..MaintenanceReport::default() })
    }

    fn still_waiting(&self, on_stage: OnStage<'_>) -> Result<(), EngineError> {
        let (done, total) = (&self.searching.progress.0, &self.searching.progress.1);
        let (done, total) = (done.load(Ordering::Relaxed), total.load(Ordering::Relaxed));
        let goes_on = on_stage(Stage { name: "making the search index", done, total });
        if goes_on && !self.searching.is_stopped() { Ok(()) } else { Err(StoreError::Stopped.into()) }
    }

    /// Fills an empty index with everything that was there when it began; what came since is in the feed.
    pub(super) fn rebuild_into(&self, index: &SearchIndex) -> Result<(), EngineError> {
        let store = self.pipeline.store();
        let snapshot = store.snapshot(store.position())?;
        // Where the snapshot stands, which may be further: what comes after it and nothing else comes from
        // the feed.
        let began = snapshot.position();
        let tenants = tenants_with_turns(&*snapshot)?;
        let (done, all) = (&self.searching.progress.0, &self.searching.progress.1);
        let mut ends = Vec::with_capacity(tenants.len());
        for tenant in tenants {
            let scope = self.own_scope(tenant)?;
            ends.push((scope, last_numbers(&*snapshot, &scope)?));
        }
        let mut spaces = Vec::new();
        for (tenant, space) in graph_rebuild::spaces(&*snapshot)? {
            let scope = self.own_space(tenant, space)?;
            spaces.push((scope, graph_rebuild::size(&*snapshot, scope)?));
        }
        drop(snapshot);
        done.store(0, Ordering::Relaxed);
        let in_turns = ends.iter().map(|(_, (contexts, turns))| contexts.0 + turns.0);
        let in_graphs = spaces.iter().map(|(_, size)| *size);
        all.store(in_turns.chain(in_graphs).sum(), Ordering::Relaxed);
        for (scope, (last_context, last_turn)) in ends {
            let mut turn = TurnId::NONE;
            loop {
                let snapshot = store.snapshot(began)?;
                let page = turns_between(&*snapshot, &scope, (turn, last_turn), Order::Ascending, PAGE)?;
                let Some(last) = page.last() else { break };
                turn = last.id;
                let ids: Vec<_> = page.iter().map(|turn| turn.id).collect();
                let mut documents = Documents::new(self, &*snapshot, scope)?;
                for part in documents.parts(&ids)? {
                    let added = documents.of_turns(&part)?.into_iter();
                    let changes: Vec<_> =
                        added.map(|(home, document)| (home, Change::Add(document))).collect();
                    take_into(index, &changes, Position::START)?;
                    done.fetch_add(part.len() as u64, Ordering::Relaxed);
                    self.between_pages(index)?;
                }
            }
            let mut context = ContextId(0);
            loop {
                let snapshot = store.snapshot(began)?;
                let page = contexts_after(&*snapshot, &scope, context, last_context, PAGE)?;
                let Some(last) = page.last() else { break };
                context = last.id;
                let ids: Vec<_> = page.iter().map(|context| context.id).collect();
                let changes = Documents::new(self, &*snapshot, scope)?.contexts(&ids)?;
                take_into(index, &changes, Position::START)?;
                done.fetch_add(ids.len() as u64, Ordering::Relaxed);
                self.between_pages(index)?;
            }
        }
        for (scope, _) in spaces {
            self.rebuild_space(index, scope, began, done)?;
        }
        take_into(index, &[], began)?;
        all.store(0, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn between_pages(&self, index: &SearchIndex) -> Result<(), EngineError> {
        if self.searching.is_stopped() {
            return Err(StoreError::Stopped.into());
        }
        if self.searching.is_half_full(index) {
            index.flush()?;
        }
        Ok(())
    }
}

fn tenants_with_turns(snapshot: &dyn Snapshot) -> Result<Vec<TenantId>, EngineError> {
    let mut tenants = Vec::new();
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    snapshot.multi_scan(COUNTERS, &everything, &mut |_, key, _| {
        tenants.extend(KeyReader::new(key).tenant());
        Visit::Continue
    })?;
    tenants.dedup();
    Ok(tenants)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_access::Principal;
    use cairn_base::{ErrorCode, ManualClock, SeededEntropy};
    use cairn_seam::MemoryStore;

    use super::*;
    use crate::SearchHome;

    fn engine() -> Arc<Engine> {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        Engine::open(store, clock, Arc::new(SeededEntropy::new(1))).expect("a store in memory opens")
    }

    #[test]
    fn only_one_waits_for_a_new_index() {
        let (engine, owner) = (engine(), Principal::local_owner());
        let ask = || engine.search_rebuild(&owner, &mut |_| true).map_err(|error| error.code());
        assert_eq!(ask(), Err(ErrorCode::InvalidRequest), "nobody keeps one");
        let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        engine.start_search(home).expect("a thread");
        let first = engine.searching.asking.lock();
        assert_eq!(ask(), Err(ErrorCode::Conflict));
        drop(first);
        assert!(ask().is_ok());
        engine.close().expect("it closes");
        assert!(ask().is_err(), "nobody keeps one any more");
    }

    #[test]
    fn whoever_no_longer_waits_does_not() {
        let (engine, owner) = (engine(), Principal::local_owner());
        let home = SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 };
        engine.start_search(home).expect("a thread");
        // Held by somebody who feeds the index: a new one is not done before it is let go.
        let feeding = engine.searching.feeding.lock();
        let mut told = 0;
        let asked = engine.search_rebuild(&owner, &mut |_| {
            told += 1;
            told < 3
        });
        assert!(matches!(asked, Err(EngineError::Store(StoreError::Stopped))), "{asked:?}");
        drop(feeding);
        engine.close().expect("it closes");
    }
}
