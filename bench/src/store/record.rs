//! What a commit holds here: two small keys and a blob of 1 KiB, all following from three numbers.
//!
//! One key is behind the last one of its producer, as those of a history are; the other is anywhere,
//! as those of an index by name are.

use cairn_base::{Position, TenantId};
use cairn_seam::{Blob, Keyspace, Store, StoreError};

use crate::random::{Random, mix};

/// Everything here is in one tenant.
pub(crate) const TENANT: TenantId = TenantId(7);
/// Keys in the order they were written.
pub(crate) const IN_ORDER: Keyspace = Keyspace::new(901, "bench-in-order");
/// Keys in no order.
pub(crate) const SCATTERED: Keyspace = Keyspace::new(902, "bench-scattered");
/// Bytes of a blob. They do not compress.
const BLOB_BYTES: usize = 1024;

/// Which record: the run it belongs to, who wrote it, and how many it wrote before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) run: u32,
    pub(crate) producer: u32,
    pub(crate) count: u64,
}

/// A record, ready to be committed.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) in_order: [u8; 24],
    pub(crate) scattered: [u8; 24],
    pub(crate) value: [u8; 40],
    pub(crate) blob: Blob,
}

impl Name {
    fn number(self) -> u64 {
        mix((u64::from(self.run) << 32 | u64::from(self.producer)).wrapping_add(mix(self.count)))
    }

    /// What every key of a run starts with in [`IN_ORDER`].
    pub(crate) fn run_prefix(run: u32) -> [u8; 8] {
        let mut prefix = [0; 8];
        prefix[..4].copy_from_slice(&TENANT.0.to_be_bytes());
        prefix[4..].copy_from_slice(&run.to_be_bytes());
        prefix
    }

    fn in_order(self) -> [u8; 24] {
        let mut key = [0; 24];
        key[..8].copy_from_slice(&Name::run_prefix(self.run));
        key[8..12].copy_from_slice(&self.producer.to_be_bytes());
        key[12..20].copy_from_slice(&self.count.to_be_bytes());
        key
    }

    /// Reads a key of [`IN_ORDER`] back.
    pub(crate) fn from_in_order(key: &[u8]) -> Option<Name> {
        let key: &[u8; 24] = key.try_into().ok()?;
        let u32_at = |at: usize| u32::from_be_bytes([key[at], key[at + 1], key[at + 2], key[at + 3]]);
        let count = u64::from(u32_at(12)) << 32 | u64::from(u32_at(16));
        Some(Name { run: u32_at(4), producer: u32_at(8), count })
    }

    /// Makes the record, its blob's hash included.
    pub(crate) fn record(self) -> Record {
        let mut scattered = [0; 24];
        scattered[..4].copy_from_slice(&TENANT.0.to_be_bytes());
        scattered[4..12].copy_from_slice(&self.number().to_be_bytes());
        scattered[12..16].copy_from_slice(&self.run.to_be_bytes());
        scattered[16..20].copy_from_slice(&self.producer.to_be_bytes());
        scattered[20..].copy_from_slice(&(self.count as u32).to_be_bytes());
        let bytes = Random::new(self.number()).bytes(BLOB_BYTES);
        let blob = Blob::new(bytes).expect("1 KiB is far below the limit");
        let mut value = [0; 40];
        value[..32].copy_from_slice(blob.hash().as_bytes());
        value[32..].copy_from_slice(&self.count.to_le_bytes());
        Record { in_order: self.in_order(), scattered, value, blob }
    }
}

/// Commits records in one transaction and returns when they are durable.
pub(crate) fn commit(store: &dyn Store, records: Vec<Record>) -> Result<Position, StoreError> {
    let done = cairn_seam::write(store, TENANT, move |tx| {
        for record in &records {
            tx.put(IN_ORDER, &record.in_order, &record.value)?;
            tx.put(SCATTERED, &record.scattered, &record.value)?;
            tx.put_blob(&record.blob)?;
        }
        Ok::<_, StoreError>(())
    });
    done.map(|((), position)| position)
}

/// Commits one record.
pub(crate) fn commit_one(store: &dyn Store, name: Name) -> Result<Position, StoreError> {
    let record = name.record();
    let done = cairn_seam::write(store, TENANT, move |tx| {
        tx.put(IN_ORDER, &record.in_order, &record.value)?;
        tx.put(SCATTERED, &record.scattered, &record.value)?;
        tx.put_blob(&record.blob)
    });
    done.map(|((), position)| position)
}
