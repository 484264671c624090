//! Spaces of a tenant: graphs beside each other that know nothing of each other.
//!
//! `memory` is there from the beginning and has no record. A space that is being filled with a copy is
//! [staged](stage): it has a number and no name, so nothing finds it before it is [published](publish). A deleted
//! space loses its name in one transaction, and its rows in pages afterwards. No number is given twice.

mod copy;
mod delete;
mod derive;
pub(crate) mod number;
mod stage;
mod state;

use cairn_base::{KeyBuf, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{Reader, Visit, WriteTx, get};

use crate::name::check_length;
use crate::scan::behind;
use crate::tables::{SPACE_NAMES, SPACES};
use crate::{GraphError, GraphEvent, Result, limits};

pub use self::copy::{CopyPage, CopyPlace, Row, copy_indexes, copy_rows, is_copied, rows_about};
pub use self::delete::{delete_begin, delete_page};
pub use self::derive::{CopiedElements, DeriveProgress, copied_elements, derive_page};
pub use self::stage::{abandon, check_staged, publish, stage};
pub use self::state::{SpaceState, all_unfinished, state, unfinished};

/// The name of the space that every tenant has.
pub const MEMORY: &str = "memory";
/// The beginning of the names of spaces that belong to the knowledge base.
pub const MANAGED: &str = "kb/";

/// Whether a space of this name is written by the knowledge base alone.
pub fn managed(name: &str) -> bool {
    name.starts_with(MANAGED)
}

/// The space of a name.
pub fn find(reader: &dyn Reader, tenant: TenantId, name: &str) -> Result<Option<SpaceId>> {
    if name == MEMORY {
        return Ok(Some(SpaceId::MEMORY));
    }
    let Some(value) = get(reader, SPACES, &by_name(tenant, name))? else { return Ok(None) };
    let mut rest = &value[..];
    let number = take_varint(&mut rest).and_then(|number| u32::try_from(number).ok());
    let number = number.ok_or_else(|| bad("its number does not decode"))?;
    // A hash is no proof.
    Ok((rest == name.as_bytes()).then_some(SpaceId(number)))
}

/// The name of a space.
pub fn name_of(reader: &dyn Reader, tenant: TenantId, space: SpaceId) -> Result<Option<String>> {
    if space == SpaceId::MEMORY {
        return Ok(Some(MEMORY.to_owned()));
    }
    let name = get(reader, SPACE_NAMES, &by_number(tenant, space))?;
    name.map(|name| String::from_utf8(name).map_err(|_| bad("its name is not text"))).transpose()
}

/// Spaces of a tenant behind one, in the order in which they were made, `memory` first; at most so many.
pub fn list(
    reader: &dyn Reader,
    tenant: TenantId,
    after: Option<SpaceId>,
    limit: usize,
) -> Result<Vec<(SpaceId, String)>> {
    let mut found = Vec::new();
    if after.is_none_or(|after| after < SpaceId::MEMORY) {
        found.push(Ok((SpaceId::MEMORY, MEMORY.to_owned())));
    }
    let range = behind(&all(tenant), after.map(|after| by_number(tenant, after)));
    let range = range.limit(limit.saturating_sub(found.len()));
    reader.multi_scan(SPACE_NAMES, &[range], &mut |_, key, value| {
        let number = key.last_chunk().map(|number| SpaceId(u32::from_be_bytes(*number)));
        let name = String::from_utf8(value.to_vec()).ok();
        found.push(number.zip(name).ok_or_else(|| bad("its number or name does not decode")));
        Visit::Continue
    })?;
    found.truncate(limit);
    found.into_iter().collect()
}

/// The space of a name, made if it is not there.
pub fn create(tx: &mut dyn WriteTx, tenant: TenantId, name: &str) -> Result<SpaceId> {
    if let Some(space) = find(&*tx, tenant, name)? {
        return Ok(space);
    }
    check(name)?;
    let key = by_name(tenant, name);
    if get(&*tx, SPACES, &key)?.is_some() {
        return Err(bad("two names have the same hash"));
    }
    let space = number::next(tx, tenant)?;
    give_name(tx, tenant, space, name)?;
    tx.emit(GraphEvent::SpaceCreated(space).encode())?;
    Ok(space)
}

/// Writes both records of a name.
fn give_name(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId, name: &str) -> Result<()> {
    let mut value = Vec::new();
    put_varint(&mut value, u64::from(space.0));
    value.extend_from_slice(name.as_bytes());
    tx.put(SPACES, &by_name(tenant, name), &value)?;
    Ok(tx.put(SPACE_NAMES, &by_number(tenant, space), name.as_bytes())?)
}

/// Gives a space its name again after damage: whichever of the two records of a name is lost.
///
/// Fails with [`GraphError::SpaceExists`] if another space has the name, and with [`GraphError::BadRecord`] if the space
/// has another name or is one that has none.
pub fn restore_name(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId, name: &str) -> Result<()> {
    check(name)?;
    if find(&*tx, tenant, name)?.is_some_and(|found| found != space) {
        return Err(GraphError::SpaceExists(name.to_owned()));
    }
    if name_of(&*tx, tenant, space)?.is_some_and(|found| found != name) {
        return Err(bad("it has another name"));
    }
    if state(&*tx, tenant, space)?.is_some_and(SpaceState::is_hidden) {
        return Err(bad("it is staged or deleted and has no name"));
    }
    give_name(tx, tenant, space, name)
}

/// Whether a space has a name: what is staged, being deleted or deleted has none.
pub fn is_named(reader: &dyn Reader, tenant: TenantId, space: SpaceId) -> Result<bool> {
    Ok(space == SpaceId::MEMORY || get(reader, SPACE_NAMES, &by_number(tenant, space))?.is_some())
}

/// Fails with [`GraphError::NoSpace`] if a space has no name (any more): nobody writes to it.
pub fn check_named(reader: &dyn Reader, tenant: TenantId, space: SpaceId) -> Result<()> {
    if is_named(reader, tenant, space)? { Ok(()) } else { Err(GraphError::NoSpace(space)) }
}

/// Whether a space may be called so.
pub fn check(name: &str) -> Result<()> {
    check_length("name of a space", name, limits::SPACE_NAME_BYTES_MAX)?;
    let refuse = |rule| Err(GraphError::BadSpaceName { name: name.to_owned(), rule });
    if name.trim() != name {
        return refuse("it begins or ends with white space");
    }
    if name.chars().any(char::is_control) {
        return refuse("it has control characters");
    }
    Ok(())
}

fn all(tenant: TenantId) -> KeyBuf {
    KeyBuf::new().tenant(tenant).space(SpaceId::NONE)
}

fn by_name(tenant: TenantId, name: &str) -> KeyBuf {
    all(tenant).fixed(&crate::name::hash(name))
}

fn by_number(tenant: TenantId, space: SpaceId) -> KeyBuf {
    all(tenant).u32(space.0)
}

fn bad(detail: &str) -> GraphError {
    GraphError::BadRecord { what: "space", detail: detail.into() }
}
