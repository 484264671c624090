//! Transactions that go wrong inside.

use std::cell::RefCell;

use cairn_base::{ContentHash, TenantId};

use super::plan::{Faults, broken};
use super::read::FaultyReads;
use crate::{Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx};

/// One run of a closure: its reads count as operations, its changes may be torn.
pub(super) struct FaultyTx<'a> {
    inner: &'a mut dyn WriteTx,
    faults: &'a Faults,
    /// Changes that get through before the transaction is torn.
    changes_left: Option<u64>,
    doom: RefCell<Option<StoreError>>,
}

impl<'a> FaultyTx<'a> {
    /// Around a transaction, torn at a change if so wished.
    pub(super) fn new(inner: &'a mut dyn WriteTx, faults: &'a Faults, tear_at: Option<u64>) -> Self {
        FaultyTx { inner, faults, changes_left: tear_at, doom: RefCell::new(None) }
    }

    /// The first error of this run; a torn run that never came to its torn change fails at its end.
    pub(super) fn doom(self) -> Option<StoreError> {
        let unreached = self.changes_left.map(|_| broken("finishing a transaction"));
        self.doom.into_inner().or(unreached)
    }

    fn read(&self, read: impl FnOnce(&FaultyReads<'_>) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let result = read(&FaultyReads { inner: &*self.inner, faults: self.faults });
        self.note(result)
    }

    fn note<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.doom.borrow_mut().get_or_insert_with(|| error.clone());
        }
        result
    }

    fn change<T>(
        &mut self,
        what: impl FnOnce() -> String,
        change: impl FnOnce(&mut dyn WriteTx) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.faults.tell(what);
        let result = match self.changes_left.as_mut() {
            Some(0) => Err(broken("changing a record")),
            Some(left) => {
                *left -= 1;
                change(self.inner)
            }
            None => change(self.inner),
        };
        self.note(result)
    }
}

impl Reader for FaultyTx<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.read(|reads| reads.multi_get(keyspace, keys, visit))
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.read(|reads| reads.multi_scan(keyspace, ranges, visit))
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.read(|reads| reads.hashed_get(keyspace, tenant, keys, visit))
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.read(|reads| reads.blobs(tenant, hashes, visit))
    }
}

impl WriteTx for FaultyTx<'_> {
    fn tenant(&self) -> TenantId {
        self.inner.tenant()
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.change(
            || format!("put {} {} {}", keyspace.name, key.len(), value.len()),
            |inner| inner.put(keyspace, key, value),
        )
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.change(|| format!("delete {} {}", keyspace.name, key.len()), |inner| inner.delete(keyspace, key))
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.change(
            || format!("delete a range of {}", keyspace.name),
            |inner| inner.delete_range(keyspace, range),
        )
    }

    fn hashed_put(
        &mut self,
        keyspace: HashedKeyspace,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) -> Result<(), StoreError> {
        self.change(
            || format!("hashed put {} {} {}", keyspace.name, key.len(), value.len()),
            |inner| inner.hashed_put(keyspace, key, value, expires_at_ms),
        )
    }

    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        self.change(|| format!("put a blob of {} bytes", blob.len()), |inner| inner.put_blob(blob))
    }

    fn keep_blob(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        self.change(|| "keep a blob".to_owned(), |inner| inner.keep_blob(hash))
    }

    fn remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        self.change(|| "remove a blob".to_owned(), |inner| inner.remove_blob(hash, uploaded_before_ms))
    }

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let bytes = event.body.len();
        self.change(|| format!("emit {bytes} bytes"), |inner| inner.emit(event))
    }
}
