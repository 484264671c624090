//! An index that is followed: what comes is taken in while what came before is written to disk.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cairn_base::step_back;
use cairn_search::SearchError;
use cairn_search::index::SearchIndex;

use super::Searching;
use crate::EngineError;

/// An index that is followed, and where it is.
pub(super) struct Followed {
    pub(super) index: Arc<SearchIndex>,
    pub(super) place: usize,
    /// When the oldest document came that is not on disk yet.
    pub(super) unwritten_since: Option<Duration>,
    /// Commits when it was last written.
    commits_written: u64,
    /// Writes to disk what came, while more does.
    writing: Option<JoinHandle<Result<bool, SearchError>>>,
}

/// What became of writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Nobody writes.
    Idle,
    /// It has just been done.
    Done,
    /// It is under way.
    UnderWay,
}

impl Followed {
    pub(super) fn new(index: Arc<SearchIndex>, place: usize, searching: &Searching) -> Self {
        let commits_written = searching.backlog.commits();
        Followed { index, place, unwritten_since: None, commits_written, writing: None }
    }

    /// The number of commits since it was last written.
    pub(super) fn commits_unwritten(&self, searching: &Searching) -> u64 {
        searching.backlog.commits().saturating_sub(self.commits_written)
    }

    /// Begins to write, on a thread of its own that lets others go first: nobody waits for it.
    pub(super) fn begin_writing(&mut self, searching: &Arc<Searching>) -> Result<(), EngineError> {
        self.commits_written = searching.backlog.commits();
        let (index, searching) = (Arc::clone(&self.index), Arc::clone(searching));
        let spawned = thread::Builder::new()
            .name("cairn-search-write".into())
            .spawn(move || {
                step_back();
                let written = index.flush();
                searching.wake();
                written
            })
            .map_err(|source| EngineError::Thread { what: "search", source })?;
        self.writing = Some(spawned);
        self.unwritten_since = None;
        Ok(())
    }

    /// What became of writing; fails if that failed.
    pub(super) fn writing(&mut self) -> Result<Writing, EngineError> {
        if let Some(done) = self.writing.take_if(|writing| writing.is_finished()) {
            let stopped = |_| Err(SearchError::Damaged("writing it stopped unexpectedly".into()));
            done.join().unwrap_or_else(stopped)?;
            return Ok(Writing::Done);
        }
        Ok(if self.writing.is_some() { Writing::UnderWay } else { Writing::Idle })
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        // Whoever opens the folder next must be alone there.
        if let Some(writing) = self.writing.take() {
            let _ = writing.join();
        }
    }
}
