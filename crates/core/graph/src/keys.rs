//! Keys of the indexes, made and taken apart.

use cairn_access::Scope;
use cairn_base::{KeyBuf, put_varint, take_varint};

use crate::{ConceptId, Edge, Element, GraphError, LinkId, PredicateId, Result, TypeId};

/// Bytes of tenant and space, which every key begins with.
pub(crate) const SCOPE_BYTES: usize = 8;

pub(crate) fn concept(scope: &Scope, kind: TypeId, id: ConceptId) -> KeyBuf {
    scope.key().u64(kind.0).u64(id.0)
}

pub(crate) fn home(scope: &Scope, id: ConceptId) -> KeyBuf {
    scope.key().u64(id.0)
}

pub(crate) fn named(scope: &Scope, name: &str, kind: TypeId) -> KeyBuf {
    scope.key().fixed(&crate::name::hash(name)).u64(kind.0)
}

pub(crate) fn link(scope: &Scope, id: LinkId) -> KeyBuf {
    scope.key().u64(id.0)
}

/// The three keys of a link: by subject, by predicate and by object.
pub(crate) fn spo(scope: &Scope, subject: Element, predicate: PredicateId, object: Element) -> KeyBuf {
    scope.key().u64(subject.to_u64()).u64(predicate.0).u64(object.to_u64())
}

pub(crate) fn pso(scope: &Scope, subject: Element, predicate: PredicateId, object: Element) -> KeyBuf {
    scope.key().u64(predicate.0).u64(subject.to_u64()).u64(object.to_u64())
}

pub(crate) fn ops(scope: &Scope, subject: Element, predicate: PredicateId, object: Element) -> KeyBuf {
    scope.key().u64(object.to_u64()).u64(predicate.0).u64(subject.to_u64())
}

/// The last number of a key.
pub(crate) fn last_number(key: &[u8], what: &'static str) -> Result<u64> {
    let number = key.last_chunk().map(|bytes| u64::from_be_bytes(*bytes));
    number.ok_or_else(|| bad(what, "its key is too short"))
}

/// Which of the three orders a key of a link has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Spo,
    Pso,
    Ops,
}

/// What is stored under each of the three keys of a link.
pub(crate) fn edge_value(edge: &Edge) -> Vec<u8> {
    let mut out = Vec::with_capacity(8);
    let number_of = |kind: Option<TypeId>| kind.map_or(0, |kind| kind.0);
    for number in [edge.link.0, number_of(edge.subject_type), number_of(edge.object_type)] {
        put_varint(&mut out, number);
    }
    out
}

/// The link that a key and its value speak of.
pub(crate) fn edge(order: Order, key: &[u8], value: &[u8]) -> Result<Edge> {
    let parts = key.get(SCOPE_BYTES..).and_then(|parts| <&[u8; 24]>::try_from(parts).ok());
    let parts = parts.ok_or_else(|| bad_edge("its key has another length"))?;
    let part = |at: usize| {
        let bytes = parts[at * 8..].first_chunk().expect("three numbers have 24 bytes");
        u64::from_be_bytes(*bytes)
    };
    let (subject, predicate, object) = match order {
        Order::Spo => (part(0), part(1), part(2)),
        Order::Pso => (part(1), part(0), part(2)),
        Order::Ops => (part(2), part(1), part(0)),
    };
    edge_between(Element::from_u64(subject), PredicateId(predicate), Element::from_u64(object), value)
}

/// The link between two ends that are known, out of the value of its key.
pub(crate) fn edge_between(
    subject: Element,
    predicate: PredicateId,
    object: Element,
    mut value: &[u8],
) -> Result<Edge> {
    let rest = &mut value;
    let numbers = (|| Some((take_varint(rest)?, take_varint(rest)?, take_varint(rest)?)))();
    let (link, subject_type, object_type) = numbers.ok_or_else(|| bad_edge("it is not three numbers"))?;
    if !value.is_empty() {
        return Err(bad_edge("it is too long"));
    }
    let (subject_type, object_type) = (end_type(subject, subject_type)?, end_type(object, object_type)?);
    Ok(Edge { subject, predicate, object, link: LinkId(link), subject_type, object_type })
}

/// The type of an end: a concept has one, and a link has none.
fn end_type(end: Element, number: u64) -> Result<Option<TypeId>> {
    match (end, number) {
        (Element::Concept(_), 1..) => Ok(Some(TypeId(number))),
        (Element::Link(_), 0) => Ok(None),
        (Element::Concept(_) | Element::Link(_), _) => Err(bad_edge("an end has a type that it cannot have")),
    }
}

fn bad_edge(detail: &str) -> GraphError {
    bad("index of links", detail)
}

fn bad(what: &'static str, detail: &str) -> GraphError {
    GraphError::BadRecord { what, detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_end_has_a_type_if_and_only_if_it_is_a_concept() {
        let (concept, link) = (Element::Concept(ConceptId(1)), Element::Link(LinkId(1)));
        let types = |subject, object, value: &[u8]| {
            let edge = edge_between(subject, PredicateId(2), object, value).ok()?;
            Some((edge.subject_type.map(|kind| kind.0), edge.object_type.map(|kind| kind.0)))
        };
        assert_eq!(types(concept, concept, &[9, 3, 4]), Some((Some(3), Some(4))));
        assert_eq!(types(link, concept, &[9, 0, 4]), Some((None, Some(4))));
        assert_eq!(types(concept, link, &[9, 3, 0]), Some((Some(3), None)));
        for bad in [&[9, 3, 4][..], &[9, 0, 0], &[9, 3], &[9, 0, 4, 0], &[]] {
            assert_eq!(types(link, concept, bad), None, "{bad:?}");
        }
        assert_eq!(types(concept, concept, &[9, 3, 0]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(key: Vec<u8>, value: Vec<u8>) {
            for order in [Order::Spo, Order::Pso, Order::Ops] {
                let _ = edge(order, &key, &value);
                let _ = edge(order, &[&key[..], &[1; 32]].concat()[key.len()..], &value);
            }
        }
    }
}
