//! One run of one transaction: its own overlay over everything committed before it.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};
use cairn_log::{
    BLOB_PLACES, BlobAt, BlobPlace, Group, HashedEntry, HashedMap, HashedName, Log, Op, StagedFile,
};
use cairn_seam::{
    Admission, Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteClass,
    WriteTx, limits, put_sha256,
};

use parking_lot::Mutex;

use crate::generation::{Key, Slot};
use crate::index::IndexPlace;
use crate::shared::Disk;
use crate::view::{ScanVisitor, View};

/// Changes to one keyspace.
pub(crate) type Changes = BTreeMap<Key, Slot>;

/// What every transaction of a group stands on.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) log: &'a Log,
    pub(crate) view: &'a View,
    pub(crate) place: &'a IndexPlace,
    pub(crate) now_ms: u64,
    /// What earlier transactions of the group set.
    pub(crate) pending: &'a HashedMap,
    /// What groups before it set, that may not be published yet.
    pub(crate) in_flight: &'a VecDeque<Arc<HashedMap>>,
    /// Held by whoever writes such a group; `None` when it is ours, and there is none.
    pub(crate) disk: Option<&'a Mutex<Disk>>,
}

impl Ground<'_> {
    fn hashed_entry(&self, name: &HashedName) -> Result<Option<HashedEntry>, StoreError> {
        let in_flight = || self.in_flight.iter().rev().find_map(|group| group.get(name));
        match self.pending.get(name).or_else(in_flight) {
            Some(entry) => Ok(Some(entry.clone())),
            None => self.log.hashed_get(name),
        }
    }

    /// Waits until a position is on disk, or will never be.
    fn wait_for(&self, position: u64) {
        if let Some(disk) = self.disk.filter(|_| !self.log.holds(position)) {
            // The group before ours has it.
            drop(disk.lock());
        }
    }

    fn now_s(&self) -> u32 {
        u32::try_from(self.now_ms / 1000).unwrap_or(u32::MAX)
    }
}

pub(crate) struct Tx<'a> {
    ground: Ground<'a>,
    admission: Admission,
    /// Blobs go straight into the group; giving up cuts them off again.
    group: &'a mut Group,
    changes: BTreeMap<u16, Changes>,
    hashed: HashedMap,
    /// Places of the blobs this transaction added.
    places: HashedMap,
    events: Vec<Event>,
    /// Uploads that must stay until the group is published.
    pins: Vec<Pin>,
}

/// Keeps an uploaded file.
pub(crate) type Pin = Arc<dyn Any + Send + Sync>;

/// What a transaction did, ready to be written and published.
pub(crate) struct Finished {
    pub(crate) changes: BTreeMap<u16, Changes>,
    pub(crate) hashed: HashedMap,
    pub(crate) places: HashedMap,
    pub(crate) events: Vec<Event>,
    pub(crate) pins: Vec<Pin>,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(ground: Ground<'a>, tenant: TenantId, group: &'a mut Group) -> Self {
        Tx {
            ground,
            admission: Admission::new(tenant),
            group,
            changes: BTreeMap::new(),
            hashed: HashedMap::default(),
            places: HashedMap::default(),
            events: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// What is to be kept; `None` when nothing changed, an error when one was handed to the closure or when
    /// it is too large for the reserve, if that is to pay.
    pub(crate) fn finish(self, lean: Option<WriteClass>) -> Result<Option<Finished>, StoreError> {
        self.admission.verdict()?;
        let Tx { admission, changes, hashed, places, events, pins, .. } = self;
        if admission.is_unchanged() {
            return Ok(None);
        }
        lean.map_or(Ok(()), |class| class.check(&admission))?;
        Ok(Some(Finished { changes, hashed, places, events, pins }))
    }

    fn hashed_entry(&self, name: &HashedName) -> Result<Option<HashedEntry>, StoreError> {
        match self.hashed.get(name).or_else(|| self.places.get(name)) {
            Some(entry) => Ok(Some(entry.clone())),
            None => self.ground.hashed_entry(name),
        }
    }

    fn blob_name(&self, hash: &ContentHash) -> HashedName {
        self.ground.log.hash_key().name(BLOB_PLACES, self.admission.tenant(), hash.as_bytes())
    }

    fn blob_place(&self, hash: &ContentHash) -> Result<Option<BlobPlace>, StoreError> {
        let entry = self.hashed_entry(&self.blob_name(hash))?;
        Ok(entry.and_then(|entry| BlobPlace::from_value(&entry.value)))
    }

    fn change(&mut self, keyspace: Keyspace, key: &[u8], slot: Slot) {
        self.changes.entry(keyspace.id).or_default().insert(Arc::from(key), slot);
    }

    fn try_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        keys.iter().try_for_each(|key| self.admission.key(key))?;
        let Ground { view, place, .. } = self.ground;
        let Some(own) = self.changes.get(&keyspace.id) else {
            return view.multi_get(place, u64::MAX, keyspace, keys, visit);
        };
        for (at, key) in keys.iter().enumerate() {
            match own.get(*key) {
                Some(slot) => visit(at, slot.as_deref()),
                None => {
                    view.multi_get(place, u64::MAX, keyspace, &[key], &mut |_, value| visit(at, value))?
                }
            }
        }
        Ok(())
    }

    fn try_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: ScanVisitor<'_>,
    ) -> Result<(), StoreError> {
        let inside: Vec<KeyRange> =
            ranges.iter().map(|range| self.admission.range(range)).collect::<Result<_, _>>()?;
        let Ground { view, place, .. } = self.ground;
        view.multi_scan(place, u64::MAX, keyspace, &inside, self.changes.get(&keyspace.id), visit)
    }

    fn try_delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        let mut keys: Vec<Key> = Vec::new();
        self.try_scan(keyspace, std::slice::from_ref(range), &mut |_, key, _| {
            keys.push(Arc::from(key));
            // One more than allowed is enough to know that it is too many.
            if keys.len() > cairn_seam::limits::COMMIT_CHANGES_MAX { Visit::Stop } else { Visit::Continue }
        })?;
        for key in &keys {
            self.admission.delete(key)?;
        }
        let count = keys.len() as u64;
        if count > 0 {
            self.changes.entry(keyspace.id).or_default().extend(keys.into_iter().map(|key| (key, None)));
        }
        Ok(count)
    }

    fn try_put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        if !self.renew(&blob.hash())? {
            self.admission.blob(blob)?;
            let name = self.blob_name(&blob.hash());
            let uploaded_s = self.ground.now_s();
            match self.group.blob(self.admission.tenant(), blob, uploaded_s) {
                Some(place) => {
                    // In case it was removed before in this transaction.
                    self.hashed.remove(&name);
                    self.places.insert(name, place.to_entry());
                }
                None => {
                    let bytes = self.pin(blob, name).ok_or(StoreError::ForeignBlob)?;
                    let place = BlobPlace { uploaded_s, at: BlobAt::File { bytes } };
                    self.hashed.insert(name, place.to_entry());
                }
            }
        }
        put_sha256(self, blob)
    }

    /// Holds on to the file of an upload until the group that names it is published.
    fn pin(&mut self, blob: &Blob, name: HashedName) -> Option<u64> {
        let handle = blob.handle()?;
        let staged = handle.downcast_ref::<StagedFile>()?;
        let is_ours = staged.is_of(self.ground.log) && staged.name() == name;
        is_ours.then(|| {
            self.pins.push(Arc::clone(handle));
            staged.bytes()
        })
    }

    /// Whether the tenant has a blob; one that was uploaded long ago counts as uploaded now.
    fn renew(&mut self, hash: &ContentHash) -> Result<bool, StoreError> {
        let Some(place) = self.blob_place(hash)?.filter(|place| place.at != BlobAt::Gone) else {
            return Ok(false);
        };
        let now_s = self.ground.now_s();
        let age_s = u64::from(now_s.saturating_sub(place.uploaded_s));
        if age_s > limits::BLOB_RENEW_AFTER.as_secs() {
            let entry = BlobPlace { uploaded_s: now_s, ..place }.to_entry();
            self.admission.hashed_put(hash.as_bytes(), &entry.value)?;
            self.hashed.insert(self.blob_name(hash), entry);
        }
        Ok(true)
    }

    fn try_remove_blob(&mut self, hash: &ContentHash, uploaded_before_ms: u64) -> Result<bool, StoreError> {
        let found = self.blob_place(hash)?.filter(|place| place.at != BlobAt::Gone);
        let is_old = |place: &BlobPlace| u64::from(place.uploaded_s) * 1000 < uploaded_before_ms;
        let Some(place) = found.filter(is_old) else { return Ok(false) };
        let entry = BlobPlace { at: BlobAt::Gone, ..place }.to_entry();
        self.admission.hashed_put(hash.as_bytes(), &entry.value)?;
        let name = self.blob_name(hash);
        self.places.remove(&name);
        self.hashed.insert(name, entry);
        Ok(true)
    }

    fn read_blob(&self, hash: &ContentHash, visit: &mut dyn FnMut(Option<&[u8]>)) -> Result<(), StoreError> {
        match self.blob_place(hash)?.map(|place| place.at) {
            Some(BlobAt::Log { position, body_bytes }) => {
                if self
                    .group
                    .blob_at(self.admission.tenant(), position, body_bytes, |bytes| visit(Some(bytes)))
                    .is_none()
                {
                    self.ground.wait_for(position);
                    self.ground.log.read_blob(position, body_bytes, hash, |bytes| visit(Some(bytes)))?;
                }
            }
            Some(elsewhere) => return Err(not_in_the_log(elsewhere, hash)),
            None => visit(None),
        }
        Ok(())
    }
}

/// Why a blob cannot be read in one piece.
pub(crate) fn not_in_the_log(place: BlobAt, hash: &ContentHash) -> StoreError {
    match place {
        BlobAt::File { bytes } => {
            StoreError::BlobTooLarge { bytes, max: limits::BLOB_IN_COMMIT_BYTES_MAX as u64 }
        }
        BlobAt::Gone | BlobAt::Log { .. } => StoreError::BlobGone { hash: *hash },
    }
}

impl Finished {
    /// Writes changes and events as the body of a transaction frame. Places of blobs are not in it:
    /// they are known from the blob frames themselves.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for (keyspace, changes) in &self.changes {
            for (key, slot) in changes {
                match slot {
                    Some(value) => Op::Put { keyspace: *keyspace, key, value }.encode(out),
                    None => Op::Delete { keyspace: *keyspace, key }.encode(out),
                }
            }
        }
        let mut hashed: Vec<_> = self.hashed.iter().collect();
        hashed.sort_by_key(|(name, _)| **name);
        for (name, entry) in hashed {
            Op::Hashed { name: *name, expires_at_ms: entry.expires_at_ms, value: &entry.value }.encode(out);
        }
        for Event { kind, body } in &self.events {
            Op::Event { kind: *kind, body }.encode(out);
        }
    }
}

impl Reader for Tx<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.admission.note(self.try_get(keyspace, keys, visit))
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.admission.note(self.try_scan(keyspace, ranges, visit))
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.admission.note(self.admission.same_tenant(tenant))?;
        for (at, key) in keys.iter().enumerate() {
            let name = self.ground.log.hash_key().name(keyspace.id, tenant, key);
            let entry = self.admission.note(self.hashed_entry(&name))?;
            let live = entry.filter(|entry| !entry.expired(self.ground.now_ms));
            visit(at, live.as_ref().map(|entry| &*entry.value));
        }
        Ok(())
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.admission.note(self.admission.same_tenant(tenant))?;
        for (at, hash) in hashes.iter().enumerate() {
            self.admission.note(self.read_blob(hash, &mut |bytes| visit(at, bytes)))?;
        }
        Ok(())
    }
}

impl WriteTx for Tx<'_> {
    fn tenant(&self) -> TenantId {
        self.admission.tenant()
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let admitted = self.admission.put(key, value);
        self.admission.note(admitted)?;
        self.change(keyspace, key, Some(Arc::from(value)));
        Ok(())
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        let admitted = self.admission.delete(key);
        self.admission.note(admitted)?;
        self.change(keyspace, key, None);
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
        let name = self.ground.log.hash_key().name(keyspace.id, self.admission.tenant(), key);
        // 0 stands for never in the log; the first millisecond of 1970 is as good as expired.
        let expires_at_ms = expires_at_ms.map_or(0, |ms| ms.max(1));
        self.hashed.insert(name, HashedEntry { expires_at_ms, value: value.into() });
        Ok(())
    }

    fn put_blob(&mut self, blob: &Blob) -> Result<(), StoreError> {
        let put = self.try_put_blob(blob);
        self.admission.note(put)
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
        self.events.push(event);
        Ok(())
    }
}
