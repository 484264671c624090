//! What reads see at one position: the newest generation, the one being applied, the index.

use std::sync::Arc;

use cairn_seam::{KeyRange, Keyspace, StoreError, Visit};

use crate::generation::{Generation, Table};
use crate::index::{IndexPlace, IndexView};
use crate::merge::{Merge, Source};

/// What a scan calls with the range's place, the key and the value.
pub(crate) type ScanVisitor<'a> = &'a mut dyn FnMut(usize, &[u8], &[u8]) -> Visit;

#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Position of the newest transaction that is visible.
    pub(crate) position: u64,
    pub(crate) active: Arc<Generation>,
    pub(crate) frozen: Option<Arc<Generation>>,
    pub(crate) index: Arc<IndexView>,
}

impl View {
    /// Bytes that are not in the index.
    pub(crate) fn unapplied_bytes(&self) -> u64 {
        self.active.bytes() + self.frozen.as_ref().map_or(0, |frozen| frozen.bytes())
    }

    fn layers(&self, keyspace: Keyspace) -> [Option<Arc<Table>>; 2] {
        let active = self.active.table(keyspace.id);
        [active, self.frozen.as_ref().and_then(|frozen| frozen.table(keyspace.id))]
    }

    /// Looks up keys as they were at `position`, which may be ahead of what is published when the
    /// committer itself asks.
    pub(crate) fn multi_get(
        &self,
        place: &IndexPlace,
        position: u64,
        keyspace: Keyspace,
        keys: &[&[u8]],
        visit: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), StoreError> {
        let layers = self.layers(keyspace);
        let table = self.index.table(keyspace.id);
        for (at, key) in keys.iter().enumerate() {
            let slot = layers.iter().flatten().find_map(|layer| layer.get(key, position));
            match (slot, table) {
                (Some(slot), _) => visit(at, slot.as_deref()),
                (None, Some(table)) => {
                    let found = table.get(*key).map_err(|error| place.failed_read(error))?;
                    visit(at, found.as_ref().map(|guard| guard.value()));
                }
                (None, None) => visit(at, None),
            }
        }
        Ok(())
    }

    /// Walks ranges as they were at `position`, with changes of a transaction in front if given.
    pub(crate) fn multi_scan(
        &self,
        place: &IndexPlace,
        position: u64,
        keyspace: Keyspace,
        ranges: &[KeyRange],
        own: Option<&crate::tx::Changes>,
        visit: ScanVisitor<'_>,
    ) -> Result<(), StoreError> {
        let layers = self.layers(keyspace);
        let table = self.index.table(keyspace.id);
        for (at, range) in ranges.iter().enumerate() {
            if range.is_empty() || range.limit == 0 {
                continue;
            }
            let mut merge = Merge::new(range);
            if let Some(own) = own {
                merge.add(Source::own(own, range));
            }
            for layer in layers.iter().flatten() {
                merge.add(Source::generation(layer, position, range));
            }
            if let Some(table) = table {
                merge.add(Source::index(table, range).map_err(|error| place.failed_read(error))?);
            }
            let visited = merge.run(&mut |key, value| visit(at, key, value));
            match visited.map_err(|error| place.failed_read(error))? {
                Visit::Stop => return Ok(()),
                Visit::Continue | Visit::NextRange => {}
            }
        }
        Ok(())
    }
}
