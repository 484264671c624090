//! The model: plain maps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use cairn_base::TenantId;

use crate::contract::kit::Found;
use crate::{KeyRange, Keyspace, Order, is_expired};

/// A value and when it is gone.
type Entry = (Vec<u8>, Option<u64>);

/// Everything a store holds, as simply as can be.
#[derive(Clone, Default)]
pub(super) struct Truth {
    records: BTreeMap<(Keyspace, Vec<u8>), Vec<u8>>,
    entries: BTreeMap<(TenantId, Vec<u8>), Entry>,
    blobs: BTreeSet<(TenantId, String)>,
    events: Vec<(TenantId, String)>,
}

impl Truth {
    /// Sets or removes a record.
    pub(super) fn set(&mut self, keyspace: Keyspace, key: &[u8], value: Option<&[u8]>) {
        let place = (keyspace, key.to_vec());
        match value {
            Some(value) => drop(self.records.insert(place, value.to_vec())),
            None => drop(self.records.remove(&place)),
        }
    }

    /// A record.
    pub(super) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<Vec<u8>> {
        self.records.get(&(keyspace, key.to_vec())).cloned()
    }

    /// The records of a range, found by looking at all of them.
    pub(super) fn scan(&self, keyspace: Keyspace, range: &KeyRange) -> Found {
        let above = |key: &Vec<u8>| match &range.low {
            Bound::Included(low) => key >= low,
            Bound::Excluded(low) => key > low,
            Bound::Unbounded => true,
        };
        let below = |key: &Vec<u8>| match &range.high {
            Bound::Included(high) => key <= high,
            Bound::Excluded(high) => key < high,
            Bound::Unbounded => true,
        };
        let records =
            self.records.iter().filter(|((place, key), _)| *place == keyspace && above(key) && below(key));
        let mut found: Vec<_> = records.map(|((_, key), value)| (key.clone(), value.clone())).collect();
        if range.order == Order::Descending {
            found.reverse();
        }
        found.truncate(range.limit);
        found
    }

    /// Sets an entry.
    pub(super) fn set_entry(
        &mut self,
        tenant: TenantId,
        key: &[u8],
        value: &[u8],
        expires_at_ms: Option<u64>,
    ) {
        self.entries.insert((tenant, key.to_vec()), (value.to_vec(), expires_at_ms));
    }

    /// An entry, if its time is not over.
    pub(super) fn entry(&self, tenant: TenantId, key: &[u8], now_ms: u64) -> Option<Vec<u8>> {
        let (value, expires_at_ms) = self.entries.get(&(tenant, key.to_vec()))?;
        (!is_expired(*expires_at_ms, now_ms)).then(|| value.clone())
    }

    /// Notes a blob.
    pub(super) fn add_blob(&mut self, tenant: TenantId, text: &str) {
        self.blobs.insert((tenant, text.to_owned()));
    }

    /// Whether a tenant has a blob.
    pub(super) fn has_blob(&self, tenant: TenantId, text: &str) -> bool {
        self.blobs.contains(&(tenant, text.to_owned()))
    }

    /// Notes an event.
    pub(super) fn emit(&mut self, tenant: TenantId, text: &str) {
        self.events.push((tenant, text.to_owned()));
    }

    /// What happened to a tenant, or to all.
    pub(super) fn events(&self, tenant: Option<TenantId>) -> Vec<String> {
        let of_tenant = |event: &&(TenantId, String)| tenant.is_none_or(|tenant| tenant == event.0);
        self.events.iter().filter(of_tenant).map(|(_, text)| text.clone()).collect()
    }
}
