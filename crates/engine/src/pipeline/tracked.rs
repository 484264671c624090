//! A transaction that remembers which events it emits, and tells memories what it changes before it does.

use cairn_seam::{Event, EventKind, KeyRange, Keyspace, Reader, StoreError, WriteTx, forward};

use super::changes::Changes;

/// Passes everything on and takes notes.
pub(super) struct Tracked<'a> {
    tx: &'a mut dyn WriteTx,
    changes: &'a Changes,
    /// The kinds of its events, each once, in the order of their first appearance.
    kinds: Vec<EventKind>,
}

impl<'a> Tracked<'a> {
    /// One run of a transaction's closure.
    pub(super) fn new(tx: &'a mut dyn WriteTx, changes: &'a Changes) -> Self {
        changes.restart();
        Tracked { tx, changes, kinds: Vec::new() }
    }

    /// The kinds of events that it emitted.
    pub(super) fn into_kinds(self) -> Vec<EventKind> {
        self.kinds
    }
}

impl Reader for Tracked<'_> {
    forward!(tx: multi_get, multi_scan, multi_read, hashed_get, blobs);
}

impl WriteTx for Tracked<'_> {
    forward!(tx: tenant, hashed_put, put_blob, keep_blob, remove_blob);

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, |track| track.put(keyspace, key, value));
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, |track| track.delete(keyspace, key));
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.changes.note(keyspace, |track| track.delete_range(keyspace));
        self.tx.delete_range(keyspace, range)
    }

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let kind = event.kind;
        self.tx.emit(event)?;
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }
}
