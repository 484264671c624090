//! A wrapper that counts the read rounds of any store, for tests.
//!
//! A round is one call of [`Reader`] on a snapshot or a transaction: `multi_get`, `multi_scan`,
//! `multi_read`, `hashed_get` or `blobs`, however many keys it is for. A caller has to wait for one before
//! it knows what to ask for in the next, so on a store over a network each round is a round trip.
//!
//! Opening a blob that is read in pieces is a round too. Snapshots are counted apart. Not counted: queueing the
//! transaction, what a store looks up by itself to put a blob, and the pieces of a blob.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_base::{ContentHash, Position, TenantId};
use parking_lot::Mutex;

use crate::{
    BlobReader, ChangePage, Compaction, HashedKeyspace, Health, KeyRange, Keyspace, LocalStore,
    MaintenanceReport, OnStage, Read, Reader, References, Snapshot, Store, StoreError, StoreStats, TxBody,
    TxDone, UpkeepReport, Upload, Visit, WriteClass, WriteTx, forward,
};

/// A store that counts the read rounds of its snapshots and transactions.
pub struct CountingStore {
    inner: Arc<dyn Store>,
    rounds: Rounds,
    snapshots: AtomicUsize,
}

/// One line for each round.
#[derive(Clone, Default)]
struct Rounds(Arc<Mutex<Vec<String>>>);

impl CountingStore {
    /// Wraps a store.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        CountingStore { inner, rounds: Rounds::default(), snapshots: AtomicUsize::new(0) }
    }

    /// The rounds since the last call, one line each: what was read, and how many keys.
    pub fn take_rounds(&self) -> Vec<String> {
        std::mem::take(&mut self.rounds.0.lock())
    }

    /// The number of snapshots since the last call.
    pub fn take_snapshots(&self) -> usize {
        self.snapshots.swap(0, Ordering::Relaxed)
    }

    fn counted(&self, mut body: TxBody) -> TxBody {
        let rounds = self.rounds.clone();
        Box::new(move |tx| body(&mut CountingTx { tx, rounds: rounds.clone() }))
    }
}

impl Rounds {
    fn note(&self, what: &str, of: &str, count: usize) {
        self.0.lock().push(format!("{what} {count} of {of}"));
    }
}

/// A snapshot whose reads are counted.
struct CountingSnapshot {
    snapshot: Box<dyn Snapshot>,
    rounds: Rounds,
}

/// A transaction whose reads are counted.
struct CountingTx<'a> {
    tx: &'a mut dyn WriteTx,
    rounds: Rounds,
}

/// The reads of a field, each counted as one round.
macro_rules! counted_reads {
    ($field:ident) => {
        fn multi_get(
            &self,
            keyspace: Keyspace,
            keys: &[&[u8]],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), StoreError> {
            self.rounds.note("get", keyspace.name, keys.len());
            self.$field.multi_get(keyspace, keys, visit)
        }

        fn multi_scan(
            &self,
            keyspace: Keyspace,
            ranges: &[KeyRange],
            visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
        ) -> Result<(), StoreError> {
            self.rounds.note("scan", keyspace.name, ranges.len());
            self.$field.multi_scan(keyspace, ranges, visit)
        }

        fn multi_read(
            &self,
            reads: &[Read<'_>],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), StoreError> {
            let names: Vec<_> = reads.iter().map(Read::keyspace_name).collect();
            self.rounds.note("read", &names.join(", "), reads.len());
            self.$field.multi_read(reads, visit)
        }

        fn hashed_get(
            &self,
            keyspace: HashedKeyspace,
            tenant: TenantId,
            keys: &[&[u8]],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), StoreError> {
            self.rounds.note("get", keyspace.name, keys.len());
            self.$field.hashed_get(keyspace, tenant, keys, visit)
        }

        fn blobs(
            &self,
            tenant: TenantId,
            hashes: &[ContentHash],
            visit: &mut dyn FnMut(usize, Option<&[u8]>),
        ) -> Result<(), StoreError> {
            self.rounds.note("get", "blobs", hashes.len());
            self.$field.blobs(tenant, hashes, visit)
        }
    };
}

impl Reader for CountingSnapshot {
    counted_reads!(snapshot);
}

impl Snapshot for CountingSnapshot {
    fn position(&self) -> Position {
        self.snapshot.position()
    }
}

impl Reader for CountingTx<'_> {
    counted_reads!(tx);
}

impl WriteTx for CountingTx<'_> {
    forward!(tx: tenant, put, delete, delete_range, hashed_put, put_blob, keep_blob, remove_blob, emit);
}

impl Store for CountingStore {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        self.snapshots.fetch_add(1, Ordering::Relaxed);
        let snapshot = self.inner.snapshot(at_least)?;
        Ok(Box::new(CountingSnapshot { snapshot, rounds: self.rounds.clone() }))
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        self.inner.submit_as(tenant, class, self.counted(body), done);
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        self.inner.write_as(tenant, class, self.counted(body))
    }

    fn upload(&self, tenant: TenantId) -> Result<Box<dyn Upload>, StoreError> {
        self.inner.upload(tenant)
    }

    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        self.rounds.note("open", "blobs", 1);
        self.inner.open_blob(tenant, hash)
    }

    fn open_named_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Box<dyn BlobReader>, StoreError> {
        self.rounds.note("open", "blobs", 1);
        self.inner.open_named_blob(tenant, hash)
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
        self.inner.local()
    }

    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}
