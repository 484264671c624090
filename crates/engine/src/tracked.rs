//! A transaction that remembers which kinds of events it emitted, and says what it changes of the graph.

use cairn_base::{ContentHash, TenantId};
use cairn_graph::{Changes, Noting};
use cairn_seam::{
    Blob, Event, EventKind, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx,
};

/// Passes everything on and notes each kind once, so that listeners can be told after the commit.
pub(crate) struct Tracked<'a> {
    tx: Noting<'a>,
    kinds: Vec<EventKind>,
}

impl<'a> Tracked<'a> {
    pub(crate) fn new(tx: &'a mut dyn WriteTx, graph: &'a Changes) -> Self {
        Tracked { tx: Noting::new(tx, graph), kinds: Vec::new() }
    }

    pub(crate) fn into_kinds(self) -> Vec<EventKind> {
        self.kinds
    }
}

impl Reader for Tracked<'_> {
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

impl WriteTx for Tracked<'_> {
    fn tenant(&self) -> TenantId {
        self.tx.tenant()
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
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
        let kind = event.kind;
        self.tx.emit(event)?;
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }
}
