//! The search through the claims of one domain: scope by scope, and moment by moment.

use std::collections::BTreeMap;

use super::bounds::{Bound, Grid, satisfiable};
use super::level::{Level, Place};
use super::limits::{CONFLICT_STEPS_MAX, CONFLICTS_PER_GROUP_MAX};
use super::term::{Point, Term};

/// A smallest set of terms that cannot hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Places of its claims among the claims of the group, ascending.
    pub(crate) holders: Vec<usize>,
    /// Whether it holds over the numbers and only fails over the integers.
    pub(crate) integers: bool,
}

/// Conflicts of one group as they are found, and the work done so far.
#[derive(Debug, Default)]
pub(crate) struct Catch {
    /// The conflicts.
    pub(crate) found: Vec<Found>,
    /// Whether some may be missing.
    pub(crate) cut: bool,
    steps: usize,
}

impl Catch {
    /// Counts work; `false` if the search must end.
    fn work(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        self.cut |= self.steps > CONFLICT_STEPS_MAX;
        self.steps <= CONFLICT_STEPS_MAX
    }

    /// Takes a set if it counts: a `require`, a wanted claim, and a claim of this scope. `false` if the search must
    /// end.
    fn offer(&mut self, terms: &[Term<'_>], scope: &str, set: &[Place], integers: bool) -> bool {
        let members = || set.iter().map(|place| &terms[*place as usize]);
        let counts = members().any(|term| !term.forbid)
            && members().any(|term| term.wanted)
            && members().any(|term| term.scope == scope);
        if counts {
            if self.found.len() == CONFLICTS_PER_GROUP_MAX {
                self.cut = true;
                return false;
            }
            let mut holders: Vec<usize> = members().map(|term| term.holder).collect();
            holders.sort_unstable();
            self.found.push(Found { holders, integers });
        }
        self.work(set.len())
    }
}

/// Finds the conflicts among the terms of one domain.
pub(crate) fn search(terms: &[Term<'_>], catch: &mut Catch) {
    if terms.len() < 2 || !catch.work(terms.len()) || holds(terms.iter()) {
        return;
    }
    let mut scopes: BTreeMap<&str, Vec<Place>> = BTreeMap::from([("", Vec::new())]);
    for (place, term) in (0..).zip(terms) {
        scopes.entry(term.scope).or_default().push(place);
    }
    let everywhere = scopes[""].clone();
    for (scope, mut members) in scopes {
        if !scope.is_empty() {
            members.extend(&everywhere);
        }
        if !catch.work(members.len()) {
            return;
        }
        if !holds(members.iter().map(|place| &terms[*place as usize])) {
            Sweep::new(terms, scope).run(members, catch);
        }
    }
}

/// Whether all terms hold together, whatever their scopes and windows.
pub(crate) fn holds<'t, 'a: 't>(terms: impl Iterator<Item = &'t Term<'a>> + Clone) -> bool {
    let mut units: Vec<u64> = terms.clone().filter_map(|term| Some(term.whole?.ratio)).collect();
    units.sort_unstable();
    units.dedup();
    satisfiable(terms.clone().map(Term::bound))
        && units.into_iter().all(|ratio| {
            let wholes = terms.clone().filter_map(|term| term.whole);
            satisfiable(wholes.filter(|whole| whole.ratio == ratio).map(|whole| whole.bound))
        })
}

/// Terms that hold at one moment.
#[derive(Default)]
struct Active<'t, 'a> {
    values: Level<&'t Point<'a>>,
    integers: BTreeMap<u64, Level<i128>>,
}

impl<'t, 'a> Active<'t, 'a> {
    fn set(&mut self, place: Place, term: &'t Term<'a>, present: bool) {
        self.values.set(place, &term.bound(), term.forbid, present);
        if let Some(whole) = term.whole {
            let level = self.integers.entry(whole.ratio).or_default();
            level.set(place, &whole.bound, term.forbid, present);
        }
    }
}

/// A walk through the terms of one scope in the order in which they begin to hold. Of the terms that share a moment
/// one begins last, and meets all others then.
struct Sweep<'t, 'a> {
    terms: &'t [Term<'a>],
    scope: &'t str,
    all: Active<'t, 'a>,
    /// Wanted terms alone: what a term that is not wanted can conflict with.
    wanted: Active<'t, 'a>,
}

impl<'t, 'a> Sweep<'t, 'a> {
    fn new(terms: &'t [Term<'a>], scope: &'t str) -> Self {
        Sweep { terms, scope, all: Active::default(), wanted: Active::default() }
    }

    fn run(&mut self, members: Vec<Place>, catch: &mut Catch) {
        let terms = self.terms;
        let term = |place: Place| &terms[place as usize];
        let mut starting = members;
        starting.sort_unstable_by_key(|place| (term(*place).from, *place));
        let mut ending: Vec<Place> =
            starting.iter().copied().filter(|place| !term(*place).to.is_empty()).collect();
        ending.sort_unstable_by_key(|place| (term(*place).to, *place));
        let mut ending = ending.into_iter().peekable();
        for place in starting {
            while let Some(over) = ending.next_if(|over| term(*over).to < term(place).from) {
                self.set(over, false);
            }
            if !catch.work(1) || !self.meet(place, catch) {
                return;
            }
            self.set(place, true);
        }
    }

    fn set(&mut self, place: Place, present: bool) {
        let term = &self.terms[place as usize];
        self.all.set(place, term, present);
        if term.wanted {
            self.wanted.set(place, term, present);
        }
    }

    /// Finds the conflicts of a term with those that hold; `false` if the search must end.
    fn meet(&self, place: Place, catch: &mut Catch) -> bool {
        let term = &self.terms[place as usize];
        self.pairs(place, term, catch)
            && self.sets(place, &term.bound(), &self.all.values, catch, |set| {
                !set.iter().all(|other| self.terms[*other as usize].shares_integers(term))
            })
            && term.whole.is_none_or(|whole| {
                let level = self.all.integers.get(&whole.ratio);
                level.is_none_or(|level| self.sets(place, &whole.bound, level, catch, |_| true))
            })
    }

    fn pairs(&self, place: Place, term: &Term<'a>, catch: &mut Catch) -> bool {
        let others = if term.wanted { &self.all } else { &self.wanted };
        let (terms, scope) = (self.terms, self.scope);
        others.values.pairs(&term.bound(), term.forbid, &mut |other| {
            // Integers of one unit meet below.
            if terms[other as usize].shares_integers(term) {
                return catch.work(1);
            }
            catch.offer(terms, scope, &[place, other], false)
        }) && term.whole.is_none_or(|whole| {
            let Some(level) = others.integers.get(&whole.ratio) else { return true };
            level.pairs(&whole.bound, term.forbid, &mut |other| {
                let integers = !terms[other as usize].bound().contradicts(&term.bound());
                catch.offer(terms, scope, &[place, other], integers)
            })
        })
    }

    fn sets<K: Grid>(
        &self,
        place: Place,
        bound: &Bound<K>,
        level: &Level<K>,
        catch: &mut Catch,
        counts: impl Fn(&[Place]) -> bool,
    ) -> bool {
        let mut more = true;
        let longer = level.runs(place, bound, &mut |set| {
            more = if counts(set) {
                let bounds = set.iter().map(|place| self.terms[*place as usize].bound());
                catch.offer(self.terms, self.scope, set, satisfiable(bounds))
            } else {
                catch.work(set.len())
            };
            more
        });
        catch.cut |= longer;
        more
    }
}
