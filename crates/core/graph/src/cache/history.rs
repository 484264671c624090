//! What changes at the moment, and when something changed last: as much as has to be known, in a fixed number
//! of slots.

use cairn_base::Position;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};

pub(super) const SLOT_BITS: u32 = 14;
pub(super) const SLOTS: usize = 1 << SLOT_BITS;
/// Slots that share a lock.
const SHARED: usize = 256;

/// What is known of all keys that share it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// Transactions that change one of its keys, and of which nobody knows whether they were committed.
    pending: u32,
    /// The newest position at which one of its keys changed.
    changed: Position,
}

impl Slot {
    const NEW: Slot = Slot { pending: 0, changed: Position::START };

    pub(super) fn is_pending(&self) -> bool {
        self.pending > 0
    }

    pub(super) fn changed(&self) -> Position {
        self.changed
    }

    /// A transaction changes something here.
    pub(super) fn mark(&mut self) {
        self.pending += 1;
    }

    /// A transaction that had marked it was committed, or was not.
    pub(super) fn settle(&mut self, committed: Option<Position>) {
        self.pending -= 1;
        self.changed = self.changed.max(committed.unwrap_or(Position::START));
    }
}

pub(super) struct History {
    slots: Box<[Mutex<[Slot; SHARED]>]>,
}

impl History {
    pub(super) fn new() -> Self {
        History { slots: (0..SLOTS / SHARED).map(|_| Mutex::new([Slot::NEW; SHARED])).collect() }
    }

    /// A slot that nobody else looks at meanwhile.
    pub(super) fn lock(&self, slot: usize) -> MappedMutexGuard<'_, Slot> {
        MutexGuard::map(self.slots[slot / SHARED].lock(), |slots| &mut slots[slot % SHARED])
    }
}
