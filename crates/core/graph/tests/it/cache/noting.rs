//! Transactions that say what they change, as those of the engine do.

use std::sync::Arc;

use cairn_base::{ContentHash, Position, TenantId};
use cairn_graph::{Cache, Changes, View, Writer};
use cairn_seam::{
    Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, Snapshot, StoreError, Visit, WriteTx, write,
};

use crate::kit::Kit;

/// A graph with a cache above it.
pub(super) struct Cached {
    pub(super) kit: Kit,
    pub(super) cache: Arc<Cache>,
}

/// A transaction whose outcome the cache does not know yet.
pub(super) struct Unsettled {
    changes: Changes,
    committed: Option<Position>,
}

impl Unsettled {
    pub(super) fn settle(self) {
        match self.committed {
            Some(position) => self.changes.committed(position),
            None => self.changes.aborted(),
        }
    }
}

impl Cached {
    pub(super) fn new(kit: Kit, bytes_max: u64) -> Self {
        Cached { kit, cache: Arc::new(Cache::new(bytes_max)) }
    }

    /// Runs a transaction; one that fails is one that was given up.
    pub(super) fn write(
        &self,
        now_ms: u64,
        mut body: impl FnMut(&mut Writer<'_>) -> cairn_graph::Result<()> + Send + 'static,
    ) -> Unsettled {
        let (scope, changes) = (self.kit.scope, Changes::new(&self.cache));
        let noted = changes.clone();
        let outcome = write(&*self.kit.store, scope.tenant(), move |tx| {
            let mut tx = Noting { tx, changes: &noted };
            let mut writer = Writer::new(&mut tx, scope, now_ms);
            body(&mut writer)?;
            writer.finish()
        });
        Unsettled { changes, committed: outcome.ok().map(|((), position)| position) }
    }

    pub(super) fn view<'a>(&'a self, snapshot: &'a dyn Snapshot) -> View<'a> {
        View::of_snapshot(snapshot, self.kit.scope, &self.cache)
    }

    pub(super) fn plain<'a>(&self, snapshot: &'a dyn Snapshot) -> View<'a> {
        View::new(snapshot, self.kit.scope)
    }
}

struct Noting<'a> {
    tx: &'a mut dyn WriteTx,
    changes: &'a Changes,
}

impl Reader for Noting<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.tx.multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.tx.multi_scan(keyspace, ranges, visit)
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.tx.hashed_get(keyspace, tenant, keys, visit)
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.tx.blobs(tenant, hashes, visit)
    }
}

impl WriteTx for Noting<'_> {
    fn tenant(&self) -> TenantId {
        self.tx.tenant()
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, key);
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, key);
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.changes.note_range(keyspace);
        self.tx.delete_range(keyspace, range)
    }

    fn hashed_put(
        &mut self,
        keyspace: HashedKeyspace,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) -> Result<(), StoreError> {
        self.tx.hashed_put(keyspace, key, value, expires_at_ms)
    }

    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        self.tx.put_blob(blob)
    }

    fn keep_blob(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        self.tx.keep_blob(hash)
    }

    fn remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        self.tx.remove_blob(hash, uploaded_before_ms)
    }

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        self.tx.emit(event)
    }
}
