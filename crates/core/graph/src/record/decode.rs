//! Whole concepts and links out of their records.

use cairn_base::{Value, take_varint, value_from_msgpack};

use super::head::{ConceptHead, LinkHead};
use super::{CONCEPT, LINK, bad};
use crate::{Concept, ConceptId, Link, Map, Result, TypeId};

/// A concept out of the front of its record and the bytes of its body, wherever they were.
pub(crate) fn decode_concept(
    id: ConceptId,
    kind: TypeId,
    record: &ConceptHead<'_>,
    body: &[u8],
) -> Result<Concept> {
    let (attributes, metadata) = decode_body(CONCEPT, body)?;
    let head = record.head;
    Ok(Concept {
        id,
        kind,
        name: record.name.to_owned(),
        attributes,
        metadata,
        version: head.version,
        created_at_ms: head.created_at_ms,
        updated_at_ms: head.updated_at_ms,
    })
}

/// The same for a link.
pub(crate) fn decode_link(record: &LinkHead<'_>, body: &[u8]) -> Result<Link> {
    let (attributes, metadata) = decode_body(LINK, body)?;
    let head = record.head;
    Ok(Link {
        id: record.edge.link,
        edge: record.edge,
        attributes,
        metadata,
        version: head.version,
        created_at_ms: head.created_at_ms,
        updated_at_ms: head.updated_at_ms,
    })
}

fn decode_body(what: &'static str, body: &[u8]) -> Result<(Map, Map)> {
    let (attributes, metadata) = split_body(what, body)?;
    Ok((decode_map(what, attributes)?, decode_map(what, metadata)?))
}

/// The bytes of attributes and of metadata.
pub(super) fn split_body<'a>(what: &'static str, mut body: &'a [u8]) -> Result<(&'a [u8], &'a [u8])> {
    let bytes = take_varint(&mut body).and_then(|bytes| usize::try_from(bytes).ok());
    let parts = bytes.and_then(|bytes| body.split_at_checked(bytes));
    parts.ok_or_else(|| bad(what, "its attributes end too early"))
}

pub(super) fn decode_map(what: &'static str, bytes: &[u8]) -> Result<Map> {
    match value_from_msgpack(bytes).map_err(|error| bad(what, error.to_string()))? {
        Value::Object(map) => Ok(map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(bad(what, "its attributes or metadata are no map"))
        }
    }
}
