//! What a pattern is made of: things that hold of the variables they name, in any order.

use cairn_graph::PredicateId;

use super::Slot;
use crate::cell::Cell;
use cairn_graph::TypeId;

/// One thing that holds.
#[derive(Debug, Clone)]
pub(crate) enum Atom {
    /// A variable is one of some elements.
    Element(ElementAtom),
    /// There is a link.
    Link(LinkAtom),
    /// There is a path.
    Path(PathAtom),
}

/// A variable is one of some elements.
#[derive(Debug, Clone)]
pub(crate) struct ElementAtom {
    pub(crate) slot: Slot,
    pub(crate) test: Test,
}

/// Which elements.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// Concepts of a type.
    Type(TypeId),
    /// These, each once.
    OneOf(Vec<Cell>),
}

impl Test {
    pub(crate) fn holds(&self, cell: Cell) -> bool {
        match self {
            Test::Type(wanted) => matches!(cell, Cell::Concept(_, kind) if kind == *wanted),
            Test::OneOf(cells) => cells.contains(&cell),
        }
    }
}

/// A link with a subject, a predicate and an object.
#[derive(Debug, Clone)]
pub(crate) struct LinkAtom {
    pub(crate) link: Option<Slot>,
    pub(crate) subject: End,
    pub(crate) predicates: Predicates,
    pub(crate) object: End,
}

/// A walk of so many hops along one predicate. It is no link, so a variable before it is null.
#[derive(Debug, Clone)]
pub(crate) struct PathAtom {
    pub(crate) link: Option<Slot>,
    pub(crate) subject: End,
    pub(crate) predicate: PredicateId,
    pub(crate) least: u16,
    /// No bound if absent.
    pub(crate) most: Option<u16>,
    pub(crate) object: End,
}

/// What stands at one end.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// A variable, or a place that only the plan knows.
    Slot(Slot),
    /// Something that nobody asks for again.
    Any(Test),
}

impl End {
    pub(crate) fn slot(&self) -> Option<Slot> {
        match self {
            End::Slot(slot) => Some(*slot),
            End::Any(_) => None,
        }
    }
}

/// Which predicates.
#[derive(Debug, Clone)]
pub(crate) enum Predicates {
    /// These, each once.
    OneOf(Vec<PredicateId>),
    /// Any; its name is bound.
    Variable(Slot),
}

impl Predicates {
    /// Those that are named, if any are.
    pub(crate) fn named(&self) -> Option<&[PredicateId]> {
        match self {
            Predicates::OneOf(ids) => Some(ids),
            Predicates::Variable(_) => None,
        }
    }
}

impl Atom {
    /// Every place that it binds.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        match self {
            Atom::Element(atom) => vec![atom.slot],
            Atom::Link(LinkAtom { link, subject, predicates, object }) => {
                let predicate = match predicates {
                    Predicates::OneOf(_) => None,
                    Predicates::Variable(slot) => Some(*slot),
                };
                [subject.slot(), predicate, object.slot(), *link].into_iter().flatten().collect()
            }
            Atom::Path(PathAtom { link, subject, object, .. }) => {
                [subject.slot(), object.slot(), *link].into_iter().flatten().collect()
            }
        }
    }
}
