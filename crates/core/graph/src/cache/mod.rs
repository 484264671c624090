//! What was read of the graph lately: rows, and decoded lists of links, in a bounded amount of memory.
//!
//! A view of a snapshot that has a cache ([`View::of_snapshot`](crate::View::of_snapshot)) asks it first, and
//! the store for the rest. It answers as the store would have answered that snapshot, always.
//!
//! # Why nothing stale and nothing too new is served
//!
//! What is kept has the position of the snapshot that read it, its *since*. Every key has a slot of the
//! [`History`], which knows how many transactions under way change a key of it (*pending*), and where the last
//! one that did so was committed (*changed*). There are three moments:
//!
//! - **Mark.** A transaction says what it changes while its closure runs ([`Changes::note`]): the slot is
//!   pending from then on, and what is kept of the key goes.
//! - **Settle.** When its outcome is known, it is pending no longer; if it was committed, at P, the slot
//!   changed at P.
//! - **Keep.** What a snapshot at s read is kept only if the slot is not pending and changed at s or before.
//!
//! Each of the three happens under the lock of its slot. And a snapshot at s is **given** what is kept only if
//! that is since s or before.
//!
//! Suppose a snapshot at s is given a value since f that is not what it would read. Then f ≤ s, and a
//! transaction that changed the key was committed at a P with f < P ≤ s. The snapshot sees it, so its closure
//! had run, and had marked the key, before the snapshot was there. It marked either
//!
//! - after the value was kept: then the value went, and was not there to be given; or
//! - before: then it had settled before, because nothing is kept while something is pending; and it settled at
//!   P > f, so that what was read at f was not kept.
//!
//! Neither can be. Nothing was used of the order in which transactions are published, settled and read. Where
//! nobody knows the outcome of a transaction, it stays pending: its slots keep nothing until the next start.
//! Slots are shared by many keys: that keeps less, never more.
//!
//! # What this takes for granted
//!
//! Every transaction that changes the graph marks what it changes before it can be committed ([`Noting`]); the
//! engine sees to that in one place, for all of them. One process alone writes a store. With several writers
//! there would have to be no cache, until the store tells this process what others changed before it shows that
//! to its snapshots. Positions of all tenants have one order.
//!
//! # What is kept
//!
//! Rows by their whole key, and the links of an element and a predicate in one direction, if somebody read them
//! to their end and they are not too many. Walks over a whole type, predicate or space pass by. That a row is
//! not there is kept too, but not for names: anybody can ask for names that nobody has.

mod changes;
mod history;
mod kept;
mod key;
mod links;
mod noting;
mod rows;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_base::Position;
use quick_cache::OptionsBuilder;
use quick_cache::sync::DefaultLifecycle;

pub use changes::Changes;
use history::History;
use kept::{ByBytes, ENTRY_BYTES, Entry, Kept};
use key::{Key, PassOn};
pub use noting::Noting;

/// One entry takes at most this part of the room.
const LARGEST_PART: u64 = 64;
/// What an entry has on average beside what it takes itself, for the size of tables.
const EXPECTED_BYTES: u64 = 256;
/// How many of those that went are remembered for a while, as a part of what is expected to be there.
const GHOSTS: f64 = 0.1;

/// What was read of the graph lately. Shared by everybody who reads.
pub struct Cache {
    entries: quick_cache::sync::Cache<Key, Entry, ByBytes, PassOn>,
    history: History,
    bytes_max: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Figures of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Rows and lists that it had.
    pub hits: u64,
    /// Rows and lists that were read from the store.
    pub misses: u64,
    /// Memory of what is kept.
    pub bytes: u64,
    /// Rows and lists that are kept.
    pub entries: u64,
}

impl Cache {
    /// Keeps at most so many bytes, what it needs itself included; nothing if that is 0.
    pub fn new(bytes_max: u64) -> Self {
        let expected = usize::try_from(bytes_max / (ENTRY_BYTES + EXPECTED_BYTES)).unwrap_or(0);
        let mut options = OptionsBuilder::new();
        options.estimated_items_capacity(expected).weight_capacity(bytes_max).ghost_allocation(GHOSTS);
        let options = options.build().expect("both capacities are given");
        let cache = Cache {
            entries: quick_cache::sync::Cache::with_options(
                options,
                ByBytes,
                PassOn,
                DefaultLifecycle::default(),
            ),
            history: History::new(),
            bytes_max: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
        };
        cache.resize(bytes_max);
        cache
    }

    /// Keeps at most so many bytes from now on. Transactions under way stay marked, so it can be done any time.
    pub fn resize(&self, bytes_max: u64) {
        self.bytes_max.store(bytes_max, Ordering::Relaxed);
        // Each part of it rounds up, and all of them together shall not.
        let parts = self.entries.num_shards() as u64;
        self.entries.set_capacity(bytes_max / parts * parts);
    }

    /// Forgets everything that was read.
    pub fn clear(&self) {
        self.entries.clear();
    }

    /// Its figures.
    pub fn stats(&self) -> CacheStats {
        CacheStats {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            bytes: self.entries.weight(),
            entries: self.entries.len() as u64,
        }
    }

    fn get(&self, key: &Key, at: Position) -> Option<Kept> {
        let entry = self.entries.get(key)?;
        (entry.since <= at).then_some(entry.kept)
    }

    fn keep(&self, key: Key, since: Position, kept: Kept) {
        if kept.bytes() >= self.bytes_max.load(Ordering::Relaxed) / LARGEST_PART {
            return;
        }
        let slot = self.history.lock(key.slot());
        if !slot.is_pending() && slot.changed() <= since {
            self.entries.insert(key, Entry { since, kept });
        }
    }

    fn count(&self, hits: usize, misses: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.misses.fetch_add(misses as u64, Ordering::Relaxed);
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("stats", &self.stats()).finish_non_exhaustive()
    }
}

/// A cache as a snapshot may use it.
#[derive(Clone, Copy)]
pub(crate) struct CacheAt<'a> {
    cache: &'a Cache,
    at: Position,
}

impl<'a> CacheAt<'a> {
    /// `None` if it keeps nothing anyway.
    pub(crate) fn new(cache: &'a Cache, at: Position) -> Option<Self> {
        (cache.bytes_max.load(Ordering::Relaxed) > 0).then_some(CacheAt { cache, at })
    }
}
