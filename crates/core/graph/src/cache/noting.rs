//! A transaction that says what it changes.

use cairn_seam::{KeyRange, Keyspace, Reader, StoreError, WriteTx, forward};

use super::Changes;

/// Passes everything on, and notes every row of the graph before it changes, so that nobody finds it in memory as
/// it was.
pub struct Noting<'a> {
    tx: &'a mut dyn WriteTx,
    changes: &'a Changes,
}

impl<'a> Noting<'a> {
    /// The same transaction, whose changes are noted.
    pub fn new(tx: &'a mut dyn WriteTx, changes: &'a Changes) -> Self {
        Noting { tx, changes }
    }
}

impl Reader for Noting<'_> {
    forward!(tx: multi_get, multi_scan, multi_read, hashed_get, blobs);
}

impl WriteTx for Noting<'_> {
    forward!(tx: tenant, hashed_put, put_blob, keep_blob, remove_blob, emit);

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, key);
        self.tx.put(keyspace, key, value)
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<(), StoreError> {
        self.changes.note(keyspace, key);
        self.tx.delete(keyspace, key)
    }

    fn delete_range(&mut self, keyspace: Keyspace, range: &KeyRange) -> Result<u64, StoreError> {
        self.changes.note_range(keyspace);
        self.tx.delete_range(keyspace, range)
    }
}
