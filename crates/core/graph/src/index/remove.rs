//! Dropping an index: first that there is one, and then, piece by piece, what it held.

use cairn_access::Scope;
use cairn_seam::{KeyRange, WriteTx};

use super::entry::front;
use super::{IndexId, IndexState, Indexes};
use crate::Result;
use crate::tables::INDEX_ENTRIES;

/// How far the dropping of an index has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// Entries that were removed now.
    pub entries: u64,
    /// Whether those were the last, and nothing is left of it.
    pub is_gone: bool,
}

/// Takes an index out of use; [`drop_index_page`] then removes what it held. Fails if there is none.
pub fn drop_index(tx: &mut dyn WriteTx, scope: &Scope, id: IndexId) -> Result<()> {
    let mut indexes = Indexes::read(&*tx, scope)?;
    indexes.find_mut(id)?.state = IndexState::Dropping;
    indexes.write(tx, scope)
}

/// Removes entries of an index that is being dropped, at most so many, and with the last of them the index.
///
/// An index that is not being dropped is left alone, and so is one that is gone.
pub fn drop_index_page(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: IndexId,
    entries_max: usize,
) -> Result<Dropped> {
    let mut indexes = Indexes::read(&*tx, scope)?;
    let place = indexes.all.iter().position(|info| info.index.id == id);
    let Some(place) = place.filter(|place| indexes.all[*place].state == IndexState::Dropping) else {
        return Ok(Dropped { entries: 0, is_gone: place.is_none() });
    };
    let range = KeyRange::prefix(&front(scope, id)).limit(entries_max.max(1));
    let entries = tx.delete_range(INDEX_ENTRIES, &range)?;
    let is_gone = entries < entries_max.max(1) as u64;
    if is_gone {
        indexes.all.remove(place);
        indexes.write(tx, scope)?;
    }
    Ok(Dropped { entries, is_gone })
}
