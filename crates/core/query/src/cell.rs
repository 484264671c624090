//! What a variable is bound to in one row.

use cairn_graph::{ConceptId, Edge, Element, LinkId, PredicateId, TypeId};

use crate::hash::{FastMap, HashMapExt};

/// A binding. Small and without memory of its own: rows are copied all the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Cell {
    /// Nothing: an OPTIONAL that missed, the padding of a UNION, or a variable that is not bound yet.
    Null,
    /// A concept. Its type is part of its address in the store, and patterns ask for it.
    Concept(ConceptId, TypeId),
    /// A link.
    Link(LinkId),
    /// The name of a predicate.
    Predicate(PredicateId),
}

impl Cell {
    /// One end of a link, whose type is absent if it is a link itself.
    pub(crate) fn of_end(element: Element, kind: Option<TypeId>) -> Self {
        match (element, kind) {
            (Element::Concept(id), Some(kind)) => Cell::Concept(id, kind),
            // Every concept has a type; 0 is that of none.
            (Element::Concept(id), None) => Cell::Concept(id, TypeId(0)),
            (Element::Link(id), _) => Cell::Link(id),
        }
    }

    /// What an edge has at one of its places.
    pub(crate) fn at(edge: &Edge, place: Place) -> Self {
        match place {
            Place::Subject => Cell::of_end(edge.subject, edge.subject_type),
            Place::Predicate => Cell::Predicate(edge.predicate),
            Place::Object => Cell::of_end(edge.object, edge.object_type),
            Place::Link => Cell::Link(edge.link),
        }
    }

    pub(crate) fn is_null(self) -> bool {
        self == Cell::Null
    }

    /// The concept or link, if it is one.
    pub(crate) fn element(self) -> Option<Element> {
        match self {
            Cell::Concept(id, _) => Some(id.into()),
            Cell::Link(id) => Some(id.into()),
            Cell::Null | Cell::Predicate(_) => None,
        }
    }
}

/// Where in a link something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Subject,
    Predicate,
    Object,
    /// The link itself.
    Link,
}

/// Numbers of keys that are made of cells. Most keys are one cell, which needs no memory of its own.
#[derive(Debug)]
pub(crate) enum Numbers {
    One(FastMap<Cell, Option<u32>>),
    Many(FastMap<Vec<Cell>, Option<u32>>),
}

impl Numbers {
    /// For keys of so many cells.
    pub(crate) fn of_keys(cells: usize) -> Self {
        if cells == 1 { Numbers::One(FastMap::new()) } else { Numbers::Many(FastMap::new()) }
    }

    /// The number of a key, absent if it is new.
    pub(crate) fn entry(&mut self, mut key: impl Iterator<Item = Cell>) -> &mut Option<u32> {
        match self {
            Numbers::One(numbers) => numbers.entry(key.next().unwrap_or(Cell::Null)).or_default(),
            Numbers::Many(numbers) => numbers.entry(key.collect()).or_default(),
        }
    }
}
