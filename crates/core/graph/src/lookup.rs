//! Links by their ends. Records are not read: the indexes know everything but attributes and metadata.

use cairn_base::KeyBuf;
use cairn_seam::{KeyRange, Keyspace, Visit};

use crate::keys::{self, Order};
use crate::scan::behind;
use crate::tables::{OPS, PSO, SPO};
use crate::{Edge, Element, PredicateId, Result, View};

/// Which links to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup {
    /// Those from an element, by predicate and object.
    Out {
        /// The subject.
        subject: Element,
        /// Only those of this predicate, then by object.
        predicate: Option<PredicateId>,
    },
    /// Those to an element, by predicate and subject.
    In {
        /// The object.
        object: Element,
        /// Only those of this predicate, then by subject.
        predicate: Option<PredicateId>,
    },
    /// The one between two elements.
    Exact {
        /// The subject.
        subject: Element,
        /// The predicate.
        predicate: PredicateId,
        /// The object.
        object: Element,
    },
    /// All of a predicate, by subject and object.
    Predicate {
        /// The predicate.
        predicate: PredicateId,
        /// Only those behind this subject and object.
        after: Option<(Element, Element)>,
    },
    /// All there are, by subject, predicate and object.
    All {
        /// Only those behind this one.
        after: Option<(Element, PredicateId, Element)>,
    },
}

/// How a lookup is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Point,
    Scan(Order),
}

impl Lookup {
    fn access(&self) -> Access {
        match self {
            Lookup::Exact { .. } => Access::Point,
            Lookup::Out { .. } | Lookup::All { .. } => Access::Scan(Order::Spo),
            Lookup::Predicate { .. } => Access::Scan(Order::Pso),
            Lookup::In { .. } => Access::Scan(Order::Ops),
        }
    }
}

/// Gets the place of a lookup and a link, and says how to go on.
pub(crate) type EdgeVisitor<'v> = &'v mut dyn FnMut(usize, &Edge) -> Visit;

impl View<'_> {
    /// Finds links; the visitor gets the place of the lookup, in that order, and may say that it has enough of
    /// one lookup, or of all of them. Neighbours of the same kind are one call to the store.
    pub fn edges(&self, lookups: &[Lookup], visit: &mut dyn FnMut(usize, &Edge) -> Visit) -> Result<()> {
        let mut rest = lookups;
        let mut first = 0;
        while let Some(access) = rest.first().map(Lookup::access) {
            let count = rest.iter().take_while(|lookup| lookup.access() == access).count();
            let (run, behind) = rest.split_at(count);
            let mut is_stopped = false;
            let mut visit_one = |place: usize, edge: &Edge| {
                let verdict = visit(first + place, edge);
                is_stopped |= verdict == Visit::Stop;
                verdict
            };
            match access {
                Access::Point => self.points(run, &mut visit_one)?,
                Access::Scan(order) => self.ranges(order, run, &mut visit_one)?,
            }
            if is_stopped {
                break;
            }
            rest = behind;
            first += count;
        }
        Ok(())
    }

    fn points(&self, run: &[Lookup], visit: EdgeVisitor<'_>) -> Result<()> {
        let ends: Vec<(Element, PredicateId, Element)> = run.iter().filter_map(exact).collect();
        match self.cache() {
            Some(cache) => self.points_through(cache, &ends, visit),
            None => self.stored_points(&ends, visit),
        }
    }

    /// Finds links by both of their ends, in the store.
    pub(crate) fn stored_points(
        &self,
        ends: &[(Element, PredicateId, Element)],
        visit: EdgeVisitor<'_>,
    ) -> Result<()> {
        let rows: Vec<KeyBuf> = ends.iter().map(|(s, p, o)| keys::spo(self.scope(), *s, *p, *o)).collect();
        let rows: Vec<&[u8]> = rows.iter().map(KeyBuf::as_slice).collect();
        let mut verdict = Ok(());
        let mut is_done = false;
        self.reader().multi_get(SPO, &rows, &mut |place, value| {
            let Some(value) = value.filter(|_| !is_done) else { return };
            let (subject, predicate, object) = ends[place];
            match keys::edge_between(subject, predicate, object, value) {
                Ok(edge) => is_done = visit(place, &edge) == Visit::Stop,
                Err(error) => (verdict, is_done) = (Err(error), true),
            }
        })?;
        verdict
    }

    fn ranges(&self, order: Order, run: &[Lookup], visit: EdgeVisitor<'_>) -> Result<()> {
        match self.cache() {
            Some(cache) => self.ranges_through(cache, order, run, visit),
            None => self.stored_ranges(order, run, visit),
        }
    }

    /// Finds links by walking over keys, in the store.
    pub(crate) fn stored_ranges(&self, order: Order, run: &[Lookup], visit: EdgeVisitor<'_>) -> Result<()> {
        let ranges: Vec<KeyRange> = run.iter().map(|lookup| self.range(lookup)).collect();
        let mut verdict = Ok(());
        self.reader().multi_scan(keyspace(order), &ranges, &mut |place, key, value| match keys::edge(
            order, key, value,
        ) {
            Ok(edge) => visit(place, &edge),
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        })?;
        verdict
    }

    pub(crate) fn range(&self, lookup: &Lookup) -> KeyRange {
        let scope = self.scope();
        match *lookup {
            Lookup::Out { subject: end, predicate } | Lookup::In { object: end, predicate } => {
                let of_end = scope.key().u64(end.to_u64());
                KeyRange::prefix(&match predicate {
                    Some(predicate) => of_end.u64(predicate.0),
                    None => of_end,
                })
            }
            Lookup::Exact { subject, predicate, object } => {
                KeyRange::prefix(&keys::spo(scope, subject, predicate, object))
            }
            Lookup::Predicate { predicate, after } => {
                let after = after.map(|(subject, object)| keys::pso(scope, subject, predicate, object));
                behind(&scope.key().u64(predicate.0), after)
            }
            Lookup::All { after } => {
                let after =
                    after.map(|(subject, predicate, object)| keys::spo(scope, subject, predicate, object));
                behind(&scope.key(), after)
            }
        }
    }
}

fn exact(lookup: &Lookup) -> Option<(Element, PredicateId, Element)> {
    match *lookup {
        Lookup::Exact { subject, predicate, object } => Some((subject, predicate, object)),
        Lookup::Out { .. } | Lookup::In { .. } | Lookup::Predicate { .. } | Lookup::All { .. } => None,
    }
}

pub(crate) fn keyspace(order: Order) -> Keyspace {
    match order {
        Order::Spo => SPO,
        Order::Pso => PSO,
        Order::Ops => OPS,
    }
}
