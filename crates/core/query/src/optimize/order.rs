//! Pass: in which order patterns that are connected by AND are run. Without it, in the order in which they were
//! written.
//!
//! One after the other, always the one that is expected to give the fewest rows next: first whatever is named
//! exactly, then what shares a variable with what is bound already, and only then something unconnected.
//! A pattern whose variable another one binds becomes a test of that one, and FILTERs run as soon as
//! everything they look at is bound.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cairn_graph::{PredicateId, TypeId};

use super::estimate::{Estimator, Links};
use crate::Result;
use crate::filter::Filter;
use crate::plan::{
    Atom, Block, Branch, Draft, ElementAtom, ElementStep, End, LinkAtom, LinkStep, Part, PathAtom, PathStep,
    Run, Slot, Stage, Step, Test, Union, Work,
};

/// Hops beyond which a path is expected to have reached everything it can.
const HOPS_THAT_MATTER: i32 = 4;
/// How many rows in how many a FILTER is expected to keep.
const KEPT_BY_FILTER: f64 = 0.5;

/// The stages that run a draft over rows in which these places are bound.
pub(super) fn order(
    draft: Draft,
    bound: impl Iterator<Item = Slot>,
    estimator: &mut Estimator<'_>,
    is_chosen: bool,
) -> Result<Block> {
    let mut known = Known::new(bound);
    let mut stages = Vec::new();
    for part in draft.parts {
        stages.push(match part {
            Part::Run(run) => {
                let steps = steps(run, &mut known, estimator, is_chosen)?;
                stages.extend(steps.into_iter().map(Stage::Step));
                continue;
            }
            Part::Optional(inner) => {
                let binds = inner.binds.clone();
                let outside = inner.outside.clone();
                let block = order(inner, outside.into_iter(), estimator, is_chosen)?;
                known.bind(binds);
                Stage::Optional(block)
            }
            Part::Not(inner) => {
                let outside = inner.outside.clone();
                Stage::Not(order(inner, outside.into_iter(), estimator, is_chosen)?)
            }
            Part::Union(Branch { draft, is_first, agree_on, visible, keys }) => {
                known.bind(draft.binds.iter().copied());
                // Types that hold on one side need not hold on the other.
                known.types.clear();
                let branch = order(draft, keys.iter().copied(), estimator, is_chosen)?;
                Stage::Union(Union { branch, is_first, agree_on, visible, keys })
            }
        });
    }
    Ok(Block { stages, shared: draft.shared, is_asked_once: false, number: 0 })
}

/// What earlier steps have settled.
#[derive(Debug)]
struct Known {
    bound: HashSet<Slot>,
    types: HashMap<Slot, TypeId>,
    rows: f64,
}

impl Known {
    fn new(bound: impl Iterator<Item = Slot>) -> Self {
        Known { bound: bound.collect(), types: HashMap::new(), rows: 1.0 }
    }

    fn bind(&mut self, slots: impl IntoIterator<Item = Slot>) {
        self.bound.extend(slots);
    }

    fn has(&self, slot: Slot) -> bool {
        self.bound.contains(&slot)
    }
}

/// How good it is to run an atom next: the lower, the better.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Cost {
    class: Class,
    rows: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// One element at the most, which is known.
    Grounded,
    /// It shares a variable with what is bound, or nothing is bound yet.
    Connected,
    /// It multiplies everything there is.
    Apart,
    /// A path from everywhere to everywhere: better after something has bound one of its ends.
    Everywhere,
}

/// The steps that run all of these.
fn steps(run: Run, known: &mut Known, estimator: &mut Estimator<'_>, is_chosen: bool) -> Result<Vec<Step>> {
    let Run { mut atoms, filters } = run;
    let mut ordering = Ordering { steps: Vec::new(), filters, known, estimator };
    loop {
        ordering.run_checks(&mut atoms);
        ordering.run_filters();
        let next = if is_chosen { ordering.best(&atoms)? } else { (!atoms.is_empty()).then_some(0) };
        let Some(next) = next else { break };
        let atom = atoms.remove(next);
        ordering.run(atom, &mut atoms)?;
    }
    Ok(ordering.steps)
}

struct Ordering<'a, 'v> {
    steps: Vec<Step>,
    filters: Vec<Arc<Filter>>,
    known: &'a mut Known,
    estimator: &'a mut Estimator<'v>,
}

impl Ordering<'_, '_> {
    /// What is asked of places that are bound costs next to nothing: at once.
    fn run_checks(&mut self, atoms: &mut Vec<Atom>) {
        let is_check = |atom: &mut Atom| matches!(atom, Atom::Element(atom) if self.known.has(atom.slot));
        let checks: Vec<Atom> = atoms.extract_if(.., is_check).collect();
        for atom in checks {
            if let Atom::Element(ElementAtom { slot, test }) = atom {
                self.learn(slot, &test);
                self.push(Work::Check { slot, tests: vec![test] }, self.known.rows);
            }
        }
    }

    fn run_filters(&mut self) {
        let is_ready = |filter: &mut Arc<Filter>| filter.slots().all(|slot| self.known.has(slot));
        let ready: Vec<Arc<Filter>> = self.filters.extract_if(.., is_ready).collect();
        for filter in ready {
            self.push(Work::Filter(filter), self.known.rows * KEPT_BY_FILTER);
        }
    }

    /// The atom to run next; of equals the one that was written first.
    fn best(&mut self, atoms: &[Atom]) -> Result<Option<usize>> {
        if atoms.len() < 2 {
            return Ok((!atoms.is_empty()).then_some(0));
        }
        let mut best: Option<(usize, Cost)> = None;
        for (at, atom) in atoms.iter().enumerate() {
            let cost = self.cost(atom, atoms)?;
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((at, cost));
            }
        }
        Ok(best.map(|(at, _)| at))
    }

    fn cost(&mut self, atom: &Atom, atoms: &[Atom]) -> Result<Cost> {
        match atom {
            Atom::Element(ElementAtom { test: Test::OneOf(cells), .. }) if cells.len() <= 1 => {
                Ok(Cost { class: Class::Grounded, rows: self.known.rows * cells.len() as f64 })
            }
            Atom::Element(ElementAtom { test, .. }) => {
                let count = match test {
                    Test::OneOf(cells) => cells.len() as f64,
                    Test::Type(kind) => self.estimator.concepts(*kind)?,
                };
                Ok(Cost { class: self.apart(), rows: self.known.rows * count })
            }
            Atom::Link(link) => self.link_cost(link, atoms),
            Atom::Path(path) => self.path_cost(path, atoms),
        }
    }

    fn link_cost(&mut self, atom: &LinkAtom, atoms: &[Atom]) -> Result<Cost> {
        let links = self.links(atom.predicates.named(), [&atom.subject, &atom.object], atoms)?;
        let is_bound = |end: &End| end.slot().is_some_and(|slot| self.known.has(slot));
        let rows = self.known.rows;
        if atom.link.is_some_and(|slot| self.known.has(slot)) {
            return Ok(Cost { class: Class::Connected, rows });
        }
        let (class, rows) = match (is_bound(&atom.subject), is_bound(&atom.object)) {
            (true, true) => (Class::Connected, rows * links.fitting / (links.subjects * links.objects)),
            (true, false) => (Class::Connected, rows * links.fitting / links.subjects),
            (false, true) => (Class::Connected, rows * links.fitting / links.objects),
            // All of them are read, whatever their ends are.
            (false, false) => (self.apart(), rows * links.total),
        };
        Ok(Cost { class, rows })
    }

    fn path_cost(&mut self, atom: &PathAtom, atoms: &[Atom]) -> Result<Cost> {
        let links = self.links(Some(&[atom.predicate]), [&atom.subject, &atom.object], atoms)?;
        let hops = i32::from(atom.most.unwrap_or(u16::MAX)).min(HOPS_THAT_MATTER);
        let is_bound = |end: &End| end.slot().is_some_and(|slot| self.known.has(slot));
        let reach = |from: f64, to: f64| (links.total / from).max(1.0).powi(hops).min(to);
        let rows = self.known.rows;
        let (class, rows) = match (is_bound(&atom.subject), is_bound(&atom.object)) {
            (true, true) => (Class::Connected, rows),
            (true, false) => (Class::Connected, rows * reach(links.subjects, links.objects)),
            (false, true) => (Class::Connected, rows * reach(links.objects, links.subjects)),
            (false, false) => {
                (Class::Everywhere, rows * links.subjects * reach(links.subjects, links.objects))
            }
        };
        Ok(Cost { class, rows })
    }

    /// The first pattern of all is connected to everything.
    fn apart(&self) -> Class {
        if self.known.bound.is_empty() { Class::Connected } else { Class::Apart }
    }

    fn links(
        &mut self,
        predicates: Option<&[PredicateId]>,
        ends: [&End; 2],
        atoms: &[Atom],
    ) -> Result<Links> {
        let [subject, object] = ends.map(|end| self.type_of(end, atoms));
        self.estimator.links(predicates, subject, object)
    }

    /// The type of an end, from what is settled or will be asked of it.
    fn type_of(&self, end: &End, atoms: &[Atom]) -> Option<TypeId> {
        let slot = match end {
            End::Any(Test::Type(kind)) => return Some(*kind),
            End::Any(Test::OneOf(_)) => return None,
            End::Slot(slot) => *slot,
        };
        let asked = atoms.iter().find_map(|atom| match atom {
            Atom::Element(ElementAtom { slot: own, test: Test::Type(kind) }) if *own == slot => Some(*kind),
            Atom::Element(_) | Atom::Link(_) | Atom::Path(_) => None,
        });
        self.known.types.get(&slot).copied().or(asked)
    }

    fn run(&mut self, atom: Atom, atoms: &mut Vec<Atom>) -> Result<()> {
        let slots = atom.slots();
        let mut rows = self.cost(&atom, atoms)?.rows;
        if let Atom::Link(link) = &atom
            && slots.iter().all(|slot| !self.known.has(*slot))
        {
            let links = self.links(link.predicates.named(), [&link.subject, &link.object], atoms)?;
            rows = self.known.rows * links.fitting;
        }
        let mut tests = TestsOf { atoms, types: &mut self.known.types };
        let bound = &self.known.bound;
        let is_bound = |slot| bound.contains(&slot);
        let work = match atom {
            Atom::Element(ElementAtom { slot, test }) => {
                let mut all = vec![test];
                all.extend(tests.take(slot));
                // Looking at what is named is cheaper than looking at all of a type.
                all.sort_by_key(|test| matches!(test, Test::Type(_)));
                Work::Elements(ElementStep { slot, tests: all, filters: Vec::new(), index: None })
            }
            Atom::Link(link) => Work::Links(LinkStep::new(link, is_bound, |slot| tests.take(slot))),
            Atom::Path(path) => Work::Path(PathStep::new(path, is_bound, |slot| tests.take(slot))),
        };
        self.known.bind(slots);
        self.push(work, rows);
        Ok(())
    }

    fn learn(&mut self, slot: Slot, test: &Test) {
        if let Test::Type(kind) = test {
            self.known.types.insert(slot, *kind);
        }
    }

    fn push(&mut self, work: Work, rows: f64) {
        self.known.rows = rows;
        self.steps.push(Step { work, estimate: rows, number: 0 });
    }
}

/// Takes what else is asked of a place out of the atoms that wait.
struct TestsOf<'a> {
    atoms: &'a mut Vec<Atom>,
    types: &'a mut HashMap<Slot, TypeId>,
}

impl TestsOf<'_> {
    fn take(&mut self, slot: Slot) -> Vec<Test> {
        let is_of = |atom: &mut Atom| matches!(atom, Atom::Element(atom) if atom.slot == slot);
        let taken: Vec<Atom> = self.atoms.extract_if(.., is_of).collect();
        let tests = taken.into_iter().filter_map(|atom| match atom {
            Atom::Element(atom) => Some(atom.test),
            Atom::Link(_) | Atom::Path(_) => None,
        });
        let tests: Vec<Test> = tests.collect();
        for test in &tests {
            if let Test::Type(kind) = test {
                self.types.insert(slot, *kind);
            }
        }
        tests
    }
}
