//! The change feed, kept up to a number of bytes.

use std::collections::VecDeque;

use cairn_base::{Position, TenantId};

use crate::{Change, ChangePage, StoreError, limits};

/// What a change takes besides the bodies of its events; a guess on the safe side.
const CHANGE_BYTES: usize = 64;
const EVENT_BYTES: usize = 32;

/// Changes in commit order, the oldest dropped first.
#[derive(Debug)]
pub(super) struct History {
    changes: VecDeque<Change>,
    bytes: usize,
    bytes_max: usize,
    /// Everything up to here is gone.
    horizon: Position,
}

impl History {
    /// An empty feed that keeps about `bytes_max` bytes.
    pub(super) fn new(bytes_max: usize) -> Self {
        History { changes: VecDeque::new(), bytes: 0, bytes_max, horizon: Position::START }
    }

    /// Keeps at most `bytes_max` bytes from now on.
    pub(super) fn set_bytes_max(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
        self.shrink_to(bytes_max);
    }

    /// Adds the events of a transaction.
    pub(super) fn push(&mut self, change: Change) {
        self.bytes += size(&change);
        self.changes.push_back(change);
        self.shrink_to(self.bytes_max);
    }

    /// Drops every change and says up to where.
    pub(super) fn clear(&mut self) -> Position {
        self.shrink_to(0);
        self.horizon
    }

    /// Changes after a position, of a store that stands at `end`.
    pub(super) fn page(
        &self,
        after: Position,
        end: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        if after < self.horizon {
            return Err(StoreError::TooOld { horizon: self.horizon });
        }
        if after > end {
            return Err(StoreError::PositionAhead { asked: after, at: end });
        }
        let first = self.changes.partition_point(|change| change.position <= after);
        let mut rest =
            self.changes.range(first..).filter(|change| tenant.is_none_or(|it| it == change.tenant));
        let changes: Vec<Change> = rest.by_ref().take(limit.min(limits::CHANGES_PAGE_MAX)).cloned().collect();
        let at_end = rest.next().is_none();
        let next = if at_end { end } else { changes.last().map_or(after, |change| change.position) };
        Ok(ChangePage { changes, next, at_end })
    }

    fn shrink_to(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes -= size(&oldest);
            self.horizon = oldest.position;
        }
    }
}

fn size(change: &Change) -> usize {
    change.events.iter().fold(CHANGE_BYTES, |sum, event| sum + EVENT_BYTES + event.body.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, EventKind};

    #[test]
    fn the_oldest_changes_go_when_the_bytes_are_used_up() {
        let one = CHANGE_BYTES + EVENT_BYTES + 10;
        let mut history = History::new(2 * one);
        for position in 1..=3 {
            let events = vec![Event { kind: EventKind(1), body: vec![0; 10] }];
            history.push(Change { position: Position::from_stored(position), tenant: TenantId(1), events });
        }
        let page = |after| history.page(Position::from_stored(after), Position::from_stored(3), None, 10);
        assert!(
            matches!(page(0), Err(StoreError::TooOld { horizon }) if horizon == Position::from_stored(1))
        );
        let positions: Vec<_> =
            page(1).unwrap().changes.iter().map(|change| change.position.to_stored()).collect();
        assert_eq!(positions, [2, 3]);
    }
}
