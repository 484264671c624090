//! A complete store that keeps everything in memory, for tests and for `--in-memory`.
//!
//! Transactions run one at a time, each in an overlay of its own that is dropped unless it commits.
//! Of each key as many versions are kept as live snapshots can see; of the change feed, the newest
//! changes up to a number of bytes.

mod blob;
mod hashed;
mod history;
mod own;
mod snapshot;
mod state;
mod table;
mod tx;
mod view;

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cairn_base::{Clock, ContentHash, Position, SeededEntropy, TenantId};
use parking_lot::Mutex;

use self::blob::MemoryUpload;
use self::snapshot::MemorySnapshot;
use self::state::{Overlay, State};
use self::tx::MemoryTx;
use self::view::{Core, View};
use crate::{
    BlobInMemory, BlobReader, ChangePage, Compaction, Health, MaintenanceReport, OnStage, References,
    Snapshot, Store, StoreError, StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass, limits,
};

/// Bytes of the change feed kept unless told otherwise.
const HISTORY_BYTES_DEFAULT: usize = 64 << 20;

/// What a store says that plays a full one.
const FULL: StoreError = StoreError::StorageFull { free_bytes: 0, reserve_bytes: 1 };

/// A store without a disk.
#[derive(Debug)]
pub struct MemoryStore {
    core: Arc<Core>,
    /// Held by the transaction that runs.
    writer: Mutex<()>,
    closed: AtomicBool,
    /// Plays a disk that is nearly full.
    full: AtomicBool,
    commits: AtomicU64,
    aborts: AtomicU64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        MemoryStore {
            core: Arc::new(Core::new(State::new(HISTORY_BYTES_DEFAULT), clock)),
            writer: Mutex::new(()),
            closed: AtomicBool::new(false),
            full: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            aborts: AtomicU64::new(0),
        }
    }

    /// The same store, keeping about `bytes_max` bytes of its change feed.
    #[must_use]
    pub fn with_history_bytes(self, bytes_max: usize) -> Self {
        self.core.state.write().history.set_bytes_max(bytes_max);
        self
    }

    /// The same store, whose positions advance by random strides: nothing can be inferred from them.
    #[must_use]
    pub fn with_strides(self, seed: u64) -> Self {
        self.core.state.write().strides = Some(SeededEntropy::new(seed));
        self
    }

    /// Drops the whole change feed and says up to where: what is before answers
    /// [`StoreError::TooOld`].
    pub fn drop_history(&self) -> Position {
        self.core.state.write().history.clear()
    }

    /// Plays a store whose disk is nearly full, for tests: there is no disk that could be.
    pub fn set_full(&self, is_full: bool) {
        self.full.store(is_full, Ordering::Release);
    }

    /// Changes the bytes of a blob under its name, as damage does: reading it fails with
    /// [`StoreError::Damaged`].
    pub fn damage_blob(&self, tenant: TenantId, hash: &ContentHash) {
        if let Some(blob) = self.core.state.write().blobs.get_mut(&(tenant, *hash)) {
            blob.bytes = Some(Arc::from(&b"not what was stored"[..]));
        }
    }

    fn run(&self, tenant: TenantId, class: WriteClass, mut body: TxBody) -> Result<Position, StoreError> {
        let _alone = self.writer.lock();
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::Closed);
        }
        let is_full = self.full.load(Ordering::Acquire);
        if is_full && !class.may_use_reserve() {
            return Err(FULL);
        }
        let at = self.position();
        let mut tx = MemoryTx::new(View { core: Arc::clone(&self.core), at, taken: None }, tenant);
        // The overlay is dropped whatever the closure left in it, so nothing broken survives.
        match catch_unwind(AssertUnwindSafe(|| body(&mut tx))) {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return Err(StoreError::Aborted),
            Err(panic) => return Err(StoreError::Panicked { message: panic_message(panic.as_ref()) }),
        }
        if is_full {
            tx.check(class)?;
        }
        Ok(tx.finish()?.map_or(at, |overlay| self.publish(tenant, overlay)))
    }

    fn publish(&self, tenant: TenantId, overlay: Overlay) -> Position {
        let mut state = self.core.state.write();
        let position = state.commit(tenant, overlay);
        let oldest = self.core.oldest_read(position);
        state.prune(oldest);
        position
    }
}

impl Store for MemoryStore {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        let (ticket, at, taken) = self.core.enter(at_least)?;
        let view = View { core: Arc::clone(&self.core), at, taken: Some(taken) };
        Ok(Box::new(MemorySnapshot::new(view, ticket)))
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        done(self.write_as(tenant, class, body));
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        let outcome = self.run(tenant, class, body);
        let counter = if outcome.is_ok() { &self.commits } else { &self.aborts };
        counter.fetch_add(1, Ordering::Relaxed);
        outcome
    }

    fn upload(&self, _tenant: TenantId) -> Result<Box<dyn Upload>, StoreError> {
        Ok(Box::<MemoryUpload>::default())
    }

    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        let view = View { core: Arc::clone(&self.core), at: self.position(), taken: None };
        let found = blob::present(view.blob(tenant, *hash)?, hash)?;
        Ok(found.map(|bytes| Box::new(BlobInMemory::new(bytes)) as Box<dyn BlobReader>))
    }

    fn changes(
        &self,
        after: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let state = self.core.state.read();
        state.history.page(after, state.position, tenant, limit)
    }

    fn position(&self) -> Position {
        self.core.state.read().position
    }

    fn health(&self) -> Health {
        if self.closed.load(Ordering::Acquire) {
            return Health::Closed;
        }
        match self.full.load(Ordering::Acquire) {
            true => Health::Full { free_bytes: 0, reserve_bytes: 1 },
            false => Health::Serving,
        }
    }

    fn stats(&self) -> StoreStats {
        let commits = self.commits.load(Ordering::Relaxed);
        let aborts = self.aborts.load(Ordering::Relaxed);
        StoreStats { kind: "memory", commits, groups: commits, aborts, ..StoreStats::default() }
    }

    fn upkeep(&self) -> Result<UpkeepReport, StoreError> {
        let now_ms = self.core.clock.now_ms();
        let mut state = self.core.state.write();
        let oldest = self.core.oldest_read(state.position);
        state.prune(oldest);
        let swept = state.hashed.sweep(now_ms);
        let done = if swept > 0 { vec![format!("removed {swept} expired entries")] } else { Vec::new() };
        Ok(UpkeepReport { done, findings: Vec::new() })
    }

    fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        _: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        if what.forget.is_some() {
            return Err(StoreError::Unsupported { what: "forgetting in memory" });
        }
        let mut in_use = HashSet::new();
        references.visit(&mut |tenant, hash| {
            in_use.insert((tenant, *hash));
        })?;
        let grace_ms = u64::try_from(limits::BLOB_GRACE.as_millis()).unwrap_or(u64::MAX);
        let before_ms = self.core.clock.now_ms().saturating_sub(grace_ms);
        let mut swept = 0;
        for (name, blob) in &mut self.core.state.write().blobs {
            if blob.uploaded_ms < before_ms && !in_use.contains(name) && blob.bytes.take().is_some() {
                swept += 1;
            }
        }
        Ok(MaintenanceReport { figures: vec![("blobs_removed", swept)], ..MaintenanceReport::default() })
    }

    fn close(&self) -> Result<(), StoreError> {
        // The transaction that runs is the one that may finish.
        let _alone = self.writer.lock();
        self.closed.store(true, Ordering::Release);
        Ok(())
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cairn_base::ManualClock;

    use super::*;
    use crate::{HashedKeyspace, Keyspace};

    const RECORDS: Keyspace = Keyspace::new(1, "records");

    fn versions(store: &MemoryStore) -> usize {
        store.core.state.read().tables.values().map(table::Table::versions).sum()
    }

    fn put(store: &MemoryStore, key: [u8; 5], value: Option<u8>) {
        let body: TxBody = Box::new(move |tx| {
            let changed = match value {
                Some(value) => tx.put(RECORDS, &key, &[value]),
                None => tx.delete(RECORDS, &key),
            };
            changed.map_err(|_| crate::Aborted)
        });
        store.write(TenantId(0), body).unwrap();
    }

    #[test]
    fn old_versions_go_with_the_snapshots_that_saw_them() {
        let clock = ManualClock::new(0);
        let store = MemoryStore::new(Arc::new(clock.clone()));
        for round in 0..100 {
            put(&store, [0; 5], Some(round));
        }
        assert_eq!(versions(&store), 1);
        let forgotten = store.snapshot(Position::START).unwrap();
        put(&store, [0; 5], None);
        put(&store, [0, 0, 0, 0, 1], Some(1));
        assert_eq!(versions(&store), 3);
        clock.advance(limits::SNAPSHOT_AGE_MAX + Duration::from_nanos(1));
        let dropped = store.snapshot(Position::START).unwrap();
        put(&store, [0, 0, 0, 0, 1], None);
        assert_eq!(versions(&store), 2, "nobody can read the forgotten snapshot any more");
        drop(dropped);
        store.upkeep().unwrap();
        assert_eq!(versions(&store), 0);
        drop(forgotten);
    }

    #[test]
    fn upkeep_says_what_expired() {
        let clock = ManualClock::new(0);
        let store = MemoryStore::new(Arc::new(clock.clone()));
        let body: TxBody = Box::new(|tx| {
            let put = tx.hashed_put(HashedKeyspace::new(1, "seen"), b"key", b"value", Some(1));
            put.map_err(|_| crate::Aborted)
        });
        store.write(TenantId(0), body).unwrap();
        assert!(store.upkeep().unwrap().done.is_empty());
        clock.advance(Duration::from_millis(1));
        assert_eq!(store.upkeep().unwrap().done, ["removed 1 expired entries"]);
    }

    #[test]
    fn a_blob_that_changed_under_its_name_is_damage() {
        let store = MemoryStore::new(Arc::new(ManualClock::new(0)));
        let hash = cairn_base::ContentHash::of(b"what it should be");
        store.core.state.write().blobs.insert(
            (TenantId(1), hash),
            blob::StoredBlob { bytes: Some(Arc::from(&b"what it is"[..])), uploaded_ms: 0 },
        );
        let read = store.snapshot(Position::START).unwrap().blobs(TenantId(1), &[hash], &mut |_, _| {});
        assert!(matches!(read, Err(StoreError::Damaged(_))));
    }
}
