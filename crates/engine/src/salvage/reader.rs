//! Reading a store that nobody writes to for as long as it takes: each page has a snapshot of its own.

use std::ops::Bound;

use cairn_base::{ContentHash, TenantId};
use cairn_seam::{HashedKeyspace, KeyRange, Keyspace, Order, Reader, Store, StoreError, Visit};

/// Keys read from one snapshot.
const PAGE: usize = 8192;

/// A reader that never grows too old.
pub(super) struct Renewing<'a>(pub(super) &'a dyn Store);

impl Reader for Renewing<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        super::now(self.0)?.multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        for (at, range) in ranges.iter().enumerate() {
            let mut rest = range.clone();
            let mut left = range.limit;
            while left > 0 && !rest.is_empty() {
                let page = KeyRange { limit: left.min(PAGE), ..rest.clone() };
                let (mut count, mut last, mut is_over) = (0, None, false);
                super::now(self.0)?.multi_scan(keyspace, &[page], &mut |_, key, value| {
                    count += 1;
                    last = Some(key.to_vec());
                    is_over = visit(at, key, value) == Visit::Stop;
                    if is_over { Visit::Stop } else { Visit::Continue }
                })?;
                left = left.saturating_sub(count);
                let Some(last) = last.filter(|_| count == PAGE && !is_over) else { break };
                match range.order {
                    Order::Ascending => rest.low = Bound::Excluded(last),
                    Order::Descending => rest.high = Bound::Excluded(last),
                }
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
        super::now(self.0)?.hashed_get(keyspace, tenant, keys, visit)
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        super::now(self.0)?.blobs(tenant, hashes, visit)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_base::ManualClock;
    use cairn_seam::{Aborted, MemoryStore};

    use super::*;

    const NOTES: Keyspace = Keyspace::new(900, "notes");

    #[test]
    fn pages_join_in_both_orders_and_limits_hold() {
        let store = MemoryStore::new(Arc::new(ManualClock::new(0)));
        let count = 2 * PAGE as u64 + 5;
        let tenant = TenantId(1);
        let key = move |number: u64| [&tenant.0.to_be_bytes()[..], &number.to_be_bytes()].concat();
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            (0..count).try_for_each(|number| tx.put(NOTES, &key(number), b"")).map_err(|_| Aborted)
        };
        store.write(tenant, Box::new(body)).unwrap();
        let read = |range: KeyRange| {
            let mut found = Vec::new();
            let visit = &mut |_, key: &[u8], _: &[u8]| {
                found.push(u64::from_be_bytes(*key.last_chunk().unwrap()));
                Visit::Continue
            };
            Renewing(&store).multi_scan(NOTES, &[range], visit).unwrap();
            found
        };
        let all = || KeyRange::prefix(&tenant.0.to_be_bytes());
        assert_eq!(read(all()), (0..count).collect::<Vec<_>>());
        assert_eq!(read(all().descending()), (0..count).rev().collect::<Vec<_>>());
        assert_eq!(read(all().limit(PAGE + 1)), (0..=PAGE as u64).collect::<Vec<_>>());
        assert_eq!(read(all().limit(0)), [0; 0]);
    }
}
