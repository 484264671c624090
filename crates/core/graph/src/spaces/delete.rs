//! Deleting a space: its name goes in one transaction, its rows in pages.

use cairn_access::Scope;
use cairn_base::{SpaceId, TenantId};
use cairn_seam::{KeyRange, Keyspace, Visit, WriteTx};

use super::state::{self, SpaceState, state};
use super::{MEMORY, by_name, by_number, find, number};
use crate::record::LinkHead;
use crate::tables::{
    CONCEPTS, COUNTERS, HOMES, INDEX_ENTRIES, INDEXES, LINKS, NAMES, OPS, PSO, SPACE_NAMES, SPACES, SPO,
    STATISTICS,
};
use crate::{ConceptId, GraphError, GraphEvent, LinkId, Result, keys};

/// Keyspaces whose rows go with their space. Numbers that were given go last.
pub(super) const GOING: &[Keyspace] =
    &[SPO, PSO, OPS, LINKS, NAMES, HOMES, CONCEPTS, INDEX_ENTRIES, INDEXES, STATISTICS, COUNTERS];
/// Bytes of keys that one page deletes: the reserve of a full disk pays for so much.
const PAGE_BYTES_MAX: usize = cairn_seam::limits::RESERVE_COMMIT_BYTES_MAX / 2;

/// Deletions that one page announces: a search waits while the index takes them in.
const ANNOUNCED_MAX: usize = 512;

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

/// Deletes up to `rows_max` rows of a space that is being deleted or was abandoned, and says whether none is left. A
/// space that is neither is left alone.
///
/// Concepts, and links with text, of a space that had a name are announced as deleted, so that their documents go.
pub fn delete_page(tx: &mut dyn WriteTx, scope: &Scope, rows_max: usize) -> Result<bool> {
    let (tenant, space) = (scope.tenant(), scope.space());
    let had_name = match state(&*tx, tenant, space)? {
        Some(SpaceState::Dying) => true,
        Some(SpaceState::Abandoned) => false,
        Some(SpaceState::Staged | SpaceState::DerivingConcepts(_) | SpaceState::DerivingLinks(_)) | None => {
            return Ok(true);
        }
    };
    // No index is built in it from now on.
    tx.delete(INDEXES, &scope.key())?;
    let (mut left, mut bytes) = (rows_max.max(1), 0);
    for keyspace in GOING.iter().copied() {
        let (mut keys, mut gone) = (Vec::new(), Vec::new());
        tx.multi_scan(keyspace, &[KeyRange::prefix(&scope.key()).limit(left)], &mut |_, key, value| {
            bytes += key.len();
            if had_name {
                gone.extend(announced(keyspace, space, key, value));
            }
            keys.push(key.to_vec());
            let is_full = bytes >= PAGE_BYTES_MAX || gone.len() >= ANNOUNCED_MAX;
            if is_full { Visit::Stop } else { Visit::Continue }
        })?;
        // One by one: whoever keeps rows in memory hears which of them go.
        keys.iter().try_for_each(|key| tx.delete(keyspace, key))?;
        gone.iter().try_for_each(|event| tx.emit(event.encode()))?;
        left -= keys.len();
        if left == 0 || bytes >= PAGE_BYTES_MAX || gone.len() >= ANNOUNCED_MAX {
            return Ok(false);
        }
    }
    state::finish(tx, tenant, space)?;
    Ok(true)
}

/// The event that has the document of a row removed, if it has one. What does not decode has none.
fn announced(keyspace: Keyspace, space: SpaceId, key: &[u8], value: &[u8]) -> Option<GraphEvent> {
    match keyspace {
        HOMES => {
            let id = keys::last_number(key, "type of a concept").ok()?;
            Some(GraphEvent::ConceptDeleted(space, ConceptId(id)))
        }
        LINKS => {
            let id = LinkId(keys::last_number(key, "link").ok()?);
            let has_text = LinkHead::parse(id, value).ok()?.head.has_text;
            has_text.then_some(GraphEvent::LinkDeleted(space, id))
        }
        _ => None,
    }
}
