//! A store that tests can hold up, spoil and keep from writing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{
    BlobReader, ChangePage, Compaction, DerivedSeal, Health, LocalStore, Maintenance, MaintenanceReport,
    MemoryStore, OnStage, References, ScrubPolicy, ScrubStatus, Snapshot, Store, StoreError, StoreStats,
    TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};
use parking_lot::Mutex;

type Hook = Arc<dyn Fn() -> Result<(), StoreError> + Send + Sync>;

pub(crate) struct Tampered {
    pub(crate) inner: MemoryStore,
    before_changes: Mutex<Option<Hook>>,
    before_snapshot: Mutex<Option<Hook>>,
    before_write: Mutex<Option<Hook>>,
    is_full: AtomicBool,
    pub(crate) seal: Mutex<Option<Arc<dyn DerivedSeal>>>,
    /// What the store says about verification in the background.
    pub(crate) scrub: Mutex<ScrubStatus>,
}

impl Tampered {
    pub(crate) fn new(inner: MemoryStore) -> Self {
        Tampered {
            inner,
            before_changes: Mutex::default(),
            before_snapshot: Mutex::default(),
            before_write: Mutex::default(),
            is_full: false.into(),
            seal: Mutex::default(),
            scrub: Mutex::default(),
        }
    }

    /// Happens whenever the feed is read.
    pub(crate) fn before_changes(&self, hook: impl Fn() -> Result<(), StoreError> + Send + Sync + 'static) {
        *self.before_changes.lock() = Some(Arc::new(hook));
    }

    /// Happens whenever a snapshot is taken.
    pub(crate) fn before_snapshot(&self, hook: impl Fn() -> Result<(), StoreError> + Send + Sync + 'static) {
        *self.before_snapshot.lock() = Some(Arc::new(hook));
    }

    /// Happens before every transaction that is waited for.
    pub(crate) fn before_write(&self, hook: impl Fn() -> Result<(), StoreError> + Send + Sync + 'static) {
        *self.before_write.lock() = Some(Arc::new(hook));
    }

    pub(crate) fn behave(&self) {
        *self.before_write.lock() = None;
        *self.before_changes.lock() = None;
        *self.before_snapshot.lock() = None;
    }

    pub(crate) fn fill_the_disk(&self, is_full: bool) {
        self.is_full.store(is_full, Ordering::SeqCst);
    }

    fn admit(&self) -> Result<(), StoreError> {
        if self.is_full.load(Ordering::SeqCst) {
            return Err(StoreError::StorageFull { free_bytes: 0, reserve_bytes: 1 });
        }
        Ok(())
    }
}

fn run(hook: &Mutex<Option<Hook>>) -> Result<(), StoreError> {
    let hook = hook.lock().clone();
    hook.map_or(Ok(()), |hook| hook())
}

impl Store for Tampered {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        run(&self.before_snapshot)?;
        self.inner.snapshot(at_least)
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        match self.admit() {
            Ok(()) => self.inner.submit_as(tenant, class, body, done),
            Err(error) => done(Err(error)),
        }
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        self.admit()?;
        run(&self.before_write)?;
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
        run(&self.before_changes)?;
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

    fn local(&self) -> Option<&dyn LocalStore> {
        Some(self)
    }

    fn close(&self) -> Result<(), StoreError> {
        // The next engine of a test opens it again.
        Ok(())
    }
}

impl LocalStore for Tampered {
    fn maintain(&self, _: &Maintenance, _: OnStage<'_>) -> Result<MaintenanceReport, StoreError> {
        Ok(MaintenanceReport::default())
    }

    fn set_scrub(&self, _: Option<ScrubPolicy>) {}

    fn scrub_status(&self) -> ScrubStatus {
        self.scrub.lock().clone()
    }

    fn derived_seal(&self, _name: &str) -> Option<Arc<dyn DerivedSeal>> {
        self.seal.lock().clone()
    }
}
