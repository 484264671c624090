//! A gate whose store can be made to hold back what is queued.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cairn_access::{Action, Resource};
use cairn_base::{ContentHash, ManualClock, Position, SeededEntropy, TenantId};
use cairn_engine::{Act, Engine, EngineConfig};
use cairn_gate::{Allowance, Authentication, Gate, GateConfig};
use cairn_seam::{
    BlobReader, ChangePage, Compaction, Health, MaintenanceReport, MemoryStore, OnStage, References,
    Snapshot, Store, StoreError, StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};
use std::sync::Mutex;

pub(crate) const CONFIG: GateConfig = GateConfig {
    in_flight_max: 3,
    waiting_max: 2,
    deadline: Duration::from_secs(30),
    readers_max: 2,
    queries_max: 2,
    long_queries_max: 1,
    authentication: Authentication::Off,
    allowance: Allowance::NONE,
};

pub(crate) struct World {
    pub(crate) gate: Gate,
    pub(crate) store: Arc<HeldStore>,
    pub(crate) clock: ManualClock,
}

pub(crate) fn world(config: GateConfig) -> World {
    let clock = ManualClock::new(1_000);
    let store = Arc::new(HeldStore {
        inner: MemoryStore::new(Arc::new(clock.clone())),
        held: Mutex::default(),
        starves_search: false.into(),
    });
    let shared = Arc::clone(&store) as Arc<dyn Store>;
    let engine = Engine::open(
        shared,
        Arc::new(clock.clone()),
        Arc::new(SeededEntropy::new(1)),
        EngineConfig::default(),
    )
    .unwrap();
    World { gate: Gate::new(engine, config), store, clock }
}

pub(crate) fn gate(config: GateConfig) -> Gate {
    world(config).gate
}

/// A writing act.
pub(crate) fn advance() -> Act {
    Act::new(Action::ConsumerAdvance, Resource::NODE)
}

type Queued = (TenantId, WriteClass, TxBody, TxDone);

/// Queues transactions until they are let go.
pub(crate) struct HeldStore {
    inner: MemoryStore,
    held: Mutex<Option<Vec<Queued>>>,
    /// Whether the search index gets nothing of the feed.
    pub(crate) starves_search: AtomicBool,
}

impl HeldStore {
    /// From now on, transactions wait in the queue.
    pub(crate) fn hold(&self) {
        *self.held.lock().unwrap() = Some(Vec::new());
    }

    /// Commits what waits.
    pub(crate) fn let_go(&self) {
        let held = self.held.lock().unwrap().take();
        for (tenant, class, body, done) in held.into_iter().flatten() {
            self.inner.submit_as(tenant, class, body, done);
        }
    }

    /// Loses what waits, answers and all.
    pub(crate) fn lose(&self) {
        drop(self.held.lock().unwrap().take());
    }
}

impl Store for HeldStore {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        self.inner.snapshot(at_least)
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        match &mut *self.held.lock().unwrap() {
            Some(queue) => queue.push((tenant, class, body, done)),
            None => self.inner.submit_as(tenant, class, body, done),
        }
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        self.inner.write_as(tenant, class, body)
    }

    fn upload(&self, tenant: TenantId) -> Result<Box<dyn Upload>, StoreError> {
        self.inner.upload(tenant)
    }

    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        self.inner.open_blob(tenant, hash)
    }

    fn changes(
        &self,
        after: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let is_search = std::thread::current().name() == Some("cairn-search");
        while is_search && self.starves_search.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.inner.changes(after, tenant, limit)
    }

    fn position(&self) -> Position {
        self.inner.position()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn stats(&self) -> StoreStats {
        self.inner.stats()
    }

    fn upkeep(&self) -> Result<UpkeepReport, StoreError> {
        self.inner.upkeep()
    }

    fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        self.inner.compact(what, references, on_stage)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}
