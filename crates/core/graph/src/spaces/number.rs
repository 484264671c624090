//! Numbers of spaces: the last one is stored, because the space that has it may be deleted.

use cairn_base::{SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use super::{all, bad, by_number};
use crate::tables::{SPACE_NAMES, SPACE_STATES};
use crate::{GraphError, Result};

/// The next number of a space, noted as given.
pub(super) fn next(tx: &mut dyn WriteTx, tenant: TenantId) -> Result<SpaceId> {
    let space = SpaceId(last(&*tx, tenant)?.checked_add(1).ok_or(GraphError::OutOfNumbers)?);
    note(tx, tenant, space.0)?;
    Ok(space)
}

/// Keeps the number of a space that goes from being given again, in stores from before numbers were noted.
pub(super) fn keep(tx: &mut dyn WriteTx, tenant: TenantId) -> Result<()> {
    let last = last(&*tx, tenant)?;
    note(tx, tenant, last)
}

fn note(tx: &mut dyn WriteTx, tenant: TenantId, last: u32) -> Result<()> {
    Ok(tx.put(SPACE_STATES, &by_number(tenant, SpaceId::NONE), &encode(last))?)
}

/// The last number that was given.
fn last(reader: &dyn Reader, tenant: TenantId) -> Result<u32> {
    let noted = get(reader, SPACE_STATES, &by_number(tenant, SpaceId::NONE))?;
    let noted = noted.as_deref().map(decode).transpose()?.unwrap_or_default();
    let mut last = noted.max(SpaceId::MEMORY.0);
    reader.multi_scan(
        SPACE_NAMES,
        &[KeyRange::prefix(&all(tenant)).descending().limit(1)],
        &mut |_, key, _| {
            last = key.last_chunk().map_or(last, |number| u32::from_be_bytes(*number)).max(last);
            Visit::Stop
        },
    )?;
    Ok(last)
}

pub(crate) fn encode(last: u32) -> Vec<u8> {
    let mut value = Vec::new();
    put_varint(&mut value, u64::from(last));
    value
}

pub(crate) fn decode(mut value: &[u8]) -> Result<u32> {
    let number = take_varint(&mut value).and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|_| value.is_empty());
    number.ok_or_else(|| bad("the last number of a space does not decode"))
}
