//! Spaces of a tenant: graphs beside each other that know nothing of each other.
//!
//! `memory` is there from the beginning and has no record.

use cairn_base::{KeyBuf, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use crate::name::check_length;
use crate::scan::behind;
use crate::tables::{SPACE_NAMES, SPACES};
use crate::{GraphError, GraphEvent, Result, limits};

/// The name of the space that every tenant has.
pub const MEMORY: &str = "memory";

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
    let mut last = SpaceId::MEMORY.0;
    tx.multi_scan(SPACE_NAMES, &[KeyRange::prefix(&all(tenant)).descending().limit(1)], &mut |_, key, _| {
        last = key.last_chunk().map_or(last, |number| u32::from_be_bytes(*number)).max(last);
        Visit::Stop
    })?;
    let space = SpaceId(last.checked_add(1).ok_or(GraphError::OutOfNumbers)?);
    let mut value = Vec::new();
    put_varint(&mut value, u64::from(space.0));
    value.extend_from_slice(name.as_bytes());
    tx.put(SPACES, &key, &value)?;
    tx.put(SPACE_NAMES, &by_number(tenant, space), name.as_bytes())?;
    tx.emit(GraphEvent::SpaceCreated(space).encode())?;
    Ok(space)
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
