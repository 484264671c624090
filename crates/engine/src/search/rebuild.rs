//! A new index out of primary data.

use std::sync::atomic::Ordering;
use std::time::Duration;

use cairn_access::Scope;
use cairn_base::Position;
use cairn_seam::{MaintenanceReport, OnStage, Snapshot, Stage, StoreError};
use cairn_search::document::{Change, Partition};
use cairn_search::index::SearchIndex;

use super::feed::take_into;
use super::{Searching, State};
use crate::pipeline::WithoutLine;
use crate::{Engine, EngineError};

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

/// Fills a new index with everything that is there.
pub struct Filling<'a> {
    engine: &'a Engine,
    index: &'a SearchIndex,
    /// Where the walk began.
    began: Position,
}

impl Filling<'_> {
    /// A snapshot for the next page: it is short-lived, and holds everything that was there when the walk
    /// began, or its successor.
    pub fn snapshot(&self) -> Result<Box<dyn Snapshot>, EngineError> {
        Ok(self.engine.pipeline.store().snapshot(self.began)?)
    }

    /// Takes documents in, which came of so many records.
    pub fn add(&self, changes: &[(Partition, Change)], records: u64) -> Result<(), EngineError> {
        take_into(self.index, changes, Position::START)?;
        self.engine.searching.progress.0.fetch_add(records, Ordering::Relaxed);
        self.engine.between_pages(self.index)
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
        let walks = self.memories.searched().map(|memory| memory.walk(self, &*snapshot));
        let walks = walks.collect::<Result<Vec<_>, _>>()?;
        drop(snapshot);
        let (done, all) = (&self.searching.progress.0, &self.searching.progress.1);
        done.store(0, Ordering::Relaxed);
        all.store(walks.iter().map(|walk| walk.size()).sum(), Ordering::Relaxed);
        let filling = Filling { engine: self, index, began };
        for mut walk in walks {
            walk.run(&filling)?;
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_access::Principal;
    use cairn_base::{ErrorCode, ManualClock, SeededEntropy};
    use cairn_seam::MemoryStore;

    use super::*;
    use crate::{EngineConfig, SearchHome};

    fn engine() -> Arc<Engine> {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        Engine::open(store, clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default())
            .expect("a store in memory opens")
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
