//! The newest events, kept in memory: whoever follows the feed closely never reads the log.

use std::collections::VecDeque;

use cairn_base::{Position, TenantId};
use cairn_seam::{Change, ChangePage};
use parking_lot::Mutex;

const BYTES_MAX: usize = 4 << 20;
const CHANGE_OVERHEAD_BYTES: usize = 64;

#[derive(Debug)]
pub(crate) struct Tail(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Every event after this position is here.
    floor: u64,
    changes: VecDeque<Change>,
    bytes: usize,
}

impl Tail {
    /// Empty, and complete from `floor` on.
    pub(crate) fn new(floor: u64) -> Self {
        Tail(Mutex::new(State { floor, changes: VecDeque::new(), bytes: 0 }))
    }

    pub(crate) fn push(&self, changes: impl IntoIterator<Item = Change>) {
        let mut state = self.0.lock();
        for change in changes {
            state.bytes += size(&change);
            state.changes.push_back(change);
        }
        while state.bytes > BYTES_MAX
            && let Some(oldest) = state.changes.pop_front()
        {
            state.bytes -= size(&oldest);
            state.floor = oldest.position.to_stored();
        }
    }

    /// Drops everything up to a position, which is read from the log from now on.
    pub(crate) fn drop_to(&self, position: u64) {
        let mut state = self.0.lock();
        while let Some(oldest) = state.changes.pop_front_if(|change| change.position.to_stored() <= position)
        {
            state.bytes -= size(&oldest);
        }
        state.floor = state.floor.max(position);
    }

    /// How much is kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.lock().bytes as u64
    }

    /// A page of events after a position up to `to`; `None` when it begins before the tail.
    pub(crate) fn page(
        &self,
        after: u64,
        to: u64,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Option<ChangePage> {
        let state = self.0.lock();
        if after < state.floor {
            return None;
        }
        let start = state.changes.partition_point(|change| change.position.to_stored() <= after);
        let mut page = ChangePage { changes: Vec::new(), next: Position::from_stored(after), at_end: true };
        for change in state.changes.range(start..) {
            if change.position.to_stored() > to {
                break;
            }
            if tenant.is_none_or(|tenant| tenant == change.tenant) {
                if page.changes.len() == limit {
                    return Some(ChangePage { at_end: false, ..page });
                }
                page.changes.push(change.clone());
            }
            page.next = change.position;
        }
        page.next = page.next.max(Position::from_stored(to));
        Some(page)
    }
}

fn size(change: &Change) -> usize {
    CHANGE_OVERHEAD_BYTES + change.events.iter().map(|event| event.body.len() + 32).sum::<usize>()
}
