//! What is written: records that each refer to one blob. Everything about one follows from its name.

use cairn_base::{ContentHash, Entropy, Position, SeededEntropy, TenantId};
use cairn_seam::{Blob, KeyRange, Keyspace, References, Store, StoreError, Visit, WriteTx, get, limits};

pub(crate) const TENANT: TenantId = TenantId(8);
const RECORDS: Keyspace = Keyspace::new(71, "turmoil");

/// How a writer writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// Bytes of its blobs: at least, and how many more at most.
    bytes: (usize, usize),
    /// A record goes with the one that is written so many later, unless it stays for ever.
    lag: u64,
}

/// One row per writer. The last one's blobs have files of their own.
pub(crate) const WRITERS: [Kind; 4] = [
    Kind { bytes: (0, 3_000), lag: 16 },
    Kind { bytes: (3_000, 3_000), lag: 16 },
    Kind { bytes: (100_000, 200_000), lag: 6 },
    Kind { bytes: (limits::BLOB_IN_COMMIT_BYTES_MAX + 1, 600_000), lag: 2 },
];

/// Every eighth record stays for ever.
const STAYS: u64 = 8;

/// Which record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Name {
    pub(crate) life: u32,
    pub(crate) writer: usize,
    pub(crate) count: u64,
}

impl Name {
    fn number(self) -> u64 {
        (u64::from(self.life) << 40) | ((self.writer as u64) << 32) | self.count
    }

    fn key(self) -> Vec<u8> {
        [&TENANT.0.to_be_bytes()[..], &self.number().to_be_bytes()].concat()
    }

    /// Whether the blob has a file of its own.
    pub(crate) fn is_large(self) -> bool {
        self.writer + 1 == WRITERS.len()
    }

    /// Whether the record is still there when `last` is the last one of its writer.
    pub(crate) fn is_kept(self, last: u64) -> bool {
        self.stays() || self.count + WRITERS[self.writer].lag > last
    }

    /// Whether the record is there for ever.
    pub(crate) fn stays(self) -> bool {
        self.count % STAYS == STAYS - 1
    }

    /// The record that goes with this one.
    fn goes_with(self) -> Option<Name> {
        let count = self.count.checked_sub(WRITERS[self.writer].lag)?;
        Some(Name { count, ..self }).filter(|earlier| !earlier.stays())
    }

    /// The bytes of its blob; every other one compresses.
    pub(crate) fn content(self) -> Vec<u8> {
        let random = SeededEntropy::new(self.number());
        let (least, more) = WRITERS[self.writer].bytes;
        let size = least + usize::try_from(random.next_u64() % more as u64).expect("it is small");
        let mut bytes = vec![0; size];
        let noise = if self.count.is_multiple_of(2) { size } else { size.min(32) };
        random.fill(&mut bytes[..noise]);
        bytes
    }
}

/// Puts a record and its blob, and takes away what goes with it.
pub(crate) fn put(tx: &mut dyn WriteTx, name: Name, blob: &Blob) -> Result<(), StoreError> {
    tx.put_blob(blob)?;
    tx.put(RECORDS, &name.key(), blob.hash().as_bytes())?;
    name.goes_with().map_or(Ok(()), |earlier| tx.delete(RECORDS, &earlier.key()))
}

/// Whether a record is there.
pub(crate) fn is_there(store: &dyn Store, name: Name) -> Result<bool, StoreError> {
    Ok(get(&*store.snapshot(Position::START)?, RECORDS, &name.key())?.is_some())
}

/// What became of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Gone,
    Never,
    /// It is there, and is another one or cannot be read.
    Wrong,
}

/// Looks for a blob, and reads all of it.
pub(crate) fn presence(store: &dyn Store, name: Name) -> Presence {
    let content = name.content();
    match store.open_blob(TENANT, &ContentHash::of(&content)) {
        Ok(Some(reader)) => {
            let mut found = vec![0; content.len()];
            let read = reader.read_at(0, &mut found);
            let is_right = read.is_ok() && reader.len() == content.len() as u64 && found == content;
            if is_right { Presence::There } else { Presence::Wrong }
        }
        Ok(None) => Presence::Never,
        Err(StoreError::BlobGone { .. }) => Presence::Gone,
        Err(_) => Presence::Wrong,
    }
}

/// The references that records make.
pub(crate) struct FromRecords<'a>(pub(crate) &'a dyn Store);

impl References for FromRecords<'_> {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        let snapshot = self.0.snapshot(Position::START)?;
        let range = KeyRange::prefix(&TENANT.0.to_be_bytes());
        snapshot.multi_scan(RECORDS, &[range], &mut |_, _, value| {
            if let Ok(hash) = value.try_into() {
                visit(TENANT, &ContentHash::from_bytes(hash));
            }
            Visit::Continue
        })
    }
}
