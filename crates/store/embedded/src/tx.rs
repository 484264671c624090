//! One run of one transaction: its own overlay over everything committed before it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};
use cairn_log::{BLOB_PLACES, BlobPlace, Group, HashedEntry, HashedMap, HashedName, Log, Op};
use cairn_seam::{
    Admission, Blob, Event, HashedKeyspace, KeyRange, Keyspace, Reader, StoreError, Visit, WriteTx,
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

    fn read_blob(&self, place: BlobPlace, hash: &ContentHash) -> Result<Vec<u8>, StoreError> {
        if let Some(disk) = self.disk.filter(|_| !self.log.holds(place.position)) {
            // The group before ours has it: it is on disk in a moment, or never.
            drop(disk.lock());
        }
        self.log.read_blob(place, hash)
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
}

/// What a transaction did, ready to be written and published.
pub(crate) struct Finished {
    pub(crate) changes: BTreeMap<u16, Changes>,
    pub(crate) hashed: HashedMap,
    pub(crate) places: HashedMap,
    pub(crate) events: Vec<Event>,
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
        }
    }

    /// What is to be kept; `None` when nothing changed, an error when one was handed to the closure.
    pub(crate) fn finish(self) -> Result<Option<Finished>, StoreError> {
        self.admission.verdict()?;
        let Tx { admission, changes, hashed, places, events, .. } = self;
        Ok((!admission.is_unchanged()).then_some(Finished { changes, hashed, places, events }))
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
            if keys.len() > cairn_base::limits::COMMIT_CHANGES_MAX { Visit::Stop } else { Visit::Continue }
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
        let hash = blob.hash();
        let name = self.blob_name(&hash);
        if self.hashed_entry(&name)?.is_some() {
            return Ok(());
        }
        self.admission.blob(blob)?;
        let place = self.group.blob(self.admission.tenant(), &hash, blob.bytes());
        self.places.insert(name, place.to_entry());
        Ok(())
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
            match self.admission.note(self.blob_place(hash))? {
                None => visit(at, None),
                Some(place) => match self.group.blob_at(tenant, place) {
                    Some(bytes) => visit(at, Some(&bytes)),
                    None => {
                        let bytes = self.admission.note(self.ground.read_blob(place, hash))?;
                        visit(at, Some(&bytes));
                    }
                },
            }
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

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let admitted = self.admission.event(&event);
        self.admission.note(admitted)?;
        self.events.push(event);
        Ok(())
    }
}
