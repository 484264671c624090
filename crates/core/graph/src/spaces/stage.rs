//! Staging a space, and giving it its name.

use cairn_base::{SpaceId, TenantId};
use cairn_seam::{WriteTx, get};

use super::state::{self, SpaceState, state};
use super::{bad, by_name, check, find, give_name, number};
use crate::tables::SPACES;
use crate::{ConceptId, GraphError, GraphEvent, Result};

/// Reserves a number for a space that has no name yet: nothing finds it, and nothing lists it except
/// [`unfinished`](super::unfinished).
pub fn stage(tx: &mut dyn WriteTx, tenant: TenantId) -> Result<SpaceId> {
    let space = number::next(tx, tenant)?;
    state::put(tx, tenant, space, SpaceState::Staged)?;
    Ok(space)
}

/// Gives a staged space its name. From then on it is found, and its documents are to be
/// [derived](super::derive_page).
///
/// Fails with [`GraphError::SpaceExists`] if the name is taken, and with [`GraphError::NotStaged`] if the space is not
/// staged.
pub fn publish(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId, name: &str) -> Result<()> {
    check_staged(tx, tenant, space)?;
    check(name)?;
    if find(&*tx, tenant, name)?.is_some() {
        return Err(GraphError::SpaceExists(name.to_owned()));
    }
    if get(&*tx, SPACES, &by_name(tenant, name))?.is_some() {
        return Err(bad("two names have the same hash"));
    }
    give_name(tx, tenant, space, name)?;
    state::put(tx, tenant, space, SpaceState::DerivingConcepts(ConceptId(0)))?;
    Ok(tx.emit(GraphEvent::SpacePublished(space).encode())?)
}

/// Gives a staged space up: its rows go as those of a deleted one. Does nothing if it is not staged any more.
pub fn abandon(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId) -> Result<()> {
    if state(&*tx, tenant, space)? == Some(SpaceState::Staged) {
        state::put(tx, tenant, space, SpaceState::Abandoned)?;
    }
    Ok(())
}

/// Fails with [`GraphError::NotStaged`] unless a space is staged.
pub fn check_staged(tx: &dyn WriteTx, tenant: TenantId, space: SpaceId) -> Result<()> {
    match state(tx, tenant, space)? {
        Some(SpaceState::Staged) => Ok(()),
        Some(
            SpaceState::Dying
            | SpaceState::Abandoned
            | SpaceState::DerivingConcepts(_)
            | SpaceState::DerivingLinks(_),
        )
        | None => Err(GraphError::NotStaged(space)),
    }
}
