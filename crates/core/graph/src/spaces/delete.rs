//! Deleting a space: its name goes in one transaction, its rows in pages.

use cairn_access::Scope;
use cairn_base::{SpaceId, TenantId};
use cairn_seam::{KeyRange, Keyspace, Visit, WriteTx};

use super::state::{self, SpaceState, state};
use super::{MEMORY, by_name, by_number, find, number};
use crate::tables::{
    CONCEPTS, COUNTERS, HOMES, INDEX_ENTRIES, INDEXES, LINKS, NAMES, OPS, PSO, SPACE_NAMES, SPACES, SPO,
    STATISTICS,
};
use crate::{GraphError, GraphEvent, Result};

/// Keyspaces whose rows go with their space. Numbers that were given go last.
pub(super) const GOING: &[Keyspace] =
    &[SPO, PSO, OPS, LINKS, NAMES, HOMES, CONCEPTS, INDEX_ENTRIES, INDEXES, STATISTICS, COUNTERS];
/// Bytes of keys that one page deletes: the reserve of a full disk pays for so much.
const PAGE_BYTES_MAX: usize = cairn_seam::limits::RESERVE_COMMIT_BYTES_MAX / 2;

/// Takes the name from a space: nothing finds it any more, and its number is never given again. Returns the number, or
/// `None` if there is no space of that name.
///
/// Its rows go with [`delete_page`]. Fails with [`GraphError::Protected`] for `memory`.
pub fn delete_begin(tx: &mut dyn WriteTx, tenant: TenantId, name: &str) -> Result<Option<SpaceId>> {
    if name == MEMORY {
        let what = format!("the space {MEMORY:?}");
        return Err(GraphError::Protected { what, rule: "every tenant has it, so it cannot be deleted" });
    }
    let Some(space) = find(&*tx, tenant, name)? else { return Ok(None) };
    number::keep(tx, tenant)?;
    tx.delete(SPACES, &by_name(tenant, name))?;
    tx.delete(SPACE_NAMES, &by_number(tenant, space))?;
    state::put(tx, tenant, space, SpaceState::Dying)?;
    tx.emit(GraphEvent::SpaceDeleted(space).encode())?;
    Ok(Some(space))
}

/// Deletes up to `rows_max` rows of a space that is being deleted, and says whether none is left. A space that is not
/// being deleted is left alone.
pub fn delete_page(tx: &mut dyn WriteTx, scope: &Scope, rows_max: usize) -> Result<bool> {
    let (tenant, space) = (scope.tenant(), scope.space());
    if state(&*tx, tenant, space)? != Some(SpaceState::Dying) {
        return Ok(true);
    }
    // No index is built in it from now on.
    tx.delete(INDEXES, &scope.key())?;
    let (mut left, mut bytes) = (rows_max.max(1), 0);
    for keyspace in GOING.iter().copied() {
        let mut keys = Vec::new();
        tx.multi_scan(keyspace, &[KeyRange::prefix(&scope.key()).limit(left)], &mut |_, key, _| {
            bytes += key.len();
            keys.push(key.to_vec());
            if bytes < PAGE_BYTES_MAX { Visit::Continue } else { Visit::Stop }
        })?;
        // One by one: whoever keeps rows in memory hears which of them go.
        keys.iter().try_for_each(|key| tx.delete(keyspace, key))?;
        left -= keys.len();
        if left == 0 || bytes >= PAGE_BYTES_MAX {
            return Ok(false);
        }
    }
    state::finish(tx, tenant, space)?;
    Ok(true)
}
