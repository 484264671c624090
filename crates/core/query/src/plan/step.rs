//! Steps: what is done with rows, one after the other.

use std::ops::Bound;
use std::sync::Arc;

use cairn_graph::{Index, PredicateId, TypeId};

use super::Slot;
use super::atom::{End, LinkAtom, PathAtom, Predicates, Test};
use crate::cell::Place;
use crate::filter::Filter;

/// One step.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) work: Work,
    /// How many rows were expected after it when the order was chosen.
    pub(crate) estimate: f64,
    /// Which of all stages it is.
    pub(crate) number: usize,
}

/// What a step does.
#[derive(Debug)]
pub(crate) enum Work {
    /// Binds a place to elements.
    Elements(ElementStep),
    /// Keeps rows in which a bound place passes the tests.
    Check { slot: Slot, tests: Vec<Test> },
    /// Joins with links.
    Links(LinkStep),
    /// Joins with the ends of paths.
    Path(PathStep),
    /// Keeps rows of which something is true.
    Filter(Arc<Filter>),
}

/// Binds a place to each element that all tests and filters let through.
#[derive(Debug)]
pub(crate) struct ElementStep {
    pub(crate) slot: Slot,
    /// The first one says where to look.
    pub(crate) tests: Vec<Test>,
    /// Conditions about this place alone, asked while records pass by.
    pub(crate) filters: Vec<Arc<Filter>>,
    /// Where the few concepts are found that the conditions can be true of.
    pub(crate) index: Option<IndexScan>,
}

/// A part of an ordered index.
#[derive(Debug, Clone)]
pub(crate) struct IndexScan {
    pub(crate) index: Index,
    pub(crate) low: Bound<Vec<u8>>,
    pub(crate) high: Bound<Vec<u8>>,
}

impl ElementStep {
    /// The type whose concepts are all looked at, if it is one.
    pub(crate) fn scanned(&self) -> Option<TypeId> {
        match self.tests.first() {
            Some(Test::Type(kind)) => Some(*kind),
            Some(Test::OneOf(_)) | None => None,
        }
    }
}

/// How links are read from one end that is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Method {
    /// One lookup for each element.
    #[default]
    Index,
    /// Whatever reads the least for the rows that there are: lookups, or all links of the predicates at once.
    Cheapest,
}

/// How links are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// The link itself is bound: by its record.
    Link(Slot),
    /// Both ends are bound, and the predicates are known.
    Exact(Slot, Slot),
    /// From subjects that are bound.
    Out(Slot),
    /// From objects that are bound.
    In(Slot),
    /// No end is bound: all links there are of these predicates.
    Scan,
}

/// A join with links.
#[derive(Debug)]
pub(crate) struct LinkStep {
    pub(crate) access: Access,
    pub(crate) method: Method,
    /// Whether one link is enough for each row of the block's input.
    pub(crate) is_one_enough: bool,
    /// Which predicates; all if absent.
    pub(crate) predicates: Option<Vec<PredicateId>>,
    /// What is put into new places.
    pub(crate) puts: Vec<(Place, Slot)>,
    /// What has to be as it is in a row, after the puts.
    pub(crate) agrees: Vec<(Place, Slot)>,
    /// What else has to hold of a link.
    pub(crate) tests: Vec<(Place, Test)>,
}

/// A join with the ends of paths.
#[derive(Debug)]
pub(crate) struct PathStep {
    pub(crate) predicate: PredicateId,
    pub(crate) least: u16,
    pub(crate) most: Option<u16>,
    pub(crate) subject: PathEnd,
    pub(crate) object: PathEnd,
    /// Whether both ends are one variable that is not bound yet.
    pub(crate) is_loop: bool,
    /// A variable before a path is null; if it is bound already, nothing matches.
    pub(crate) is_impossible: bool,
    /// Whether walks between ends that are both bound may be looked for from both sides.
    pub(crate) meets: bool,
}

/// One end of a path.
#[derive(Debug)]
pub(crate) struct PathEnd {
    pub(crate) slot: Option<Slot>,
    /// Whether its place is bound before.
    pub(crate) is_bound: bool,
    pub(crate) tests: Vec<Test>,
}

impl LinkStep {
    /// A join for what is bound now; `tests_of` gives what else is asked of a place that becomes bound.
    pub(crate) fn new(
        atom: LinkAtom,
        is_bound: impl Fn(Slot) -> bool,
        mut tests_of: impl FnMut(Slot) -> Vec<Test>,
    ) -> Self {
        let bound = |end: &End| end.slot().filter(|slot| is_bound(*slot));
        let (predicates, predicate) = match &atom.predicates {
            Predicates::OneOf(ids) => (Some(ids.clone()), None),
            Predicates::Variable(slot) => (None, Some(*slot)),
        };
        let link = atom.link.filter(|slot| is_bound(*slot));
        let access = match (link, bound(&atom.subject), bound(&atom.object)) {
            (Some(link), ..) => Access::Link(link),
            (None, Some(subject), Some(object)) if predicates.is_some() => Access::Exact(subject, object),
            (None, Some(subject), _) => Access::Out(subject),
            (None, None, Some(object)) => Access::In(object),
            (None, None, None) => Access::Scan,
        };
        let mut step = LinkStep {
            access,
            method: Method::default(),
            is_one_enough: false,
            predicates,
            puts: vec![],
            agrees: vec![],
            tests: vec![],
        };
        let mut new: Vec<Slot> = Vec::new();
        let slots = [
            (Place::Subject, atom.subject.slot()),
            (Place::Predicate, predicate),
            (Place::Object, atom.object.slot()),
            (Place::Link, atom.link),
        ];
        for (place, slot) in slots {
            let Some(slot) = slot else { continue };
            if is_bound(slot) || new.contains(&slot) {
                step.agrees.push((place, slot));
                continue;
            }
            new.push(slot);
            step.puts.push((place, slot));
            step.tests.extend(tests_of(slot).into_iter().map(|test| (place, test)));
        }
        for (place, end) in [(Place::Subject, atom.subject), (Place::Object, atom.object)] {
            if let End::Any(test) = end {
                step.tests.push((place, test));
            }
        }
        step
    }
}

impl PathStep {
    pub(crate) fn new(
        atom: PathAtom,
        is_bound: impl Fn(Slot) -> bool,
        mut tests_of: impl FnMut(Slot) -> Vec<Test>,
    ) -> Self {
        let ends = (atom.subject.slot(), atom.object.slot());
        let is_loop = matches!(ends, (Some(a), Some(b)) if a == b && !is_bound(a));
        let is_impossible =
            atom.link.is_some_and(|link| is_bound(link) || [ends.0, ends.1].contains(&Some(link)));
        let mut end = |end: End| match end {
            End::Any(test) => PathEnd { slot: None, is_bound: false, tests: vec![test] },
            End::Slot(slot) if is_bound(slot) => PathEnd { slot: Some(slot), is_bound: true, tests: vec![] },
            End::Slot(slot) => PathEnd { slot: Some(slot), is_bound: false, tests: tests_of(slot) },
        };
        let (subject, object) = (end(atom.subject), end(atom.object));
        PathStep {
            predicate: atom.predicate,
            least: atom.least,
            most: atom.most,
            subject,
            object,
            is_loop,
            is_impossible,
            meets: false,
        }
    }
}
