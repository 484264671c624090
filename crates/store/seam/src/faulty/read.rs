//! Reads that go wrong.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use cairn_base::{ContentHash, Position, TenantId};

use super::plan::{Faults, SeamFault, broken};
use crate::{HashedKeyspace, KeyRange, Keyspace, Reader, Snapshot, StoreError, Visit};

/// A snapshot each of whose reads counts as an operation.
pub(super) struct FaultySnapshot {
    inner: Box<dyn Snapshot>,
    faults: Arc<Faults>,
}

impl FaultySnapshot {
    /// Around a snapshot.
    pub(super) fn new(inner: Box<dyn Snapshot>, faults: Arc<Faults>) -> Self {
        FaultySnapshot { inner, faults }
    }
}

/// Reads through a reader, going wrong as planned.
pub(super) struct FaultyReads<'a> {
    pub(super) inner: &'a dyn Reader,
    pub(super) faults: &'a Faults,
}

/// What a read does: how many visits get through, and whether an error follows.
struct Course {
    visits: u64,
    ending: Result<(), StoreError>,
}

impl FaultyReads<'_> {
    fn course(&self) -> Result<Course, StoreError> {
        let doing = "reading";
        match self.faults.next() {
            None | Some(SeamFault::Rerun) => Ok(Course { visits: u64::MAX, ending: Ok(()) }),
            Some(SeamFault::Fail) => Err(broken(doing)),
            Some(SeamFault::LoseAnswer) => Ok(Course { visits: u64::MAX, ending: Err(broken(doing)) }),
            Some(SeamFault::Delay(time)) => {
                self.faults.delay(time);
                Ok(Course { visits: u64::MAX, ending: Ok(()) })
            }
            Some(SeamFault::Tear { at }) => Ok(Course { visits: at, ending: Err(broken(doing)) }),
        }
    }

    /// A look-up of many; visits beyond the torn one are swallowed.
    fn look_up(
        &self,
        what: impl FnOnce() -> String,
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
        read: impl FnOnce(&mut dyn FnMut(usize, Option<&[u8]>)) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let Course { mut visits, ending } = self.course()?;
        let mut found = Found::default();
        let outcome = read(&mut |index, value| {
            found.count(value);
            if visits > 0 {
                visits -= 1;
                visit(index, value);
            }
        });
        self.faults.tell(|| format!("{} {found}", what()));
        outcome?;
        ending
    }
}

/// How much a read came to.
#[derive(Default)]
struct Found {
    count: usize,
    bytes: usize,
}

impl Found {
    fn count(&mut self, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.count += 1;
            self.bytes += value.len();
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {} of {} bytes", self.count, self.bytes)
    }
}

/// Whose keys they are, and how long each is.
fn shapes<'a>(keys: impl Iterator<Item = &'a [u8]>) -> String {
    let shape = |key: &[u8]| match key.split_first_chunk() {
        Some((tenant, rest)) => format!("{}+{}", u32::from_be_bytes(*tenant), rest.len()),
        None => key.len().to_string(),
    };
    keys.map(shape).collect::<Vec<_>>().join(" ")
}

impl Reader for FaultyReads<'_> {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let what = || format!("get {} {}", keyspace.name, shapes(keys.iter().copied()));
        self.look_up(what, visit, |visit| self.inner.multi_get(keyspace, keys, visit))
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        let Course { mut visits, ending } = self.course()?;
        let mut found = Found::default();
        let outcome = self.inner.multi_scan(keyspace, ranges, &mut |index, key, value| {
            if visits == 0 {
                return Visit::Stop;
            }
            visits -= 1;
            found.count(Some(value));
            visit(index, key, value)
        });
        self.faults.tell(|| {
            let lows = ranges.iter().map(|range| match &range.low {
                Bound::Included(low) | Bound::Excluded(low) => &low[..],
                Bound::Unbounded => &[],
            });
            format!("scan {} {} {found}", keyspace.name, shapes(lows))
        });
        outcome?;
        ending
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let what = || format!("hashed get {} of tenant {tenant}, {} keys", keyspace.name, keys.len());
        self.look_up(what, visit, |visit| self.inner.hashed_get(keyspace, tenant, keys, visit))
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let what = || format!("{} blobs of tenant {tenant}", hashes.len());
        self.look_up(what, visit, |visit| self.inner.blobs(tenant, hashes, visit))
    }
}

impl FaultySnapshot {
    fn reads(&self) -> FaultyReads<'_> {
        FaultyReads { inner: self.inner.as_ref(), faults: &self.faults }
    }
}

impl Reader for FaultySnapshot {
    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.reads().multi_get(keyspace, keys, visit)
    }

    fn multi_scan(
        &self,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        visit: &mut dyn FnMut(usize, &[u8], &[u8]) -> Visit,
    ) -> Result<(), StoreError> {
        self.reads().multi_scan(keyspace, ranges, visit)
    }

    fn hashed_get(
        &self,
        keyspace: HashedKeyspace,
        tenant: TenantId,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.reads().hashed_get(keyspace, tenant, keys, visit)
    }

    fn blobs(
        &self,
        tenant: TenantId,
        hashes: &[ContentHash],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        self.reads().blobs(tenant, hashes, visit)
    }
}

impl Snapshot for FaultySnapshot {
    fn position(&self) -> Position {
        self.inner.position()
    }
}
