//! A transaction that counts how often it is asked.

use std::cell::Cell;

use cairn_base::{ContentHash, TenantId};
use cairn_seam::{HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx, forward};

pub(crate) struct Counting<'a> {
    tx: &'a mut dyn WriteTx,
    reads: Cell<usize>,
}

impl<'a> Counting<'a> {
    pub(crate) fn new(tx: &'a mut dyn WriteTx) -> Self {
        Counting { tx, reads: Cell::new(0) }
    }

    /// Calls that wait for an answer.
    pub(crate) fn reads(&self) -> usize {
        self.reads.get()
    }

    fn count(&self) {
        self.reads.set(self.reads.get() + 1);
    }
}

impl Reader for Counting<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.count();
        self.tx.multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.count();
        self.tx.multi_scan(keyspace, ranges, visit)
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.count();
        self.tx.hashed_get(keyspace, tenant, keys, visit)
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.count();
        self.tx.blobs(tenant, hashes, visit)
    }
}

impl WriteTx for Counting<'_> {
    forward!(tx: tenant, put, delete, hashed_put, put_blob, emit);

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.count();
        self.tx.delete_range(keyspace, range)
    }

    fn keep_blob(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        self.count();
        self.tx.keep_blob(hash)
    }

    fn remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        self.count();
        self.tx.remove_blob(hash, uploaded_before_ms)
    }
}
