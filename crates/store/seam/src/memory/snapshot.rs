//! Snapshots of a memory store.

use cairn_base::{ContentHash, Position, TenantId};

use super::blob;
use super::view::{PAGE_KEYS, View};
use crate::{HashedKeyspace, KeyRange, Keyspace, Reader, Snapshot, StoreError, Visit};

/// A view that keeps the versions it needs alive until it is dropped or too old.
#[derive(Debug)]
pub(super) struct MemorySnapshot {
    view: View,
    ticket: u64,
}

impl MemorySnapshot {
    /// Around a view that was entered with `ticket`.
    pub(super) fn new(view: View, ticket: u64) -> Self {
        MemorySnapshot { view, ticket }
    }
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        self.view.core.leave(self.ticket);
    }
}

impl Reader for MemorySnapshot {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        for (page, keys) in keys.chunks(PAGE_KEYS).enumerate() {
            for (index, value) in self.view.get(keyspace, keys)?.iter().enumerate() {
                visit(page * PAGE_KEYS + index, value.as_deref());
            }
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
            let mut scan = self.view.scan(keyspace, range.clone());
            for _ in 0..range.limit {
                let Some((key, value)) = scan.next()? else { break };
                match visit(index, &key, &value) {
                    Visit::Continue => {}
                    Visit::NextRange => break,
                    Visit::Stop => return Ok(()),
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
        for (page, keys) in keys.chunks(PAGE_KEYS).enumerate() {
            for (index, value) in self.view.hashed(keyspace, tenant, keys)?.iter().enumerate() {
                visit(page * PAGE_KEYS + index, value.as_deref());
            }
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
            visit(index, blob::in_one_piece(self.view.blob(tenant, *hash)?, hash)?.as_deref());
        }
        Ok(())
    }
}

impl Snapshot for MemorySnapshot {
    fn position(&self) -> Position {
        self.view.at
    }
}
