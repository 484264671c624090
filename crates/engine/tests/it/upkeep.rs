//! Background upkeep.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use cairn_base::{ContentHash, ManualClock, Position, TenantId};
use cairn_engine::Engine;
use cairn_seam::{
    BlobReader, ChangePage, Compaction, Health, MaintenanceReport, MemoryStore, OnStage, References,
    Snapshot, Store, StoreError, StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};
use parking_lot::Mutex;

use crate::support::{NOW_MS, World, open};

const LONG: Duration = Duration::from_secs(300);

/// A memory store whose upkeep says that it ran, and then does as told.
struct Told {
    inner: MemoryStore,
    ran: Sender<()>,
    orders: Mutex<Receiver<Result<UpkeepReport, StoreError>>>,
}

impl Store for Told {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        self.inner.snapshot(at_least)
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        self.inner.submit_as(tenant, class, body, done);
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
        self.ran.send(()).unwrap();
        self.orders.lock().recv().expect("a panic is an order too")
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

fn told() -> (Arc<Engine>, Receiver<()>, Sender<Result<UpkeepReport, StoreError>>) {
    let clock = ManualClock::new(NOW_MS);
    let (ran, runs) = channel();
    let (order, orders) = channel();
    let inner = MemoryStore::new(Arc::new(clock.clone()));
    let store = Told { inner, ran, orders: Mutex::new(orders) };
    (open(Arc::new(store), &clock).unwrap(), runs, order)
}

fn metric(engine: &Engine, name: &str) -> String {
    let text = engine.render_prometheus();
    text.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).unwrap().to_owned()
}

#[test]
fn one_step_is_counted_and_failures_too() {
    let (engine, _runs, order) = told();
    order.send(Ok(UpkeepReport { done: vec!["swept".into()], ..UpkeepReport::default() })).unwrap();
    assert_eq!(engine.upkeep_once().unwrap().done, ["swept"]);
    order.send(Err(StoreError::Closed)).unwrap();
    assert!(engine.upkeep_once().is_err());
    assert_eq!(metric(&engine, "cairn_upkeep_runs_total"), "2");
    assert_eq!(metric(&engine, "cairn_upkeep_failures_total"), "1");
    assert_eq!(metric(&engine, "cairn_upkeep_seconds_count"), "2");
}

#[test]
fn the_thread_goes_on_after_failures_and_panics_until_closed() {
    let (engine, runs, order) = told();
    engine.start_upkeep(Duration::from_millis(1)).unwrap();
    engine.start_upkeep(Duration::from_millis(1)).unwrap();
    runs.recv_timeout(LONG).unwrap();
    order.send(Err(StoreError::Closed)).unwrap();
    runs.recv_timeout(LONG).unwrap();
    // Without orders the store panics, now and at every later step.
    drop(order);
    runs.recv_timeout(LONG).unwrap();
    runs.recv_timeout(LONG).unwrap();
    engine.close().unwrap();
    while runs.try_recv().is_ok() {}
    assert!(metric(&engine, "cairn_upkeep_failures_total").parse::<u64>().unwrap() >= 3);
    drop(engine);
    assert_eq!(runs.try_recv(), Err(TryRecvError::Disconnected), "the thread is gone and holds nothing");
}

#[test]
fn closing_does_not_wait_for_the_interval() {
    // Some of these find the thread waiting already, and would hang if it only slept.
    for _ in 0..50 {
        let world = World::new();
        world.engine.start_upkeep(Duration::from_secs(3600)).unwrap();
        (0..100).for_each(|_| std::thread::yield_now());
        world.engine.close().unwrap();
    }
}

#[test]
fn the_thread_does_not_keep_an_engine_alive_that_nobody_uses() {
    let (engine, runs, order) = told();
    engine.start_upkeep(Duration::from_millis(1)).unwrap();
    runs.recv_timeout(LONG).unwrap();
    drop(engine);
    order.send(Ok(UpkeepReport::default())).unwrap();
    // The store goes with the engine, and with it the sender.
    while runs.recv_timeout(LONG).is_ok() {}
    assert_eq!(runs.try_recv(), Err(TryRecvError::Disconnected));
}
