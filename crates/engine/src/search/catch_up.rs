//! Brings the index up to date: whoever searches does, and the thread that keeps it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cairn_base::Position;
use cairn_search::index::SearchIndex;

use super::feed::Fed;
use super::{Searching, State};
use crate::{Engine, EngineError};

/// How often whoever waits for memory looks whether there is some.
pub(super) const LOOK: Duration = Duration::from_millis(5);

impl Searching {
    /// Whether what is not on disk yet takes all the memory there is for it: nothing more is taken in.
    pub(super) fn is_full(&self, index: &SearchIndex) -> bool {
        let bytes = index.figures().tail_bytes;
        bytes > 0 && bytes >= self.tail_bytes_max.load(Ordering::Relaxed)
    }

    /// Whether it is time to write to disk, so that it never gets so far.
    pub(super) fn is_half_full(&self, index: &SearchIndex) -> bool {
        index.figures().tail_bytes > self.tail_bytes_max.load(Ordering::Relaxed) / 2
    }

    /// Notes how far the index is, for whoever must not wait for it.
    pub(super) fn note_fed(&self, index: &SearchIndex) {
        self.backlog.take_in(index.position());
    }
}

impl Engine {
    /// Takes everything up to `wanted` into the index, or as much as there is time and memory for.
    pub(super) fn feed_until(
        &self,
        index: &SearchIndex,
        wanted: Position,
        until: Instant,
    ) -> Result<(), EngineError> {
        while index.position() < wanted {
            let Some(feeding) = self.searching.feeding.try_lock_until(until) else { break };
            if index.position() >= wanted {
                break;
            }
            match self.feed_page_into(index)? {
                Fed::Whole => {
                    self.note_current();
                    break;
                }
                Fed::Partly => {}
                Fed::Full => {
                    drop(feeding);
                    self.searching.wake();
                    std::thread::sleep(LOOK);
                }
            }
            if Instant::now() >= until {
                break;
            }
        }
        Ok(())
    }

    /// Takes everything there is by now, and writes to disk what there is no memory for.
    pub(super) fn feed_all(&self, index: &SearchIndex) -> Result<(), EngineError> {
        loop {
            let fed = self.feed_next(index)?;
            if self.searching.is_half_full(index) {
                index.flush()?;
                self.searching.note_fed(index);
            }
            if fed == Fed::Whole || self.searching.is_stopped() {
                return Ok(());
            }
        }
    }

    /// Takes the next page of the feed.
    pub(super) fn feed_next(&self, index: &SearchIndex) -> Result<Fed, EngineError> {
        let _feeding = self.searching.feeding.lock();
        let fed = self.feed_page_into(index)?;
        if fed == Fed::Whole {
            self.note_current();
        }
        Ok(fed)
    }

    fn note_current(&self) {
        let now = u64::try_from(self.clock().monotonic().as_millis()).unwrap_or(u64::MAX);
        self.searching.current_at_ms.store(now, Ordering::Relaxed);
    }

    /// For how long commits have been waiting for the index.
    pub(crate) fn search_behind(&self) -> Duration {
        let at = match self.searching.state() {
            State::Ready(index) => index.position(),
            State::Off | State::Opening | State::Rebuilding(..) | State::Failed(_) => return Duration::ZERO,
        };
        if at >= self.position() { Duration::ZERO } else { self.since_current() }
    }

    /// For how long the index has not held everything, if there is something that it does not hold.
    pub(super) fn since_current(&self) -> Duration {
        let current = Duration::from_millis(self.searching.current_at_ms.load(Ordering::Relaxed));
        self.clock().monotonic().saturating_sub(current)
    }
}
