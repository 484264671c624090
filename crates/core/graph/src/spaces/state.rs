//! States of spaces that are not finished: staged, being deleted, or copied without all their documents.
//!
//! ```text
//! version u8 (1) | 1 staged
//!                | 2 being deleted
//!                | 4 given up before it had a name, and being deleted
//!                | 3 documents are derived | 0 of concepts, 1 of links | the last one that was derived
//! ```
//! The state and what follows it are varints.

use std::ops::Bound;

use cairn_base::{KeyReader, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use super::{all, bad, by_number};
use crate::tables::SPACE_STATES;
use crate::{ConceptId, GraphError, LinkId, Result};

const VERSION: u8 = 1;
const STAGED: u64 = 1;
const DYING: u64 = 2;
const DERIVING: u64 = 3;
const ABANDONED: u64 = 4;

/// The state of a space that is not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceState {
    /// It is filled with a copy, and has no name yet.
    Staged,
    /// It has no name any more, and its rows go.
    Dying,
    /// It was given up before it got a name, and its rows go.
    Abandoned,
    /// It is a copy with a name, and documents of its concepts are derived; those up to this one are announced.
    DerivingConcepts(ConceptId),
    /// The same for its links.
    DerivingLinks(LinkId),
}

impl SpaceState {
    /// Whether nothing finds the space: it has no name yet, or none any more.
    pub fn is_hidden(self) -> bool {
        matches!(self, SpaceState::Staged | SpaceState::Dying | SpaceState::Abandoned)
    }

    fn encode(self) -> Vec<u8> {
        let numbers: &[u64] = match self {
            SpaceState::Staged => &[STAGED],
            SpaceState::Dying => &[DYING],
            SpaceState::Abandoned => &[ABANDONED],
            SpaceState::DerivingConcepts(last) => &[DERIVING, 0, last.0],
            SpaceState::DerivingLinks(last) => &[DERIVING, 1, last.0],
        };
        let mut value = vec![VERSION];
        numbers.iter().for_each(|number| put_varint(&mut value, *number));
        value
    }

    fn decode(value: &[u8]) -> Result<Self> {
        let (version, mut rest) = value.split_first().ok_or_else(|| bad("its state is empty"))?;
        if *version != VERSION {
            return Err(bad("the version of its state is not known here; use a newer cairn"));
        }
        let state = (|| match take_varint(&mut rest)? {
            STAGED => Some(SpaceState::Staged),
            DYING => Some(SpaceState::Dying),
            ABANDONED => Some(SpaceState::Abandoned),
            DERIVING => match (take_varint(&mut rest)?, take_varint(&mut rest)?) {
                (0, last) => Some(SpaceState::DerivingConcepts(ConceptId(last))),
                (1, last) => Some(SpaceState::DerivingLinks(LinkId(last))),
                _ => None,
            },
            _ => None,
        })();
        state.filter(|_| rest.is_empty()).ok_or_else(|| bad("its state does not decode"))
    }
}

/// The state of a space, or `None` if it is finished, or there is no such space.
pub fn state(reader: &dyn Reader, tenant: TenantId, space: SpaceId) -> Result<Option<SpaceState>> {
    if matches!(space, SpaceId::NONE | SpaceId::MEMORY) {
        return Ok(None);
    }
    let state = get(reader, SPACE_STATES, &by_number(tenant, space))?;
    state.as_deref().map(SpaceState::decode).transpose()
}

/// Spaces of a tenant that are not finished, in the order of their numbers.
pub fn unfinished(reader: &dyn Reader, tenant: TenantId) -> Result<Vec<(SpaceId, SpaceState)>> {
    let found = scan(reader, KeyRange::prefix(&all(tenant)))?;
    Ok(found.into_iter().map(|(_, space, state)| (space, state)).collect())
}

/// Spaces of every tenant that are not finished.
pub fn all_unfinished(reader: &dyn Reader) -> Result<Vec<(TenantId, SpaceId, SpaceState)>> {
    scan(reader, KeyRange::new(Bound::Unbounded, Bound::Unbounded))
}

fn scan(reader: &dyn Reader, range: KeyRange) -> Result<Vec<(TenantId, SpaceId, SpaceState)>> {
    let mut found = Vec::new();
    let mut verdict = Ok(());
    reader.multi_scan(SPACE_STATES, &[range], &mut |_, key, value| {
        let row = place(key).and_then(|(tenant, space)| {
            // Under that number is the last number that was given.
            let is_state = space != SpaceId::NONE;
            is_state.then(|| Ok((tenant, space, SpaceState::decode(value)?))).transpose()
        });
        match row {
            Ok(row) => found.extend(row),
            Err(error) => {
                verdict = Err(error);
                return Visit::Stop;
            }
        }
        Visit::Continue
    })?;
    verdict.map(|()| found)
}

fn place(key: &[u8]) -> Result<(TenantId, SpaceId)> {
    let mut parts = KeyReader::new(key);
    let place = (|| {
        let (tenant, _none) = (parts.tenant()?, parts.space()?);
        let space = SpaceId(parts.u32()?);
        parts.finish().map(|()| (tenant, space))
    })();
    place.map_err(|error| GraphError::BadRecord { what: "space", detail: error.to_string() })
}

pub(super) fn put(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId, state: SpaceState) -> Result<()> {
    Ok(tx.put(SPACE_STATES, &by_number(tenant, space), &state.encode())?)
}

pub(super) fn finish(tx: &mut dyn WriteTx, tenant: TenantId, space: SpaceId) -> Result<()> {
    Ok(tx.delete(SPACE_STATES, &by_number(tenant, space))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn states_round_trip_and_no_cut_decodes(last: u64, bytes: Vec<u8>) {
            for state in [
                SpaceState::Staged,
                SpaceState::Dying,
                SpaceState::Abandoned,
                SpaceState::DerivingConcepts(ConceptId(last)),
                SpaceState::DerivingLinks(LinkId(last)),
            ] {
                let encoded = state.encode();
                prop_assert_eq!(SpaceState::decode(&encoded).unwrap(), state);
                for cut in 0..encoded.len() {
                    prop_assert!(SpaceState::decode(&encoded[..cut]).is_err());
                }
                prop_assert!(SpaceState::decode(&[&encoded[..], &[0]].concat()).is_err());
            }
            let _ = SpaceState::decode(&bytes);
        }
    }
}
