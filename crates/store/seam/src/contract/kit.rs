//! Short words for what contracts do all the time.

use std::fmt::Debug;
use std::sync::mpsc;
use std::time::Duration;

use cairn_base::{ContentHash, Position, TenantId};

use super::{RECORDS, SEEN};
use crate::{
    Blob, Change, Event, EventKind, KeyRange, Keyspace, Reader, Snapshot, Store, StoreError, Visit, WriteTx,
};

/// The tenant most contracts write for.
pub(super) const US: TenantId = TenantId(7);
/// Its neighbour in key order.
pub(super) const THEM: TenantId = TenantId(8);

/// How long a contract waits for an answer that must come; only a broken store lets it pass.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// Keys and values in the order they were visited.
pub(super) type Found = Vec<(Vec<u8>, Vec<u8>)>;

/// A key of a tenant.
pub(super) fn key_of(tenant: TenantId, rest: impl AsRef<[u8]>) -> Vec<u8> {
    [&tenant.0.to_be_bytes(), rest.as_ref()].concat()
}

/// A key of ours.
pub(super) fn key(rest: impl AsRef<[u8]>) -> Vec<u8> {
    key_of(US, rest)
}

/// Runs a transaction that must succeed.
#[track_caller]
pub(super) fn commit_for<T: Send + 'static>(
    store: &dyn Store,
    tenant: TenantId,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, StoreError> + Send + 'static,
) -> (T, Position) {
    let (value, position) = crate::write(store, tenant, body).expect("the transaction commits");
    assert!(position <= store.position(), "a commit is readable when it is acknowledged");
    (value, position)
}

/// Runs a transaction of ours that must succeed.
#[track_caller]
pub(super) fn commit<T: Send + 'static>(
    store: &dyn Store,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    commit_for(store, US, body).0
}

/// Runs a transaction of ours that must fail, and says how.
#[track_caller]
pub(super) fn refused<T: Debug + Send + 'static>(
    store: &dyn Store,
    body: impl FnMut(&mut dyn WriteTx) -> Result<T, StoreError> + Send + 'static,
) -> StoreError {
    crate::write(store, US, body).expect_err("the transaction is refused")
}

/// Puts records of ours in one transaction.
#[track_caller]
pub(super) fn put(store: &dyn Store, records: &[(&str, &str)]) -> Position {
    let records: Vec<_> =
        records.iter().map(|(name, value)| (key(name), value.as_bytes().to_vec())).collect();
    let body =
        move |tx: &mut dyn WriteTx| records.iter().try_for_each(|(key, value)| tx.put(RECORDS, key, value));
    commit_for(store, US, body).1
}

/// A view of everything up to now.
#[track_caller]
pub(super) fn now(store: &dyn Store) -> Box<dyn Snapshot> {
    store.snapshot(store.position()).expect("a snapshot of the newest position")
}

/// What a range holds, in the order it is walked.
#[track_caller]
pub(super) fn scan<R: Reader + ?Sized>(reader: &R, keyspace: Keyspace, range: &KeyRange) -> Found {
    try_scan(reader, keyspace, range).expect("the range can be read")
}

/// What a range holds, or why it cannot be read.
pub(super) fn try_scan<R: Reader + ?Sized>(
    reader: &R,
    keyspace: Keyspace,
    range: &KeyRange,
) -> Result<Found, StoreError> {
    let mut found = Vec::new();
    reader.multi_scan(keyspace, std::slice::from_ref(range), &mut |_, key, value| {
        found.push((key.to_vec(), value.to_vec()));
        Visit::Continue
    })?;
    Ok(found)
}

/// Our records as `name=value`, in key order.
#[track_caller]
pub(super) fn texts<R: Reader + ?Sized>(reader: &R) -> Vec<String> {
    texts_in(reader, &KeyRange::prefix(&key("")))
}

/// Records of a range as `name=value`, in its order.
#[track_caller]
pub(super) fn texts_in<R: Reader + ?Sized>(reader: &R, range: &KeyRange) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let found = scan(reader, RECORDS, range);
    found.iter().map(|(key, value)| format!("{}={}", text(&key[4..]), text(value))).collect()
}

/// One of our records.
#[track_caller]
pub(super) fn get<R: Reader + ?Sized>(reader: &R, name: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    crate::get(reader, RECORDS, &key(name)).expect("the key can be read")
}

/// An entry of the hashed keyspace.
#[track_caller]
pub(super) fn seen<R: Reader + ?Sized>(reader: &R, tenant: TenantId, key: &[u8]) -> Option<Vec<u8>> {
    let mut found = None;
    let read = reader.hashed_get(SEEN, tenant, &[key], &mut |_, value| found = value.map(<[u8]>::to_vec));
    read.expect("the entry can be read");
    found
}

/// A blob of a tenant.
#[track_caller]
pub(super) fn content<R: Reader + ?Sized>(
    reader: &R,
    tenant: TenantId,
    hash: ContentHash,
) -> Option<Vec<u8>> {
    let mut found = None;
    let read = reader.blobs(tenant, &[hash], &mut |_, value| found = value.map(<[u8]>::to_vec));
    read.expect("the blob can be read");
    found
}

/// A blob.
pub(super) fn blob(bytes: impl Into<Vec<u8>>) -> Blob {
    Blob::new(bytes.into()).expect("the blob fits into a commit")
}

/// An event that says `text`.
pub(super) fn event(text: &str) -> Event {
    Event { kind: EventKind(1), body: text.as_bytes().to_vec() }
}

/// Reads the feed to its end in pages of at most `limit`.
#[track_caller]
pub(super) fn feed(
    store: &dyn Store,
    after: Position,
    tenant: Option<TenantId>,
    limit: usize,
) -> Vec<Change> {
    let (mut all, mut after) = (Vec::new(), after);
    loop {
        let page = store.changes(after, tenant, limit).expect("the feed can be read");
        assert!(page.changes.len() <= limit, "a page of {} where {limit} were asked for", page.changes.len());
        let last = page.changes.last().map_or(after, |change| change.position);
        assert!(page.next >= last, "`next` is behind what the page holds");
        all.extend(page.changes);
        if page.at_end {
            return all;
        }
        assert!(page.next > after, "a page that is not the last one moves on");
        after = page.next;
    }
}

/// What the events of some changes say.
pub(super) fn said(changes: &[Change]) -> Vec<String> {
    let events = changes.iter().flat_map(|change| &change.events);
    events.map(|event| String::from_utf8_lossy(&event.body).into_owned()).collect()
}

/// Takes `count` answers from a channel.
#[track_caller]
pub(super) fn answers<T>(receiver: &mpsc::Receiver<T>, count: usize) -> Vec<T> {
    let answer = || receiver.recv_timeout(PATIENCE).expect("every transaction is answered");
    std::iter::repeat_with(answer).take(count).collect()
}

/// Random numbers that a seed brings back: a linear congruence, its high bits mixed.
pub(super) struct Dice(u64);

impl Dice {
    /// Dice that fall the same way for the same seed.
    pub(super) fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below `sides`.
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 32) % sides
    }

    /// Whether one in `sides` came up.
    pub(super) fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}
