//! A transaction that asks the store for each row once, if it is told to.
//!
//! Nobody but the transaction itself changes what it sees: a row that was read stays as it is, unless it is
//! written here. So whoever is about to write many elements reads all of them in a few calls, and what is then
//! read for each of them costs no call any more.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use cairn_seam::{KeyRange, Keyspace, Reader, StoreError, WriteTx, forward, limits};

/// Memory for rows; when there are more, none are remembered any longer.
const BYTES_MAX: usize = limits::COMMIT_BYTES_MAX;
/// What a row takes beside its bytes, roughly.
const ROW_BYTES: usize = 96;

/// A value, or that there is none.
type Value = Option<Rc<[u8]>>;

pub(super) struct Recalling<'a> {
    tx: &'a mut dyn WriteTx,
    /// What was read or written; nothing if nothing is to be remembered.
    rows: RefCell<Option<Rows>>,
}

#[derive(Default)]
struct Rows {
    /// By the number of their keyspace.
    values: BTreeMap<u16, HashMap<Box<[u8]>, Value>>,
    bytes: usize,
}

impl Rows {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<&Value> {
        self.values.get(&keyspace.id)?.get(key)
    }
}

impl<'a> Recalling<'a> {
    /// Remembers nothing.
    pub(super) fn new(tx: &'a mut dyn WriteTx) -> Self {
        Recalling { tx, rows: RefCell::new(None) }
    }

    /// Remembers rows from now on.
    pub(super) fn remember(&mut self) {
        self.rows.get_mut().get_or_insert_default();
    }

    /// Remembers nothing any longer.
    pub(super) fn forget(&mut self) {
        *self.rows.get_mut() = None;
    }

    /// Whether everything that was read and written since it was told to is remembered.
    pub(super) fn remembers(&self) -> bool {
        self.rows.borrow().is_some()
    }

    /// A row that is remembered.
    pub(super) fn recall(&self, keyspace: Keyspace, key: &[u8]) -> Option<Vec<u8>> {
        let rows = self.rows.borrow();
        let value = rows.as_ref()?.get(keyspace, key)?.as_deref();
        value.map(<[u8]>::to_vec)
    }

    fn note(&self, keyspace: Keyspace, key: &[u8], value: Option<&[u8]>) {
        let mut rows = self.rows.borrow_mut();
        let Some(kept) = rows.as_mut() else { return };
        kept.bytes += ROW_BYTES + key.len() + value.map_or(0, <[u8]>::len);
        kept.values.entry(keyspace.id).or_default().insert(key.into(), value.map(Into::into));
        if kept.bytes > BYTES_MAX {
            *rows = None;
        }
    }
}

impl Reader for Recalling<'_> {
    forward!(tx: multi_scan, hashed_get, blobs);

    fn multi_get(
        &self,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let Some(mut found) = self.recalled(keyspace, keys) else {
            return self.tx.multi_get(keyspace, keys, visit);
        };
        let unknown: Vec<usize> = (0..keys.len()).filter(|at| found[*at].is_none()).collect();
        if !unknown.is_empty() {
            let asked: Vec<&[u8]> = unknown.iter().map(|at| keys[*at]).collect();
            self.tx.multi_get(keyspace, &asked, &mut |at, value| {
                self.note(keyspace, asked[at], value);
                found[unknown[at]] = Some(value.map(Into::into));
            })?;
        }
        found.iter().enumerate().for_each(|(at, value)| visit(at, value.as_ref().and_then(Option::as_deref)));
        Ok(())
    }
}

impl Recalling<'_> {
    /// What is remembered of these keys, in their order; nothing if nothing is to be remembered.
    fn recalled(&self, keyspace: Keyspace, keys: &[&[u8]]) -> Option<Vec<Option<Value>>> {
        let rows = self.rows.borrow();
        let rows = rows.as_ref()?;
        Some(keys.iter().map(|key| rows.get(keyspace, key).cloned()).collect())
    }
}

impl WriteTx for Recalling<'_> {
    forward!(tx: tenant, hashed_put, put_blob, keep_blob, remove_blob, emit);

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.note(keyspace, key, Some(value));
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.note(keyspace, key, None);
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.forget();
        self.tx.delete_range(keyspace, range)
    }
}
