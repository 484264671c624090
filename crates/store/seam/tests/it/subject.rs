//! Memory stores as subjects of the contract.

use std::sync::Arc;

use cairn_base::{ManualClock, Position};
use cairn_seam::contract::StoreUnderTest;
use cairn_seam::{CountingStore, FaultPlan, FaultyStore, MemoryStore, Store};

const NOW_MS: u64 = 1_750_000_000_000;
/// Any will do; this one is written down so that a failure comes again.
const STRIDES_SEED: u64 = 19;

/// A memory store, maybe wrapped.
pub(crate) struct InMemory {
    inner: Arc<MemoryStore>,
    store: Arc<dyn Store>,
    clock: ManualClock,
}

impl InMemory {
    /// The store as it is.
    pub(crate) fn plain() -> Box<dyn StoreUnderTest> {
        InMemory::made(|inner| inner)
    }

    /// The store behind a plan that does nothing.
    pub(crate) fn wrapped() -> Box<dyn StoreUnderTest> {
        InMemory::made(|inner| Arc::new(FaultyStore::new(inner, FaultPlan::none())))
    }

    /// The store behind a wrapper that counts.
    pub(crate) fn counted() -> Box<dyn StoreUnderTest> {
        InMemory::made(|inner| Arc::new(CountingStore::new(inner)))
    }

    /// The store with positions that advance by random strides.
    pub(crate) fn strided() -> Box<dyn StoreUnderTest> {
        let clock = ManualClock::new(NOW_MS);
        let inner = MemoryStore::new(Arc::new(clock.clone())).with_strides(STRIDES_SEED);
        let inner = Arc::new(inner);
        Box::new(InMemory { store: Arc::clone(&inner) as Arc<dyn Store>, inner, clock })
    }

    fn made(wrap: impl FnOnce(Arc<MemoryStore>) -> Arc<dyn Store>) -> Box<dyn StoreUnderTest> {
        let clock = ManualClock::new(NOW_MS);
        let inner = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        Box::new(InMemory { store: wrap(Arc::clone(&inner)), inner, clock })
    }
}

impl StoreUnderTest for InMemory {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    fn clock(&self) -> ManualClock {
        self.clock.clone()
    }

    fn reopen(&mut self) -> bool {
        false
    }

    fn drop_history(&mut self) -> Option<Position> {
        Some(self.inner.drop_history())
    }

    fn set_full(&mut self, is_full: bool) -> bool {
        self.inner.set_full(is_full);
        true
    }
}
