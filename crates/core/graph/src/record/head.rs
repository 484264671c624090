//! The front of a record: everything but attributes and metadata, which are left as they stand.

use cairn_base::{ContentHash, take_varint};

use super::{CONCEPT, HAS_TEXT, IN_BLOB, LINK, VERSION, bad};
use crate::{ConceptId, Edge, Element, LinkId, PredicateId, Result, TypeId};

/// What concepts and links have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) version: u64,
    pub(crate) created_at_ms: u64,
    pub(crate) updated_at_ms: u64,
    pub(crate) has_text: bool,
}

/// Where attributes and metadata are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body<'a> {
    Here(&'a [u8]),
    Blob(ContentHash),
}

impl Body<'_> {
    pub(crate) fn blob(&self) -> Option<ContentHash> {
        match self {
            Body::Here(_) => None,
            Body::Blob(hash) => Some(*hash),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ConceptHead<'a> {
    pub(crate) head: Head,
    pub(crate) name: &'a str,
    pub(crate) body: Body<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkHead<'a> {
    pub(crate) head: Head,
    pub(crate) edge: Edge,
    pub(crate) body: Body<'a>,
}

impl<'a> ConceptHead<'a> {
    pub(crate) fn parse(record: &'a [u8]) -> Result<Self> {
        parse(CONCEPT, record, |head, in_blob, mut rest| {
            let bytes = usize::try_from(take_varint(&mut rest)?).ok()?;
            let (name, rest) = rest.split_at_checked(bytes)?;
            Some(ConceptHead { head, name: std::str::from_utf8(name).ok()?, body: body(in_blob, rest)? })
        })
    }
}

impl<'a> LinkHead<'a> {
    pub(crate) fn parse(link: LinkId, record: &'a [u8]) -> Result<Self> {
        parse(LINK, record, |head, in_blob, mut rest| {
            let (subject, subject_type) = end(&mut rest)?;
            let predicate = PredicateId(take_varint(&mut rest)?);
            let (object, object_type) = end(&mut rest)?;
            let edge = Edge { subject, predicate, object, link, subject_type, object_type };
            Some(LinkHead { head, edge, body: body(in_blob, rest)? })
        })
    }
}

/// The blob that the record of a concept refers to, if its content did not fit.
pub fn blob_of_concept(record: &[u8]) -> Result<Option<ContentHash>> {
    Ok(ConceptHead::parse(record)?.body.blob())
}

/// The blob that the record of a link refers to, if its content did not fit.
pub fn blob_of_link(record: &[u8]) -> Result<Option<ContentHash>> {
    // Its own number is no part of the record.
    Ok(LinkHead::parse(LinkId(0), record)?.body.blob())
}

fn parse<'a, T>(
    what: &'static str,
    record: &'a [u8],
    rest_of: impl FnOnce(Head, bool, &'a [u8]) -> Option<T>,
) -> Result<T> {
    let (version, mut rest) = record.split_first().ok_or_else(|| bad(what, "it is empty"))?;
    if *version != VERSION {
        return Err(bad(what, "its version is not known here; use a newer cairn"));
    }
    let parsed = (|| {
        let flags = take_varint(&mut rest).filter(|flags| flags & !(IN_BLOB | HAS_TEXT) == 0)?;
        let (version, created_at_ms) = (take_varint(&mut rest)?, take_varint(&mut rest)?);
        let updated_at_ms = created_at_ms.checked_add(take_varint(&mut rest)?)?;
        let head = Head { version, created_at_ms, updated_at_ms, has_text: flags & HAS_TEXT != 0 };
        rest_of(head, flags & IN_BLOB != 0, rest)
    })();
    parsed.ok_or_else(|| bad(what, "it ends too early or holds something that makes no sense"))
}

fn body(in_blob: bool, rest: &[u8]) -> Option<Body<'_>> {
    if in_blob {
        return Some(Body::Blob(ContentHash::from_bytes(rest.try_into().ok()?)));
    }
    Some(Body::Here(rest))
}

fn end(rest: &mut &[u8]) -> Option<(Element, Option<TypeId>)> {
    match (take_varint(rest)?, take_varint(rest)?) {
        (link, 0) => Some((Element::Link(LinkId(link)), None)),
        (concept, kind) => Some((Element::Concept(ConceptId(concept)), Some(TypeId(kind)))),
    }
}
