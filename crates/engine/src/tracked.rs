//! A transaction that remembers what others are told of it after the commit, and says what it changes of the
//! graph.

use cairn_base::ContextId;
use cairn_graph::{Changes, Noting};
use cairn_seam::{Event, EventKind, Keyspace, Reader, StoreError, WriteTx, forward};

/// What others are told of a transaction after its commit.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// The kinds of its events, each once, in the order of their first appearance.
    pub(crate) kinds: Vec<EventKind>,
    /// Contexts that it wrote, and when each was last active.
    pub(crate) active: Vec<(ContextId, u64)>,
}

/// Passes everything on and takes notes.
pub(crate) struct Tracked<'a> {
    tx: Noting<'a>,
    noted: Noted,
}

impl<'a> Tracked<'a> {
    pub(crate) fn new(tx: &'a mut dyn WriteTx, graph: &'a Changes) -> Self {
        Tracked { tx: Noting::new(tx, graph), noted: Noted::default() }
    }

    pub(crate) fn into_noted(self) -> Noted {
        self.noted
    }
}

impl Reader for Tracked<'_> {
    forward!(tx: multi_get, multi_scan, hashed_get, blobs);
}

impl WriteTx for Tracked<'_> {
    forward!(tx: tenant, delete, delete_range, hashed_put, put_blob, keep_blob, remove_blob);

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.tx.put(keyspace, key, value)?;
        if let Some(activity) = cairn_turns::activity_of(keyspace, key, value) {
            match self.noted.active.last_mut() {
                Some(last) if last.0 == activity.0 => *last = activity,
                Some(_) | None => self.noted.active.push(activity),
            }
        }
        Ok(())
    }

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let kind = event.kind;
        self.tx.emit(event)?;
        if !self.noted.kinds.contains(&kind) {
            self.noted.kinds.push(kind);
        }
        Ok(())
    }
}
