//! Records out of what they say.

use cairn_base::{MsgpackWriter, put_varint};
use cairn_seam::Blob;

use super::head::Head;
use super::{HAS_TEXT, IN_BLOB, VERSION};
use crate::{Edge, Element, GraphError, Map, Result, TypeId, limits};

/// A record, and the blob that holds its content if that is long.
pub(crate) struct Encoded {
    pub(crate) record: Vec<u8>,
    pub(crate) blob: Option<Blob>,
}

/// Attributes and metadata. Equal content gives equal bytes.
pub(crate) fn encode_body(attributes: &Map, metadata: &Map) -> Result<Vec<u8>> {
    let attributes = encode_map(attributes);
    let metadata = encode_map(metadata);
    let mut body = Vec::with_capacity(attributes.len() + metadata.len() + 3);
    put_varint(&mut body, attributes.len() as u64);
    body.extend_from_slice(&attributes);
    body.extend_from_slice(&metadata);
    let (bytes, max) = (body.len(), limits::ELEMENT_BYTES_MAX);
    if bytes > max {
        return Err(GraphError::TooLarge { what: "content of one concept or link", bytes, max });
    }
    Ok(body)
}

fn encode_map(map: &Map) -> Vec<u8> {
    let mut writer = MsgpackWriter::new();
    writer.entries(map);
    writer.into_bytes()
}

pub(crate) fn encode_concept(head: &Head, name: &str, body: Vec<u8>) -> Result<Encoded> {
    let mut front = Vec::with_capacity(name.len() + 2);
    put_varint(&mut front, name.len() as u64);
    front.extend_from_slice(name.as_bytes());
    encode(head, &front, body)
}

pub(crate) fn encode_link(head: &Head, edge: &Edge, body: Vec<u8>) -> Result<Encoded> {
    let mut front = Vec::with_capacity(16);
    put_end(&mut front, edge.subject, edge.subject_type);
    put_varint(&mut front, edge.predicate.0);
    put_end(&mut front, edge.object, edge.object_type);
    encode(head, &front, body)
}

fn put_end(out: &mut Vec<u8>, end: Element, kind: Option<TypeId>) {
    let number = match end {
        Element::Concept(id) => id.0,
        Element::Link(id) => id.0,
    };
    put_varint(out, number);
    put_varint(out, kind.map_or(0, |kind| kind.0));
}

fn encode(head: &Head, front: &[u8], body: Vec<u8>) -> Result<Encoded> {
    let text_flag = if head.has_text { HAS_TEXT } else { 0 };
    let with = |flags: u64, body: &[u8]| {
        let mut record = Vec::with_capacity(32 + front.len() + body.len());
        record.push(VERSION);
        let after = head.updated_at_ms.saturating_sub(head.created_at_ms);
        for number in [flags | text_flag, head.version, head.created_at_ms, after] {
            put_varint(&mut record, number);
        }
        record.extend_from_slice(front);
        record.extend_from_slice(body);
        record
    };
    let record = with(0, &body);
    if record.len() <= limits::ELEMENT_INLINE_BYTES_MAX {
        return Ok(Encoded { record, blob: None });
    }
    let blob = Blob::new(body)?;
    Ok(Encoded { record: with(IN_BLOB, blob.hash().as_bytes()), blob: Some(blob) })
}
