//! A transaction that remembers which kinds of events it emitted, and says what it changes of the graph.

use cairn_graph::{Changes, Noting};
use cairn_seam::{Event, EventKind, Reader, StoreError, WriteTx, forward};

/// Passes everything on and notes each kind once, so that listeners can be told after the commit.
pub(crate) struct Tracked<'a> {
    tx: Noting<'a>,
    kinds: Vec<EventKind>,
}

impl<'a> Tracked<'a> {
    pub(crate) fn new(tx: &'a mut dyn WriteTx, graph: &'a Changes) -> Self {
        Tracked { tx: Noting::new(tx, graph), kinds: Vec::new() }
    }

    pub(crate) fn into_kinds(self) -> Vec<EventKind> {
        self.kinds
    }
}

impl Reader for Tracked<'_> {
    forward!(tx: multi_get, multi_scan, hashed_get, blobs);
}

impl WriteTx for Tracked<'_> {
    forward!(tx: tenant, put, delete, delete_range, hashed_put, put_blob, keep_blob, remove_blob);

    fn emit(&mut self, event: Event) -> Result<(), StoreError> {
        let kind = event.kind;
        self.tx.emit(event)?;
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }
}
