//! The index of a damaged store as a source of records: every page of it that verifies.
//!
//! It is opened through a copy that keeps writes in memory. Pages that do not verify cut stretches out
//! of its tables; what lies before and behind them is read.

use std::io;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_log::{PatientFile, Sealer};
use redb::{Database, ReadTransaction, ReadableDatabase, TableDefinition, TableHandle};

use super::span::{self, Patch, Span};
use crate::alarm::Alarm;
use crate::backend::SeamBackend;
use crate::guard::Salt;
use crate::index::{self, Applied, KeyTable};
use crate::verify::scratch::Scratch;

const CACHE_BYTES: usize = 64 << 20;

/// An index that can be read at least in part.
pub(super) struct IndexSource {
    // Keeps the pages of the tables from being reused.
    _transaction: ReadTransaction,
    _db: Database,
    tables: Vec<(u16, Option<KeyTable>)>,
    pub(super) applied: Applied,
    pub(super) store: [u8; 16],
}

/// A file that stays as it is. Opening an index writes its header again, which nothing here relies on.
#[derive(Debug)]
struct Untouched(PatientFile);

impl File for Untouched {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_at(buf, offset)
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Ok(())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}

type Emit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> io::Result<()>;

impl IndexSource {
    /// Opens the index of a directory; `Err` with why it cannot be read at all.
    pub(super) fn open(
        fs: &dyn FileSystem,
        dir: &Path,
        sealer: Option<&Arc<Sealer>>,
        store: Option<[u8; 16]>,
    ) -> Result<Self, String> {
        let file = fs.open_to_read(&dir.join(index::FILE)).map_err(|error| error.to_string())?;
        if file.is_empty().map_err(|error| error.to_string())? {
            return Err("it is empty".into());
        }
        // redb asserts what it believes about its file; damage may prove it wrong.
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let file = Arc::new(Untouched(PatientFile(file)));
            let pages = SeamBackend::open(file, Arc::default(), sealer.cloned(), Salt::NONE);
            let pages = Arc::new(pages.map_err(|error| error.to_string())?);
            let scratch = Scratch::new(&pages, &[], &Arc::new(Alarm::for_building()));
            let db = Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(scratch);
            let db = db.map_err(|error| error.to_string())?;
            let found = index::stored_id(&db)?;
            if store.is_some_and(|store| store != found) {
                return Err("it belongs to another store".into());
            }
            let applied = index::read_meta(&db, found)?;
            let transaction = db.begin_read().map_err(|error| error.to_string())?;
            let mut tables = Vec::new();
            for handle in transaction.list_tables().map_err(|error| error.to_string())? {
                let Some(keyspace) = index::keyspace_of(handle.name()) else { continue };
                let definition = TableDefinition::new(handle.name());
                tables.push((keyspace, transaction.open_table(definition).ok()));
            }
            tables.sort_by_key(|(keyspace, _)| *keyspace);
            Ok(IndexSource { tables, applied, store: found, _db: db, _transaction: transaction })
        }));
        opened.unwrap_or_else(|_| Err("redb cannot make sense of it".into()))
    }

    /// The stretches of keys that cannot be read.
    pub(super) fn unread(&self) -> Vec<Span> {
        let mut unread = Vec::new();
        for (keyspace, table) in &self.tables {
            let all = Span::keyspace(*keyspace);
            match table {
                Some(table) => unread.extend(unread_in(table, &all)),
                None => unread.push(all),
            }
        }
        unread
    }

    /// Calls `emit` with every key: those that can be read, and the patch's where they cannot.
    pub(super) fn each(&self, patch: &Patch, emit: span::Emit<'_>) -> Result<(), EachError> {
        let mut keyspaces: Vec<u16> = self.tables.iter().map(|(keyspace, _)| *keyspace).collect();
        keyspaces.extend(patch.records.keys().map(|(keyspace, _)| *keyspace));
        keyspaces.sort_unstable();
        keyspaces.dedup();
        for keyspace in keyspaces {
            let table = self.tables.iter().find(|(known, _)| *known == keyspace);
            let table = table.and_then(|(_, table)| table.as_ref());
            let mut from = Span::keyspace(keyspace);
            for unread in patch.spans.iter().filter(|span| span.after.0 == keyspace) {
                let readable = Span { before: Some(just_behind(&unread.after)), ..from.clone() };
                read(table, &readable, &mut |key, value| emit(keyspace, key, value))?;
                fill(table, unread, patch, &mut |key, value| emit(keyspace, key, value))?;
                from.after =
                    unread.before.clone().map_or((u16::MAX, vec![0xff; 2048]), |key| just_before(&key));
            }
            read(table, &from, &mut |key, value| emit(keyspace, key, value))?;
        }
        Ok(())
    }
}

/// Why a walk over an index ended.
pub(super) enum EachError {
    /// It could be read a moment ago, and cannot any more.
    Unreadable(String),
    /// What was read cannot be written.
    Write(io::Error),
}

/// The first key that sorts behind this one.
fn just_behind((keyspace, key): &(u16, Vec<u8>)) -> (u16, Vec<u8>) {
    (*keyspace, [key.as_slice(), &[0]].concat())
}

/// A key so that this one is the first behind it, or a bound that no key lies between.
fn just_before((keyspace, key): &(u16, Vec<u8>)) -> (u16, Vec<u8>) {
    match key.split_last() {
        Some((0, rest)) => (*keyspace, rest.to_vec()),
        Some((last, rest)) => {
            // Longer than any key may be, so that none lies in between.
            let mut key = [rest, &[last - 1]].concat();
            key.resize(key.len() + 2048, 0xff);
            (*keyspace, key)
        }
        None => (keyspace.saturating_sub(1), vec![0xff; 2048]),
    }
}

fn bounds(span: &Span) -> (Bound<&[u8]>, Bound<&[u8]>) {
    let (keyspace, after) = &span.after;
    let high = match &span.before {
        Some((other, before)) if other == keyspace => Bound::Excluded(before.as_slice()),
        Some(_) | None => Bound::Unbounded,
    };
    (Bound::Excluded(after.as_slice()), high)
}

/// Whether there can be a key in it at all; redb refuses to be asked for others.
fn is_possible(span: &Span) -> bool {
    match &span.before {
        Some((keyspace, before)) if *keyspace == span.after.0 => span.after.1 < *before,
        Some((keyspace, _)) => *keyspace > span.after.0,
        None => true,
    }
}

/// Walks from the front to the first key that cannot be read; the last that could, if it did not end.
fn forward(table: &KeyTable, span: &Span, emit: Emit<'_>) -> Result<Option<Vec<u8>>, io::Error> {
    let mut last = span.after.1.clone();
    let Ok(range) = table.range::<&[u8]>(bounds(span)) else { return Ok(Some(last)) };
    for entry in range {
        let Ok((key, value)) = entry else { return Ok(Some(last)) };
        // A page of another place would come out of order.
        if key.value() <= last.as_slice() {
            return Ok(Some(last));
        }
        last.clear();
        last.extend_from_slice(key.value());
        emit(key.value(), value.value())?;
    }
    Ok(None)
}

/// The first key from which on everything can be read, looked for from the end.
fn backward(table: &KeyTable, span: &Span) -> Option<Vec<u8>> {
    let mut first: Option<Vec<u8>> = None;
    for entry in table.range::<&[u8]>(bounds(span)).ok()?.rev() {
        let Ok((key, _)) = entry else { break };
        if first.as_ref().is_some_and(|first| key.value() >= first.as_slice()) {
            break;
        }
        first = Some(key.value().to_vec());
    }
    first
}

/// The stretch of a span that cannot be read, from the first bad page to the last.
fn unread_in(table: &KeyTable, span: &Span) -> Option<Span> {
    let keyspace = span.after.0;
    let looked = catch_unwind(AssertUnwindSafe(|| {
        let last = forward(table, span, &mut |_, _| Ok(())).ok().flatten()?;
        let after = (keyspace, last);
        let rest = Span { after: after.clone(), before: span.before.clone() };
        let before = backward(table, &rest).map(|first| (keyspace, first));
        Some(Span { after, before: before.or_else(|| span.before.clone()) })
    }));
    looked.unwrap_or_else(|_| Some(span.clone()))
}

/// Emits every key of a span that was found readable.
fn read(table: Option<&KeyTable>, span: &Span, emit: Emit<'_>) -> Result<(), EachError> {
    let Some(table) = table.filter(|_| is_possible(span)) else { return Ok(()) };
    match forward(table, span, emit) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(EachError::Unreadable("the index changed while it was read".into())),
        Err(error) => Err(EachError::Write(error)),
    }
}

/// Emits what there is of a span that cannot be read as a whole: between two keys that are known from
/// elsewhere it may be readable.
fn fill(table: Option<&KeyTable>, span: &Span, patch: &Patch, emit: Emit<'_>) -> Result<(), EachError> {
    let known: Vec<_> = patch.between(span).collect();
    let mut found: std::collections::BTreeMap<Vec<u8>, Vec<u8>> = std::collections::BTreeMap::new();
    let mut readable: Vec<Span> = Vec::new();
    if let Some(table) = table {
        probe(table, span, &known.iter().map(|(key, _)| key.1.as_slice()).collect::<Vec<_>>(), &mut |part| {
            readable.push(part);
        });
        for part in &readable {
            // A part that cannot be read after all counts as far as it could be.
            let _ = forward(table, part, &mut |key, value| {
                found.insert(key.to_vec(), value.to_vec());
                Ok(())
            });
        }
    }
    // What the index can be asked for it knows best: a key that is not there was removed.
    let is_readable = |key: &[u8]| readable.iter().any(|part| part.contains(span.after.0, key));
    for ((_, key), value) in known {
        if !is_readable(key) {
            found.insert(key.clone(), value.clone());
        }
    }
    found.iter().try_for_each(|(key, value)| emit(key, value)).map_err(EachError::Write)
}

/// Looks for readable parts of a span around keys that are known to have been there.
fn probe(table: &KeyTable, span: &Span, keys: &[&[u8]], found: &mut dyn FnMut(Span)) {
    let keyspace = span.after.0;
    let Some(unread) = is_possible(span).then(|| unread_in(table, span)).flatten() else {
        if is_possible(span) {
            found(span.clone());
        }
        return;
    };
    // What lies before and behind the bad pages of this part.
    let (front, back) = (just_behind(&unread.after), unread.before.as_ref().map(just_before));
    if unread.after != span.after {
        found(Span { after: span.after.clone(), before: Some(front) });
    }
    if let Some(back) = back.filter(|_| unread.before != span.before) {
        found(Span { after: back, before: span.before.clone() });
    }
    let inside: Vec<&[u8]> = keys.iter().copied().filter(|key| unread.contains(keyspace, key)).collect();
    let Some(middle) = inside.get(inside.len() / 2) else { return };
    let middle = (keyspace, middle.to_vec());
    let (low, high) = inside.split_at(inside.len() / 2);
    let left = Span { after: unread.after.clone(), before: Some(middle.clone()) };
    let right = Span { after: just_before(&middle), before: unread.before };
    probe(table, &left, low, found);
    probe(table, &right, &high[usize::from(!high.is_empty())..], found);
}
