//! Transactions of a memory store: an overlay over the newest state.

use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};

use super::blob::{self, StoredBlob};
use super::hashed::Entry;
use super::own::Own;
use super::state::Overlay;
use super::table::Bytes;
use super::view::View;
use crate::{
    Admission, Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteClass,
    WriteTx, limits, put_sha256,
};

/// One run of a transaction. The state below stands still, because one transaction runs at a time.
pub(super) struct MemoryTx {
    view: View,
    overlay: Overlay,
    admission: Admission,
}

impl MemoryTx {
    /// Over a view of the newest position.
    pub(super) fn new(view: View, tenant: TenantId) -> Self {
        MemoryTx { view, overlay: Overlay::default(), admission: Admission::new(tenant) }
    }

    /// Whether it is small enough to come from the reserve of a store that is full.
    pub(super) fn check(&self, class: WriteClass) -> Result<(), StoreError> {
        if self.admission.is_unchanged() { Ok(()) } else { class.check(&self.admission) }
    }

    /// What is to be changed: nothing, or an overlay, or an error the closure overlooked.
    pub(super) fn finish(self) -> Result<Option<Overlay>, StoreError> {
        self.admission.verdict()?;
        Ok((!self.admission.is_unchanged()).then_some(self.overlay))
    }

    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.admission.key(key)?;
        match self.overlay.ordered.get(&keyspace.id).and_then(|own| own.get(key)) {
            Some(own) => Ok(own.clone()),
            None => Ok(self.view.get(keyspace, &[key])?.pop().flatten()),
        }
    }

    fn hashed(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        key: &[u8],
    ) -> Result<Option<Bytes>, StoreError> {
        self.admission.same_tenant(tenant)?;
        match self.overlay.hashed.get(&(keyspace.id, tenant, Bytes::from(key))) {
            Some(own) => Ok(own.alive(self.view.core.clock.now_ms())),
            None => Ok(self.view.hashed(keyspace, tenant, &[key])?.pop().flatten()),
        }
    }

    fn blob(&self, tenant: TenantId, hash: ContentHash) -> Result<Option<StoredBlob>, StoreError> {
        self.admission.same_tenant(tenant)?;
        match self.overlay.blobs.get(&hash) {
            Some(own) => Ok(Some(own.clone())),
            None => self.view.blob(tenant, hash),
        }
    }

    /// Walks a range over stored keys and own changes.
    fn scan(
        &self,
        keyspace: Keyspace,
        range: &KeyRange,
        visit: &mut dyn FnMut(&Bytes, &Bytes) -> Visit,
    ) -> Result<Visit, StoreError> {
        let range = self.admission.range(range)?;
        let mut left = range.limit;
        let mut own = Own::new(self.overlay.ordered.get(&keyspace.id), &range);
        let mut stored = self.view.scan(keyspace, range);
        while left > 0 {
            let (key, value) = match own.before(stored.peek()?) {
                Some((own_key, value, hides)) => {
                    if hides {
                        stored.next()?;
                    }
                    let Some(value) = value else { continue };
                    (Arc::clone(own_key), Arc::clone(value))
                }
                None => match stored.next()? {
                    Some(entry) => entry,
                    None => break,
                },
            };
            left -= 1;
            match visit(&key, &value) {
                Visit::Continue => {}
                verdict @ (Visit::NextRange | Visit::Stop) => return Ok(verdict),
            }
        }
        Ok(Visit::NextRange)
    }

    fn set(&mut self, keyspace: Keyspace, key: Bytes, value: Option<Bytes>) {
        self.overlay.ordered.entry(keyspace.id).or_default().insert(key, value);
    }

    fn try_delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        let mut keys = Vec::new();
        self.scan(keyspace, range, &mut |key, _| {
            keys.push(Arc::clone(key));
            Visit::Continue
        })?;
        let count = keys.len() as u64;
        for key in keys {
            self.admission.delete(&key)?;
            self.set(keyspace, key, None);
        }
        Ok(count)
    }

    fn try_put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        if !self.renew(&blob.hash())? {
            self.admission.blob(blob)?;
            let bytes = match (blob.bytes(), blob.handle()) {
                (Some(bytes), _) => Bytes::from(bytes),
                (None, handle) => blob::staged_bytes(handle).ok_or(StoreError::ForeignBlob)?,
            };
            let stored = StoredBlob { bytes: Some(bytes), uploaded_ms: self.view.core.clock.now_ms() };
            self.overlay.blobs.insert(blob.hash(), stored);
        }
        put_sha256(self, blob)
    }

    /// Whether the tenant has a blob; one that was uploaded long ago counts as uploaded now.
    fn renew(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        let found = self.blob(self.admission.tenant(), *hash)?;
        let Some(blob) = found.filter(|blob| blob.bytes.is_some()) else { return Ok(false) };
        let now_ms = self.view.core.clock.now_ms();
        let age_ms = u128::from(now_ms.saturating_sub(blob.uploaded_ms));
        if age_ms > limits::BLOB_RENEW_AFTER.as_millis() {
            self.admission.hashed_put(hash.as_bytes(), &[])?;
            self.overlay.blobs.insert(*hash, StoredBlob { uploaded_ms: now_ms, ..blob });
        }
        Ok(true)
    }

    fn try_remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        let found = self.blob(self.admission.tenant(), *hash)?.filter(|blob| blob.bytes.is_some());
        let Some(blob) = found.filter(|blob| blob.uploaded_ms < uploaded_before_ms) else { return Ok(false) };
        self.admission.hashed_put(hash.as_bytes(), &[])?;
        self.overlay.blobs.insert(*hash, StoredBlob { bytes: None, ..blob });
        Ok(true)
    }
}

impl Reader for MemoryTx {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        for (index, key) in keys.iter().enumerate() {
            visit(index, self.admission.note(self.get(keyspace, key))?.as_deref());
        }
        Ok(())
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        for (index, range) in ranges.iter().enumerate() {
            let verdict = self.scan(keyspace, range, &mut |key, value| visit(index, key, value));
            if self.admission.note(verdict)? == Visit::Stop {
                break;
            }
        }
        Ok(())
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        for (index, key) in keys.iter().enumerate() {
            visit(index, self.admission.note(self.hashed(keyspace, tenant, key))?.as_deref());
        }
        Ok(())
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        for (index, hash) in hashes.iter().enumerate() {
            let found = self.blob(tenant, *hash).and_then(|found| blob::in_one_piece(found, hash));
            visit(index, self.admission.note(found)?.as_deref());
        }
        Ok(())
    }
}

impl WriteTx for MemoryTx {
    fn tenant(&self) -> TenantId {
        self.admission.tenant()
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let admitted = self.admission.put(key, value);
        self.admission.note(admitted)?;
        self.set(keyspace, Bytes::from(key), Some(Bytes::from(value)));
        Ok(())
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        let admitted = self.admission.delete(key);
        self.admission.note(admitted)?;
        self.set(keyspace, Bytes::from(key), None);
        Ok(())
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        let deleted = self.try_delete_range(keyspace, range);
        self.admission.note(deleted)
    }

    fn hashed_put(
        &mut self,
        keyspace: HashedKeyspace,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) -> Result<(), StoreError> {
        let admitted = self.admission.hashed_put(key, value);
        self.admission.note(admitted)?;
        let name = (keyspace.id, self.admission.tenant(), Bytes::from(key));
        self.overlay.hashed.insert(name, Entry { value: Bytes::from(value), expires_at_ms });
        Ok(())
    }

    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        let stored = self.try_put_blob(blob);
        self.admission.note(stored)
    }

    fn keep_blob(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        let kept = self.renew(hash);
        self.admission.note(kept)
    }

    fn remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        let removed = self.try_remove_blob(hash, uploaded_before_ms);
        self.admission.note(removed)
    }

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let admitted = self.admission.event(&event);
        self.admission.note(admitted)?;
        self.overlay.events.push(event);
        Ok(())
    }
}
