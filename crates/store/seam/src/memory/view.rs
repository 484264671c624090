//! Reads of the store at one position, a page at a time, so that no visitor runs under a lock.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, ContentHash, Position, TenantId};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};

use super::blob::StoredBlob;
use super::state::State;
use super::table::Bytes;
use crate::{DamagedAt, HashedKeyspace, KeyRange, Keyspace, Order, StoreError, limits};

/// Most keys looked at while holding the lock that writers need.
pub(super) const PAGE_KEYS: usize = 256;

/// What the store, its snapshots and its transactions share.
#[derive(Debug)]
pub(super) struct Core {
    /// The contents; locked briefly, never while foreign code runs.
    pub(super) state: RwLock<State>,
    /// Where time comes from.
    pub(super) clock: Arc<dyn Clock>,
    /// Live snapshots in the order taken: where they stand and since when.
    live: Mutex<BTreeMap<u64, (Position, Duration)>>,
}

impl Core {
    /// Around an empty state.
    pub(super) fn new(state: State, clock: Arc<dyn Clock>) -> Self {
        Core { state: RwLock::new(state), clock, live: Mutex::new(BTreeMap::new()) }
    }

    /// Notes a snapshot at the newest position, unless the store is not as far as `at_least`.
    pub(super) fn enter(&self, at_least: Position) -> Result<(u64, Position, Duration), StoreError> {
        let state = self.state.read();
        let position = state.position;
        if at_least > position {
            return Err(StoreError::PositionAhead { asked: at_least, at: position });
        }
        // Noted under the lock of the state, so that no writer prunes in between.
        let mut live = self.live.lock();
        let taken = self.clock.monotonic();
        let ticket = live.last_key_value().map_or(0, |(last, _)| last + 1);
        live.insert(ticket, (position, taken));
        Ok((ticket, position, taken))
    }

    /// Forgets a snapshot.
    pub(super) fn leave(&self, ticket: u64) {
        self.live.lock().remove(&ticket);
    }

    /// The oldest position that somebody may still read, at most `newest`.
    ///
    /// To be asked under the write lock of the state, and acted on before giving it up.
    pub(super) fn oldest_read(&self, newest: Position) -> Position {
        let now = self.clock.monotonic();
        self.live
            .lock()
            .values()
            .find(|(_, taken)| !is_too_old(*taken, now))
            .map_or(newest, |(position, _)| *position)
    }
}

fn is_too_old(taken: Duration, now: Duration) -> bool {
    now.saturating_sub(taken) > limits::SNAPSHOT_AGE_MAX
}

/// The store at one position.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The store.
    pub(super) core: Arc<Core>,
    /// Where it is read.
    pub(super) at: Position,
    /// Since when a snapshot has been standing there; a transaction may take its time.
    pub(super) taken: Option<Duration>,
}

impl View {
    /// The contents, unless this view has become too old to read them.
    pub(super) fn state(&self) -> Result<RwLockReadGuard<'_, State>, StoreError> {
        let state = self.core.state.read();
        // Asked under the lock: what was pruned before, was pruned because this answers "too old".
        if self.taken.is_some_and(|taken| is_too_old(taken, self.core.clock.monotonic())) {
            return Err(StoreError::SnapshotTooOld);
        }
        Ok(state)
    }

    /// Looks up some keys.
    pub(super) fn get(&self, keyspace: Keyspace, keys: &[&[u8]]) -> Result<Vec<Option<Bytes>>, StoreError> {
        let state = self.state()?;
        let table = state.tables.get(&keyspace.id);
        Ok(keys.iter().map(|key| table?.get(key, self.at)).collect())
    }

    /// Looks up some entries of a hashed keyspace.
    pub(super) fn hashed(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes>>, StoreError> {
        let now_ms = self.core.clock.now_ms();
        let state = self.state()?;
        let entry = |key: &&[u8]| state.hashed.get(&(keyspace.id, tenant, Bytes::from(*key)), now_ms);
        Ok(keys.iter().map(entry).collect())
    }

    /// Reads a blob and verifies it.
    pub(super) fn blob(&self, tenant: TenantId, hash: ContentHash) -> Result<Option<StoredBlob>, StoreError> {
        let found = self.state()?.blob(tenant, hash);
        let bytes = found.as_ref().and_then(|blob| blob.bytes.as_deref());
        if bytes.is_some_and(|bytes| ContentHash::of(bytes) != hash) {
            let detail = format!("blob {hash} does not have the content its name says");
            return Err(StoreError::Damaged(DamagedAt { file: PathBuf::from("memory"), offset: 0, detail }));
        }
        Ok(found)
    }

    /// Walks a range, leaving its limit to the caller.
    pub(super) fn scan(&self, keyspace: Keyspace, range: KeyRange) -> Scan<'_> {
        Scan { view: self, keyspace, rest: Some(range), page: Vec::new().into_iter() }
    }
}

/// A walk through a range.
pub(super) struct Scan<'a> {
    view: &'a View,
    keyspace: Keyspace,
    /// What has not been read yet.
    rest: Option<KeyRange>,
    page: std::vec::IntoIter<(Bytes, Bytes)>,
}

impl Scan<'_> {
    /// The next key, without taking it.
    pub(super) fn peek(&mut self) -> Result<Option<&Bytes>, StoreError> {
        while self.page.as_slice().is_empty() {
            let Some(range) = self.rest.take() else { return Ok(None) };
            self.fill(range)?;
        }
        Ok(self.page.as_slice().first().map(|(key, _)| key))
    }

    /// The next key and its value.
    pub(super) fn next(&mut self) -> Result<Option<(Bytes, Bytes)>, StoreError> {
        self.peek()?;
        Ok(self.page.next())
    }

    fn fill(&mut self, range: KeyRange) -> Result<(), StoreError> {
        let looks = range.limit.clamp(1, PAGE_KEYS);
        let state = self.view.state()?;
        let Some(table) = state.tables.get(&self.keyspace.id) else { return Ok(()) };
        let page = table.page(&range, self.view.at, looks);
        drop(state);
        self.page = page.entries.into_iter();
        self.rest = page.resume.map(|last| beyond(range, &last));
        Ok(())
    }
}

/// What is left of a range after a key of it.
fn beyond(range: KeyRange, last: &Bytes) -> KeyRange {
    let from = Bound::Excluded(last.to_vec());
    match range.order {
        Order::Ascending => KeyRange { low: from, ..range },
        Order::Descending => KeyRange { high: from, ..range },
    }
}
