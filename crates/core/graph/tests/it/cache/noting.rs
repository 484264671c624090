//! Transactions that say what they change, as those of the engine do.

use std::sync::Arc;

use cairn_base::Position;
use cairn_graph::{Cache, Changes, Noting, View, Writer};
use cairn_seam::{Snapshot, write};

use crate::kit::Kit;

/// A graph with a cache above it.
pub(super) struct Cached {
    pub(super) kit: Kit,
    pub(super) cache: Arc<Cache>,
}

/// A transaction whose outcome the cache does not know yet.
pub(super) struct Unsettled {
    changes: Changes,
    committed: Option<Position>,
}

impl Unsettled {
    pub(super) fn settle(self) {
        match self.committed {
            Some(position) => self.changes.committed(position),
            None => self.changes.aborted(),
        }
    }
}

impl Cached {
    pub(super) fn new(kit: Kit, bytes_max: u64) -> Self {
        Cached { kit, cache: Arc::new(Cache::new(bytes_max)) }
    }

    /// Runs a transaction; one that fails is one that was given up.
    pub(super) fn write(
        &self,
        now_ms: u64,
        mut body: impl FnMut(&mut Writer<'_>) -> cairn_graph::Result<()> + Send + 'static,
    ) -> Unsettled {
        let (scope, changes) = (self.kit.scope, Changes::new(&self.cache));
        let noted = changes.clone();
        let outcome = write(&*self.kit.store, scope.tenant(), move |tx| {
            let mut tx = Noting::new(tx, &noted);
            let mut writer = Writer::new(&mut tx, scope, now_ms);
            body(&mut writer)?;
            writer.finish()
        });
        Unsettled { changes, committed: outcome.ok().map(|((), position)| position) }
    }

    pub(super) fn view<'a>(&'a self, snapshot: &'a dyn Snapshot) -> View<'a> {
        View::of_snapshot(snapshot, self.kit.scope, &self.cache)
    }

    pub(super) fn plain<'a>(&self, snapshot: &'a dyn Snapshot) -> View<'a> {
        View::new(snapshot, self.kit.scope)
    }
}
