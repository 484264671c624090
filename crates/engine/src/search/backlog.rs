//! The backlog of the index: commits that it has not taken in yet, counted one by one.
//!
//! Positions say which commit is later and nothing else, so waiting commits are counted here, as they are
//! announced and as they are taken in.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use cairn_base::Position;
use parking_lot::Mutex;

/// Waiting commits are counted up to here; more than that make no difference to anybody.
const COUNTED_MAX: usize = 16_384;

/// Counts commits, and those among them that wait for the index.
#[derive(Default)]
pub(super) struct Backlog {
    /// Commits since the engine was opened, those without events included.
    commits: AtomicU64,
    waiting: Mutex<Waiting>,
    /// The length of the queue, for readers that must not wait.
    count: AtomicUsize,
}

#[derive(Default)]
struct Waiting {
    /// Positions of the newest commits with events that are not taken in, about in their order.
    queue: VecDeque<Position>,
    /// The position up to which everything is taken in.
    taken_in: Position,
}

impl Backlog {
    /// Counts a commit. One without events does not wait: there is nothing to take in.
    pub(super) fn announce(&self, position: Position, has_events: bool) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        if !has_events {
            return;
        }
        let mut waiting = self.waiting.lock();
        // The feed may have been read before the commit was announced.
        if position > waiting.taken_in {
            if waiting.queue.len() == COUNTED_MAX {
                waiting.queue.pop_front();
            }
            waiting.queue.push_back(position);
            self.count.store(waiting.queue.len(), Ordering::Relaxed);
        }
    }

    /// Notes that everything up to a position is taken in. A rebuilt index may start over.
    pub(super) fn take_in(&self, position: Position) {
        let mut waiting = self.waiting.lock();
        waiting.taken_in = position;
        while waiting.queue.pop_front_if(|oldest| *oldest <= position).is_some() {}
        self.count.store(waiting.queue.len(), Ordering::Relaxed);
    }

    /// The number of commits that wait, counted up to [`COUNTED_MAX`].
    pub(super) fn waiting(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// The number of commits since the engine was opened.
    pub(super) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: u64) -> Position {
        Position::from_stored(position)
    }

    #[test]
    fn commits_wait_until_they_are_taken_in_whatever_lies_between_their_positions() {
        let backlog = Backlog::default();
        for position in [3, 1_000, 1_001, 7_000_000] {
            backlog.announce(at(position), true);
        }
        backlog.announce(at(8_000_000), false);
        assert_eq!((backlog.waiting(), backlog.commits()), (4, 5));
        for (position, left) in [(2, 4), (3, 3), (999, 3), (1_001, 1), (7_000_000, 0)] {
            backlog.take_in(at(position));
            assert_eq!(backlog.waiting(), left, "taken in up to {position}");
        }
    }

    #[test]
    fn a_commit_that_was_taken_in_before_it_was_announced_does_not_wait() {
        let backlog = Backlog::default();
        backlog.take_in(at(500));
        backlog.announce(at(500), true);
        assert_eq!(backlog.waiting(), 0);
        backlog.announce(at(501), true);
        assert_eq!(backlog.waiting(), 1);
    }

    #[test]
    fn the_newest_are_counted_when_there_are_too_many() {
        let backlog = Backlog::default();
        let many = COUNTED_MAX as u64 + 100;
        (1..=many).for_each(|position| backlog.announce(at(position * 10), true));
        assert_eq!(backlog.waiting(), COUNTED_MAX);
        backlog.take_in(at(many * 10 - 30));
        assert_eq!(backlog.waiting(), 3);
    }
}
