//! What is kept, and how much memory it takes.

use std::sync::Arc;

use cairn_base::Position;
use quick_cache::Weighter;

use super::key::Key;
use crate::{Edge, Element, LinkId, PredicateId, TypeId};

/// What an entry takes beside its bytes: its place in the tables, which grow by doubling, and the head of what
/// it points to. A test holds this against what the tables really take.
pub(super) const ENTRY_BYTES: u64 = 256;

/// Something that was read.
#[derive(Clone)]
pub(super) struct Entry {
    /// The position of the snapshot that read it.
    pub(super) since: Position,
    pub(super) kept: Kept,
}

#[derive(Clone)]
pub(super) enum Kept {
    /// The value of a row, or that there is none.
    Row(Option<Arc<[u8]>>),
    /// All links of an element and a predicate in one direction, in the order of their other ends.
    Links(Arc<[Far]>),
}

impl Kept {
    pub(super) fn bytes(&self) -> u64 {
        let bytes = match self {
            Kept::Row(row) => row.as_ref().map_or(0, |row| row.len()),
            Kept::Links(links) => size_of_val(&**links),
        };
        bytes as u64 + ENTRY_BYTES
    }
}

#[derive(Clone)]
pub(super) struct ByBytes;

impl Weighter<Key, Entry> for ByBytes {
    fn weight(&self, _: &Key, entry: &Entry) -> u64 {
        entry.kept.bytes()
    }
}

/// The element and the predicate that links are looked up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Near {
    Subject(Element, PredicateId),
    Object(Element, PredicateId),
}

/// The rest of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Far {
    pub(super) far: u64,
    link: LinkId,
    /// 0 if it is the end of a link that is a link.
    near_type: u64,
    far_type: u64,
}

impl Far {
    /// What a link has beside what it was looked up by.
    pub(super) fn of(near: Near, edge: &Edge) -> Self {
        let number_of = |kind: Option<TypeId>| kind.map_or(0, |kind| kind.0);
        let (subject_type, object_type) = (number_of(edge.subject_type), number_of(edge.object_type));
        let (far, near_type, far_type) = match near {
            Near::Subject(..) => (edge.object, subject_type, object_type),
            Near::Object(..) => (edge.subject, object_type, subject_type),
        };
        Far { far: far.to_u64(), link: edge.link, near_type, far_type }
    }

    /// The other way round.
    pub(super) fn edge(self, near: Near) -> Edge {
        let kind = |number: u64| (number > 0).then_some(TypeId(number));
        let (far, near_type, far_type) =
            (Element::from_u64(self.far), kind(self.near_type), kind(self.far_type));
        match near {
            Near::Subject(subject, predicate) => Edge {
                subject,
                predicate,
                object: far,
                link: self.link,
                subject_type: near_type,
                object_type: far_type,
            },
            Near::Object(object, predicate) => Edge {
                subject: far,
                predicate,
                object,
                link: self.link,
                subject_type: far_type,
                object_type: near_type,
            },
        }
    }
}
