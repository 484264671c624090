//! A transaction that says what it changes.

use cairn_base::{ContentHash, TenantId};
use cairn_seam::{Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx};

use super::Changes;

/// Passes everything on, and notes every row of the graph before it changes, so that nobody finds it in memory as
/// it was.
pub struct Noting<'a> {
    tx: &'a mut dyn WriteTx,
    changes: &'a Changes,
}

impl<'a> Noting<'a> {
    /// The same transaction, whose changes are noted.
    pub fn new(tx: &'a mut dyn WriteTx, changes: &'a Changes) -> Self {
        Noting { tx, changes }
    }
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
