//! Back-pressure: who writes faster than the index can take it in is slowed down a little.

use std::time::Duration;

use super::State;
use crate::{Act, Engine};

/// So many commits may wait for the index; when more do for longer than [`LATE`], writers are slowed.
const WAITING_MAX: usize = 1000;
/// A burst of writes shall not feel that there is an index, which takes it in afterwards. Memory has a bound
/// of its own: what there is none for waits in the feed.
const LATE: Duration = Duration::from_secs(30);
/// A write pauses this long for each [`WAITING_MAX`] commits that wait.
const STEP: Duration = Duration::from_millis(5);
/// No write pauses longer.
const PAUSE_MAX: Duration = Duration::from_millis(50);

impl Engine {
    /// How long whoever wants to do this is asked to wait first, so that the index is not left behind.
    ///
    /// Zero for everything that is not searched later, and as long as the index keeps up, is made anew or is
    /// not there. Never waits for anything itself.
    pub fn search_pause(&self, act: &Act) -> Duration {
        let is_searched = self.memories.searched().any(|memory| memory.written_by().contains(&act.action()));
        if !is_searched || !self.searching.is_serving() {
            return Duration::ZERO;
        }
        let waiting = self.searching.backlog.waiting();
        if waiting <= WAITING_MAX || self.since_current() <= LATE {
            return Duration::ZERO;
        }
        self.searching.paced.add(1);
        let steps = u32::try_from(1 + waiting / WAITING_MAX).unwrap_or(u32::MAX);
        STEP.saturating_mul(steps).min(PAUSE_MAX)
    }
}

impl Engine {
    /// Whether more than so many commits wait for an index that is kept.
    pub(crate) fn search_waits_for(&self, commits: usize) -> bool {
        let is_kept = !matches!(self.searching.state(), State::Off);
        is_kept && self.searching.backlog.waiting() > commits
    }
}

impl super::Searching {
    /// Whether it follows the feed, and is not made anew beside that.
    fn is_serving(&self) -> bool {
        matches!(*self.state.read(), State::Ready(_)) && self.making.lock().is_none()
    }
}
