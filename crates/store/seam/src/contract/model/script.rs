//! A random transaction, thrown before it runs so that every run of it is the same.

use std::ops::Bound;

use cairn_base::{ContentHash, TenantId};

use super::truth::Truth;
use crate::contract::kit::{Dice, blob, content, event, key_of, scan, seen};
use crate::contract::{OTHERS, RECORDS, SEEN};
use crate::{KeyRange, Keyspace, StoreError, WriteTx};

/// Neighbours in key order, one of which carries over to the next byte.
pub(super) const TENANTS: [TenantId; 3] = [TenantId(254), TenantId(255), TenantId(256)];
/// The ordered keyspaces.
pub(super) const KEYSPACES: [Keyspace; 2] = [RECORDS, OTHERS];
/// Keys of the hashed keyspace.
pub(super) const ENTRIES: [&[u8]; 4] = [b"a", b"b", b"c", b"a longer one"];
/// Contents of blobs.
pub(super) const CONTENTS: [&str; 3] = ["", "short", "a somewhat longer content"];

/// Every key of every tenant.
pub(super) fn universe() -> KeyRange {
    KeyRange::new(Bound::Unbounded, Bound::Unbounded)
}

enum Step {
    Put(Keyspace, Vec<u8>, Vec<u8>),
    Delete(Keyspace, Vec<u8>),
    DeleteRange(Keyspace, KeyRange),
    Entry(&'static [u8], Vec<u8>, Option<u64>),
    Blob(&'static str),
    Emit(String),
    Get(Keyspace, Vec<u8>),
    Scan(Keyspace, KeyRange),
    ReadEntry(&'static [u8]),
    ReadBlob(&'static str),
}

/// A transaction of a tenant.
pub(super) struct Script {
    tenant: TenantId,
    steps: Vec<Step>,
    gives_up: bool,
}

impl Script {
    /// Throws a transaction.
    pub(super) fn random(dice: &mut Dice, tenant: TenantId, now_ms: u64) -> Self {
        let steps = (0..dice.roll(12)).map(|_| random_step(dice, tenant, now_ms)).collect();
        Script { tenant, steps, gives_up: dice.one_in(8) }
    }

    /// Does to a transaction what it does to the model, comparing every read.
    ///
    /// A script that gives up leaves the model as it was, and answers with a conflict.
    pub(super) fn play(
        &self,
        tx: &mut dyn WriteTx,
        truth: &mut Truth,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        for step in &self.steps {
            self.play_step(step, tx, truth, now_ms)?;
        }
        if self.gives_up { Err(StoreError::Conflict) } else { Ok(()) }
    }

    fn play_step(
        &self,
        step: &Step,
        tx: &mut dyn WriteTx,
        truth: &mut Truth,
        now_ms: u64,
    ) -> Result<(), StoreError> {
        match step {
            Step::Put(keyspace, key, value) => {
                tx.put(*keyspace, key, value)?;
                truth.set(*keyspace, key, Some(value));
            }
            Step::Delete(keyspace, key) => {
                tx.delete(*keyspace, key)?;
                truth.set(*keyspace, key, None);
            }
            Step::DeleteRange(keyspace, range) => {
                let gone = truth.scan(*keyspace, &self.inside(range));
                assert_eq!(tx.delete_range(*keyspace, range)?, gone.len() as u64, "{range:?}");
                gone.iter().for_each(|(key, _)| truth.set(*keyspace, key, None));
            }
            Step::Entry(key, value, expires_at_ms) => {
                tx.hashed_put(SEEN, key, value, *expires_at_ms)?;
                truth.set_entry(self.tenant, key, value, *expires_at_ms);
            }
            Step::Blob(text) => {
                tx.put_blob(&blob(*text))?;
                truth.add_blob(self.tenant, text);
            }
            Step::Emit(text) => {
                tx.emit(event(text))?;
                truth.emit(self.tenant, text);
            }
            Step::Get(keyspace, key) => {
                assert_eq!(crate::get(&*tx, *keyspace, key)?, truth.get(*keyspace, key), "{key:?}");
            }
            Step::Scan(keyspace, range) => {
                let expected = truth.scan(*keyspace, &self.inside(range));
                assert_eq!(scan(&*tx, *keyspace, range), expected, "{range:?} inside a transaction");
            }
            Step::ReadEntry(key) => {
                assert_eq!(seen(&*tx, self.tenant, key), truth.entry(self.tenant, key, now_ms), "{key:?}");
            }
            Step::ReadBlob(text) => {
                let found = content(&*tx, self.tenant, ContentHash::of(text.as_bytes()));
                assert_eq!(found.is_some(), truth.has_blob(self.tenant, text), "{text:?}");
            }
        }
        Ok(())
    }

    /// The range as a transaction of this tenant means it: open ends are those of the tenant.
    fn inside(&self, range: &KeyRange) -> KeyRange {
        let own = KeyRange::prefix(&key_of(self.tenant, ""));
        let choose = |bound: &Bound<Vec<u8>>, open: Bound<Vec<u8>>| match bound {
            Bound::Unbounded => open,
            Bound::Included(_) | Bound::Excluded(_) => bound.clone(),
        };
        KeyRange { low: choose(&range.low, own.low), high: choose(&range.high, own.high), ..range.clone() }
    }
}

fn random_step(dice: &mut Dice, tenant: TenantId, now_ms: u64) -> Step {
    let keyspace = KEYSPACES[dice.roll(2) as usize];
    let entry = ENTRIES[dice.roll(ENTRIES.len() as u64) as usize];
    let text = CONTENTS[dice.roll(CONTENTS.len() as u64) as usize];
    match dice.roll(20) {
        0..7 => Step::Put(keyspace, random_key(dice, tenant), random_value(dice)),
        7..10 => Step::Delete(keyspace, random_key(dice, tenant)),
        10 => Step::DeleteRange(keyspace, random_range(dice, tenant)),
        11 | 12 => {
            // Some have expired already, some expire soon, some never.
            let expires_at_ms = [None, Some(now_ms), Some(now_ms + dice.roll(10_000))][dice.roll(3) as usize];
            Step::Entry(entry, random_value(dice), expires_at_ms)
        }
        13 => Step::Blob(text),
        14 => Step::Emit(format!("event {}", dice.roll(1_000_000))),
        15 => Step::Get(keyspace, random_key(dice, tenant)),
        16 | 17 => Step::Scan(keyspace, random_range(dice, tenant)),
        18 => Step::ReadEntry(entry),
        _ => Step::ReadBlob(text),
    }
}

/// Few enough keys that transactions meet, with bytes that test the ends of prefixes.
fn random_key(dice: &mut Dice, tenant: TenantId) -> Vec<u8> {
    let rest: Vec<u8> = (0..dice.roll(4)).map(|_| [0, b'a', b'b', 0xff][dice.roll(4) as usize]).collect();
    key_of(tenant, rest)
}

fn random_value(dice: &mut Dice) -> Vec<u8> {
    let byte = dice.roll(256) as u8;
    vec![byte; dice.roll(20) as usize]
}

/// Any range inside a tenant, inverted ones included.
pub(super) fn random_range(dice: &mut Dice, tenant: TenantId) -> KeyRange {
    let range = if dice.one_in(4) {
        KeyRange::prefix(&random_key(dice, tenant))
    } else {
        KeyRange::new(random_bound(dice, tenant), random_bound(dice, tenant))
    };
    let range = if dice.one_in(2) { range.descending() } else { range };
    if dice.one_in(3) { range.limit(dice.roll(6) as usize) } else { range }
}

fn random_bound(dice: &mut Dice, tenant: TenantId) -> Bound<Vec<u8>> {
    match dice.roll(5) {
        0 => Bound::Unbounded,
        1 | 2 => Bound::Included(random_key(dice, tenant)),
        _ => Bound::Excluded(random_key(dice, tenant)),
    }
}
