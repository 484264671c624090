//! What happened, out of the change feed.

use cairn_base::{SpaceId, put_varint, take_varint};
use cairn_seam::{Event, EventKind};

use crate::tables::{
    CONCEPT_CHANGED, CONCEPT_DELETED, CONCEPTS_COPIED, LINK_CHANGED, LINK_DELETED, LINKS_COPIED,
    SPACE_CREATED, SPACE_DELETED, SPACE_PUBLISHED,
};
use crate::{ConceptId, GraphError, LinkId, Result};

/// One thing that happened in this memory; what more is to be known of it is in the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphEvent {
    /// A concept was made or changed.
    ConceptChanged(SpaceId, ConceptId),
    /// A concept was deleted.
    ConceptDeleted(SpaceId, ConceptId),
    /// A link that has or had text was made or changed.
    LinkChanged(SpaceId, LinkId),
    /// A link that had text was deleted.
    LinkDeleted(SpaceId, LinkId),
    /// A space was made.
    SpaceCreated(SpaceId),
    /// A copy of a space got its name.
    SpacePublished(SpaceId),
    /// A space lost its name, and its rows go.
    SpaceDeleted(SpaceId),
    /// Concepts behind one, up to and with another, came with the copy of a space.
    ConceptsCopied(SpaceId, ConceptId, ConceptId),
    /// Links with text behind one, up to and with another, came with the copy of a space.
    LinksCopied(SpaceId, LinkId, LinkId),
}

impl GraphEvent {
    /// What an event says; `None` when it is another memory's.
    pub fn decode(event: &Event) -> Result<Option<Self>> {
        Ok(match event.kind {
            CONCEPT_CHANGED => {
                let (space, id) = of_element(&event.body)?;
                Some(GraphEvent::ConceptChanged(space, ConceptId(id)))
            }
            CONCEPT_DELETED => {
                let (space, id) = of_element(&event.body)?;
                Some(GraphEvent::ConceptDeleted(space, ConceptId(id)))
            }
            LINK_CHANGED => {
                let (space, id) = of_element(&event.body)?;
                Some(GraphEvent::LinkChanged(space, LinkId(id)))
            }
            LINK_DELETED => {
                let (space, id) = of_element(&event.body)?;
                Some(GraphEvent::LinkDeleted(space, LinkId(id)))
            }
            SPACE_CREATED => Some(GraphEvent::SpaceCreated(of_space(&event.body)?)),
            SPACE_PUBLISHED => Some(GraphEvent::SpacePublished(of_space(&event.body)?)),
            SPACE_DELETED => Some(GraphEvent::SpaceDeleted(of_space(&event.body)?)),
            CONCEPTS_COPIED => {
                let (space, before, last) = of_elements(&event.body)?;
                Some(GraphEvent::ConceptsCopied(space, ConceptId(before), ConceptId(last)))
            }
            LINKS_COPIED => {
                let (space, before, last) = of_elements(&event.body)?;
                Some(GraphEvent::LinksCopied(space, LinkId(before), LinkId(last)))
            }
            _ => None,
        })
    }

    pub(crate) fn encode(self) -> Event {
        let (kind, space, ids): (EventKind, SpaceId, [Option<u64>; 2]) = match self {
            GraphEvent::ConceptChanged(space, id) => (CONCEPT_CHANGED, space, [Some(id.0), None]),
            GraphEvent::ConceptDeleted(space, id) => (CONCEPT_DELETED, space, [Some(id.0), None]),
            GraphEvent::LinkChanged(space, id) => (LINK_CHANGED, space, [Some(id.0), None]),
            GraphEvent::LinkDeleted(space, id) => (LINK_DELETED, space, [Some(id.0), None]),
            GraphEvent::SpaceCreated(space) => (SPACE_CREATED, space, [None, None]),
            GraphEvent::SpacePublished(space) => (SPACE_PUBLISHED, space, [None, None]),
            GraphEvent::SpaceDeleted(space) => (SPACE_DELETED, space, [None, None]),
            GraphEvent::ConceptsCopied(space, before, last) => {
                (CONCEPTS_COPIED, space, [Some(before.0), Some(last.0)])
            }
            GraphEvent::LinksCopied(space, before, last) => {
                (LINKS_COPIED, space, [Some(before.0), Some(last.0)])
            }
        };
        let mut body = Vec::with_capacity(16);
        put_varint(&mut body, u64::from(space.0));
        ids.into_iter().flatten().for_each(|id| put_varint(&mut body, id));
        Event { kind, body }
    }
}

fn of_element(mut body: &[u8]) -> Result<(SpaceId, u64)> {
    let space = space(&mut body)?;
    let id = take_varint(&mut body).ok_or_else(bad)?;
    end(body)?;
    Ok((space, id))
}

fn of_elements(mut body: &[u8]) -> Result<(SpaceId, u64, u64)> {
    let space = space(&mut body)?;
    let numbers = take_varint(&mut body).zip(take_varint(&mut body)).ok_or_else(bad)?;
    end(body)?;
    Ok((space, numbers.0, numbers.1))
}

fn of_space(mut body: &[u8]) -> Result<SpaceId> {
    let space = space(&mut body)?;
    end(body)?;
    Ok(space)
}

fn space(rest: &mut &[u8]) -> Result<SpaceId> {
    let number = take_varint(rest).and_then(|number| u32::try_from(number).ok());
    number.map(SpaceId).ok_or_else(bad)
}

fn end(rest: &[u8]) -> Result<()> {
    if rest.is_empty() { Ok(()) } else { Err(bad()) }
}

fn bad() -> GraphError {
    GraphError::BadRecord {
        what: "event of the graph",
        detail: "its body is not the numbers it should be".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_back_and_no_cut_decodes(space: u32, id: u64, last: u64, bytes: Vec<u8>) {
            let space = SpaceId(space);
            for event in [
                GraphEvent::ConceptChanged(space, ConceptId(id)),
                GraphEvent::ConceptDeleted(space, ConceptId(id)),
                GraphEvent::LinkChanged(space, LinkId(id)),
                GraphEvent::LinkDeleted(space, LinkId(id)),
                GraphEvent::SpaceCreated(space),
                GraphEvent::SpacePublished(space),
                GraphEvent::SpaceDeleted(space),
                GraphEvent::ConceptsCopied(space, ConceptId(id), ConceptId(last)),
                GraphEvent::LinksCopied(space, LinkId(id), LinkId(last)),
            ] {
                let encoded = event.encode();
                prop_assert_eq!(GraphEvent::decode(&encoded).unwrap(), Some(event));
                for cut in 0..encoded.body.len() {
                    let body = encoded.body[..cut].to_vec();
                    let cut = Event { body, ..encoded };
                    prop_assert!(GraphEvent::decode(&cut).is_err());
                }
                let _ = GraphEvent::decode(&Event { kind: encoded.kind, body: bytes.clone() });
            }
            prop_assert_eq!(GraphEvent::decode(&Event { kind: EventKind(1), body: bytes }).unwrap(), None);
        }
    }
}
