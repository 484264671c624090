//! A model of blobs, of what refers to them, and of what a cut may leave of them.
//!
//! Every transaction emits one event. So the number of events says whether the last transaction, of whose
//! outcome nobody was told, is there; everything else follows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use cairn_base::{ContentHash, Entropy, Position, SeededEntropy, TenantId};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{
    Aborted, Blob, Event, EventKind, KeyRange, Keyspace, Reader, References, Store, StoreError, Visit,
    WriteTx, get, limits,
};

pub(crate) const TENANT: TenantId = TenantId(6);
/// Records that refer to blobs: number → number.
const RECORDS: Keyspace = Keyspace::new(61, "records");
const CELLS: Keyspace = Keyspace::new(62, "cells");
const COUNTS: Keyspace = Keyspace::new(63, "counts");
const HAPPENED: EventKind = EventKind(9);
const IN_COMMIT: usize = limits::BLOB_IN_COMMIT_BYTES_MAX;
const SMALL_SIZES: [usize; 20] = [
    0, 1, 17, 300, 700, 900, 901, 1200, 1500, 1999, 2500, 2501, 2700, 3000, 4095, 4096, 4097, 4500, 5000,
    6000,
];
const LARGE_SIZES: [usize; 4] = [IN_COMMIT + 1, IN_COMMIT + 900, IN_COMMIT + 66_000, IN_COMMIT + 70_001];

/// What a blob holds; blobs have numbers here.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) hash: ContentHash,
}

/// All blobs there are: small ones, then large ones. Half of them compress.
pub(crate) fn contents() -> &'static [Content] {
    static CONTENTS: OnceLock<Vec<Content>> = OnceLock::new();
    CONTENTS.get_or_init(|| {
        let sizes = SMALL_SIZES.into_iter().chain(LARGE_SIZES);
        let make = |(number, size): (u64, usize)| {
            let mut bytes = vec![u8::try_from(number).unwrap(); size];
            // Large ones that do not compress are slow: there is one.
            let is_noise = if size > IN_COMMIT { size == LARGE_SIZES[3] } else { number % 2 == 0 };
            if is_noise {
                SeededEntropy::new(number).fill(&mut bytes);
            }
            Content { hash: ContentHash::of(&bytes), bytes }
        };
        (0..).zip(sizes).map(make).collect()
    })
}

pub(crate) fn is_large(number: usize) -> bool {
    number >= SMALL_SIZES.len()
}

/// What one transaction does.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Puts a blob, and a record that refers to it if so wanted.
    Put { number: usize, refer: bool },
    /// Refers to a blob if it is there.
    Refer { number: usize },
    /// Removes the record.
    Unrefer { number: usize },
    /// Removes a blob that nothing refers to.
    Remove { number: usize },
    /// Changes a value that has nothing to do with blobs.
    Cell { cell: u64, value: u64 },
}

/// What a blob reads as; `None` is a blob that never was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    presence: Presence,
    uploaded_ms: u64,
}

/// What should be there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    transactions: u64,
    blobs: BTreeMap<usize, Known>,
    records: BTreeSet<usize>,
    cells: BTreeMap<u64, u64>,
    /// Blobs that are there for the model, and that a compaction may have removed.
    may_be_gone: BTreeSet<usize>,
}

impl Model {
    /// Whether nothing refers to a blob.
    pub(crate) fn is_free(&self, number: usize) -> bool {
        !self.records.contains(&number)
    }

    pub(crate) fn is_there(&self, number: usize) -> bool {
        self.blobs.get(&number).is_some_and(|known| known.presence == Presence::There)
    }

    /// What a compaction is told.
    pub(crate) fn references(&self) -> Referred {
        Referred(self.records.iter().copied().collect())
    }

    /// A compaction begins: from now on blobs without references may go. Large ones must, if it comes to
    /// its end.
    pub(crate) fn begin_compaction(&mut self, now_ms: u64) -> Vec<usize> {
        let before_ms = now_ms.saturating_sub(u64::try_from(limits::BLOB_GRACE.as_millis()).unwrap());
        let lets_go = |known: &Known| known.presence == Presence::There && known.uploaded_ms < before_ms;
        let going = self.blobs.iter().filter(|(number, known)| lets_go(known) && self.is_free(**number));
        self.may_be_gone = going.map(|(number, _)| *number).collect();
        self.may_be_gone.iter().copied().filter(|number| is_large(*number)).collect()
    }

    /// Looks at what a compaction has removed so far.
    pub(crate) fn observe(&mut self, store: &EmbeddedStore) -> Result<(), StoreError> {
        for number in self.may_be_gone.clone() {
            if presence(store, number)? != Some(Presence::There) {
                self.may_be_gone.remove(&number);
                self.note(number, Presence::Gone);
            }
        }
        Ok(())
    }

    /// A compaction is over.
    pub(crate) fn end_compaction(&mut self, store: &EmbeddedStore) -> Result<(), StoreError> {
        self.observe(store)?;
        self.may_be_gone.clear();
        Ok(())
    }

    fn note(&mut self, number: usize, presence: Presence) {
        self.blobs.entry(number).and_modify(|known| known.presence = presence);
    }

    fn upload(&mut self, number: usize, now_ms: u64) {
        let renew_ms = u64::try_from(limits::BLOB_RENEW_AFTER.as_millis()).unwrap();
        let known = self.blobs.get(&number).filter(|known| known.presence == Presence::There);
        let uploaded_ms = known.map(|known| known.uploaded_ms).filter(|at| now_ms - at <= renew_ms);
        let uploaded_ms = uploaded_ms.unwrap_or(now_ms);
        self.blobs.insert(number, Known { presence: Presence::There, uploaded_ms });
        self.may_be_gone.remove(&number);
    }

    pub(crate) fn apply(&mut self, step: &Step, now_ms: u64) {
        self.transactions += 1;
        match *step {
            Step::Put { number, refer } => {
                self.upload(number, now_ms);
                self.records.extend(refer.then_some(number));
            }
            Step::Refer { number } if self.is_there(number) => {
                self.upload(number, now_ms);
                self.records.insert(number);
            }
            Step::Remove { number } if self.is_there(number) => {
                self.may_be_gone.remove(&number);
                self.note(number, Presence::Gone);
            }
            Step::Unrefer { number } => drop(self.records.remove(&number)),
            Step::Cell { cell, value } => drop(self.cells.insert(cell, value)),
            Step::Refer { .. } | Step::Remove { .. } => {}
        }
    }

    /// Compares a store with the model; panics with the difference. What was left open is known then.
    pub(crate) fn check(&mut self, store: &EmbeddedStore) {
        let snapshot = store.snapshot(Position::START).unwrap();
        let read = |keyspace| {
            let mut found = BTreeMap::new();
            let range = KeyRange::prefix(&TENANT.0.to_be_bytes());
            snapshot
                .multi_scan(keyspace, &[range], &mut |_, key, value| {
                    let key = u64::from_be_bytes(key[4..].try_into().unwrap());
                    found.insert(key, u64::from_le_bytes(value.try_into().unwrap()));
                    Visit::Continue
                })
                .unwrap();
            found
        };
        assert_eq!(read(CELLS), self.cells, "cells");
        let records: Vec<usize> = read(RECORDS).keys().map(|key| usize::try_from(*key).unwrap()).collect();
        assert_eq!(records, self.records.iter().copied().collect::<Vec<_>>(), "records");
        for number in 0..contents().len() {
            let found = presence(store, number).unwrap_or_else(|error| panic!("blob {number}: {error}"));
            let expected = self.blobs.get(&number).map(|known| known.presence);
            if self.may_be_gone.contains(&number) && found == Some(Presence::Gone) {
                self.note(number, Presence::Gone);
            } else {
                assert_eq!(found, expected, "blob {number}");
            }
        }
        self.may_be_gone.clear();
    }

    /// Large blobs that are there: each has a file.
    pub(crate) fn large_blobs(&self) -> usize {
        self.blobs.keys().filter(|number| is_large(**number) && self.is_there(**number)).count()
    }

    pub(crate) fn transactions(&self) -> u64 {
        self.transactions
    }
}

/// References to blobs by their numbers.
pub(crate) struct Referred(Vec<usize>);

impl References for Referred {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        self.0.iter().for_each(|number| visit(TENANT, &contents()[*number].hash));
        Ok(())
    }
}

/// What a blob reads as, all of it.
pub(crate) fn presence(store: &EmbeddedStore, number: usize) -> Result<Option<Presence>, StoreError> {
    let Content { bytes, hash } = &contents()[number];
    match store.open_blob(TENANT, hash) {
        Ok(Some(reader)) => {
            let mut found = vec![0; bytes.len()];
            assert_eq!(reader.read_at(0, &mut found)?, bytes.len());
            assert!(found == *bytes, "blob {number} is another one");
            Ok(Some(Presence::There))
        }
        Ok(None) => Ok(None),
        Err(StoreError::BlobGone { .. }) => Ok(Some(Presence::Gone)),
        Err(error) => Err(error),
    }
}

/// How many transactions a store holds; its events may have been thinned out.
pub(crate) fn transactions_in(store: &EmbeddedStore) -> u64 {
    count(&*store.snapshot(Position::START).unwrap()).unwrap()
}

fn count<R: Reader + ?Sized>(reader: &R) -> Result<u64, StoreError> {
    let stored = get(reader, COUNTS, &TENANT.0.to_be_bytes())?;
    Ok(stored.map_or(0, |count| u64::from_le_bytes(count.try_into().expect("eight bytes"))))
}

/// Runs a transaction; `blob` is what a put puts.
pub(crate) fn commit(store: &EmbeddedStore, step: &Step, blob: Option<Blob>) -> Result<(), StoreError> {
    let step = step.clone();
    let body = move |tx: &mut dyn WriteTx| run(tx, &step, blob.as_ref()).map_err(|_| Aborted);
    store.write(TENANT, Box::new(body)).map(drop)
}

fn run(tx: &mut dyn WriteTx, step: &Step, blob: Option<&Blob>) -> Result<(), StoreError> {
    let key = |number: u64| [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat();
    let record = |number: usize| key(number as u64);
    blob.map_or(Ok(()), |blob| tx.put_blob(blob))?;
    match *step {
        Step::Put { refer: false, .. } => {}
        Step::Put { number, refer: true } => tx.put(RECORDS, &record(number), &[0; 8])?,
        Step::Refer { number } => {
            if tx.keep_blob(&contents()[number].hash)? {
                tx.put(RECORDS, &record(number), &[0; 8])?;
            }
        }
        Step::Unrefer { number } => tx.delete(RECORDS, &record(number))?,
        Step::Remove { number } => drop(tx.remove_blob(&contents()[number].hash, u64::MAX)?),
        Step::Cell { cell, value } => tx.put(CELLS, &key(cell), &value.to_le_bytes())?,
    }
    let count = count(tx)? + 1;
    tx.put(COUNTS, &TENANT.0.to_be_bytes(), &count.to_le_bytes())?;
    tx.emit(Event { kind: HAPPENED, body: Vec::new() })
}
