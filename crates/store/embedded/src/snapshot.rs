//! A view of the store that a reader holds for a short while.

use std::sync::Arc;
use std::time::Duration;

use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{HashedKeyspace, KeyRange, Keyspace, Reader, Snapshot, StoreError, Visit, limits};

use crate::shared::Shared;
use crate::view::View;

pub(crate) struct EmbeddedSnapshot {
    shared: Arc<Shared>,
    view: Arc<View>,
    taken: Duration,
}

impl EmbeddedSnapshot {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let view = shared.view();
        let taken = shared.options.clock.monotonic();
        EmbeddedSnapshot { shared, view, taken }
    }

    fn check_age(&self) -> Result<(), StoreError> {
        let age = self.shared.options.clock.monotonic().saturating_sub(self.taken);
        if age > limits::SNAPSHOT_AGE_MAX { Err(StoreError::SnapshotTooOld) } else { Ok(()) }
    }
}

impl Reader for EmbeddedSnapshot {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.check_age()?;
        self.view.multi_get(&self.shared.place, self.view.position, keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.check_age()?;
        let place = &self.shared.place;
        self.view.multi_scan(place, self.view.position, keyspace, ranges, None, visit)
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.check_age()?;
        let now_ms = self.shared.options.clock.now_ms();
        for (at, key) in keys.iter().enumerate() {
            let name = self.shared.log.hash_key().name(keyspace.id, tenant, key);
            let live = self.shared.log.hashed_get(&name)?.filter(|entry| !entry.expired(now_ms));
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
        self.check_age()?;
        for (at, hash) in hashes.iter().enumerate() {
            self.shared.read_blob(tenant, hash, &mut |bytes| visit(at, bytes))?;
        }
        Ok(())
    }
}

impl Snapshot for EmbeddedSnapshot {
    fn position(&self) -> Position {
        Position::from_stored(self.view.position)
    }
}
