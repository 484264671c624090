//! Which blobs records refer to: what keeps them from being swept.

use std::ops::Bound;

use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{KeyRange, Keyspace, References, Store, StoreError, Visit};

use crate::tables;

/// Records read from one snapshot: it is short-lived, and there may be many records.
const PAGE_RECORDS: usize = 1000;

/// Called with the hash of a blob.
pub type VisitHash<'a> = &'a mut dyn FnMut(&ContentHash);

/// A keyspace whose records refer to blobs, and how to find out to which.
#[derive(Debug, Clone, Copy)]
pub struct Referring {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// Calls back with every hash that a record's value refers to.
    pub hashes: fn(value: &[u8], visit: VisitHash<'_>),
}

/// Everything that the records of a store refer to.
pub(crate) struct RecordReferences<'a> {
    store: &'a dyn Store,
    tables: &'a [Referring],
}

impl<'a> RecordReferences<'a> {
    pub(crate) fn of(store: &'a dyn Store) -> Self {
        RecordReferences { store, tables: tables::REFERRING }
    }

    /// Reads records behind a key; the last key read, or `None` when there are no more.
    fn page(
        &self,
        table: &Referring,
        after: Option<Vec<u8>>,
        visit: &mut dyn FnMut(TenantId, &ContentHash),
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let low = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange { limit: PAGE_RECORDS, ..KeyRange::new(low, Bound::Unbounded) };
        let mut last = None;
        let mut count = 0;
        let snapshot = self.store.snapshot(Position::START)?;
        snapshot.multi_scan(table.keyspace, &[range], &mut |_, key, value| {
            if let Some(tenant) = key.first_chunk::<4>() {
                let tenant = TenantId(u32::from_be_bytes(*tenant));
                (table.hashes)(value, &mut |hash| visit(tenant, hash));
            }
            last = Some(key.to_vec());
            count += 1;
            Visit::Continue
        })?;
        Ok(last.filter(|_| count == PAGE_RECORDS))
    }
}

impl References for RecordReferences<'_> {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        for table in self.tables {
            let mut after = None;
            loop {
                after = self.page(table, after, visit)?;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cairn_base::ManualClock;
    use cairn_seam::{Aborted, MemoryStore};

    use super::*;

    const NOTES: Keyspace = Keyspace::new(900, "notes");

    /// A value is a list of hashes.
    fn hashes(value: &[u8], visit: VisitHash<'_>) {
        value.as_chunks::<32>().0.iter().for_each(|hash| visit(&ContentHash::from_bytes(*hash)));
    }

    #[test]
    fn every_record_of_every_page_and_tenant_is_asked() {
        let store = MemoryStore::new(Arc::new(ManualClock::new(0)));
        let mut expected = Vec::new();
        for tenant in [TenantId(3), TenantId(4)] {
            let names: Vec<u64> =
                (0..PAGE_RECORDS as u64 + 7).map(|n| n * 10 + u64::from(tenant.0)).collect();
            expected.extend(names.iter().map(|name| (tenant, ContentHash::of(&name.to_be_bytes()))));
            let body = move |tx: &mut dyn cairn_seam::WriteTx| {
                for name in &names {
                    let key = [&tenant.0.to_be_bytes()[..], &name.to_be_bytes()].concat();
                    let value = *ContentHash::of(&name.to_be_bytes()).as_bytes();
                    tx.put(NOTES, &key, &value).map_err(|_| Aborted)?;
                }
                Ok(())
            };
            store.write(tenant, Box::new(body)).unwrap();
        }
        let tables = [Referring { keyspace: NOTES, hashes }];
        let mut found = Vec::new();
        let references = RecordReferences { store: &store, tables: &tables };
        references.visit(&mut |tenant, hash| found.push((tenant, *hash))).unwrap();
        assert!(found == expected, "{} of {}", found.len(), expected.len());
    }
}
