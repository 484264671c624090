//! What a transaction changes of what a cache may hold.

use std::fmt;
use std::sync::Arc;

use cairn_base::Position;
use cairn_seam::Keyspace;
use parking_lot::Mutex;

use super::Cache;
use super::history::SLOTS;
use super::key::Key;

const WORDS: usize = SLOTS / 64;

/// What one transaction changes: noted while its closure runs, settled when its outcome is known.
///
/// It belongs to the transaction, not to whoever waits for it. One that is never settled keeps what it changed
/// out of the cache for good, which is right as long as nobody knows what became of the transaction.
#[derive(Clone)]
pub struct Changes {
    cache: Arc<Cache>,
    /// A bit for each slot that was marked; nothing as long as none was.
    marked: Arc<Mutex<Option<Box<[u64; WORDS]>>>>,
}

impl Changes {
    /// Of a transaction that has not begun.
    pub fn new(cache: &Arc<Cache>) -> Self {
        Changes { cache: Arc::clone(cache), marked: Arc::default() }
    }

    /// The transaction is about to put or delete a row. It may say so more than once, and run more than once.
    pub fn note(&self, keyspace: Keyspace, key: &[u8]) {
        let Some(key) = Key::touched(keyspace, key) else { return };
        let mut marked = self.marked.lock();
        let mut slot = self.cache.history.lock(key.slot());
        if set(&mut marked, key.slot()) {
            slot.mark();
        }
        self.cache.entries.remove(&key);
    }

    /// The transaction is about to delete a range of rows; which of them, it does not know.
    pub fn note_range(&self, keyspace: Keyspace) {
        if !Key::is_of(keyspace) {
            return;
        }
        let mut marked = self.marked.lock();
        for slot in 0..SLOTS {
            if set(&mut marked, slot) {
                self.cache.history.lock(slot).mark();
            }
        }
        // Nothing is kept any more, so nothing comes back behind this.
        self.cache.entries.clear();
    }

    /// The transaction was committed there.
    pub fn committed(&self, at: Position) {
        self.settle(Some(at));
    }

    /// Nothing of the transaction was kept, and nothing of it will be.
    pub fn aborted(&self) {
        self.settle(None);
    }

    /// Whether something is noted that is not settled.
    pub fn is_pending(&self) -> bool {
        self.marked.lock().is_some()
    }

    fn settle(&self, committed: Option<Position>) {
        let Some(marked) = self.marked.lock().take() else { return };
        for (index, mut word) in marked.iter().copied().enumerate() {
            while word != 0 {
                let slot = index * 64 + word.trailing_zeros() as usize;
                self.cache.history.lock(slot).settle(committed);
                word &= word - 1;
            }
        }
    }
}

/// Sets the bit of a slot; says whether it was not set before.
fn set(marked: &mut Option<Box<[u64; WORDS]>>, slot: usize) -> bool {
    let word = &mut marked.get_or_insert_with(|| Box::new([0; WORDS]))[slot / 64];
    let bit = 1 << (slot % 64);
    let is_new = *word & bit == 0;
    *word |= bit;
    is_new
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marked =
            self.marked.lock().as_ref().map_or(0, |marked| marked.iter().map(|word| word.count_ones()).sum());
        f.debug_struct("Changes").field("marked", &marked).finish_non_exhaustive()
    }
}
