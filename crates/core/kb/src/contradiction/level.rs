//! Bounds that hold at one moment, ordered so that a new one finds those that it contradicts.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use super::bounds::{Bound, Form, Grid};
use super::limits::CONFLICT_CLAIMS_MAX;

/// Positions that one conflict may cover: its claims without a lower and an upper bound.
const RUN_MAX: usize = CONFLICT_CLAIMS_MAX - 2;

/// The place of a term.
pub(crate) type Place = u32;

/// Bounds on one line of values. Those that differ by polarity are kept apart, because two `forbid` never conflict:
/// `require` first, then `forbid`.
pub(crate) struct Level<K> {
    lower: [BTreeSet<(K, u8, Place)>; 2],
    upper: [BTreeSet<(K, u8, Place)>; 2],
    points: [BTreeSet<(K, Place)>; 2],
    holes: BTreeSet<(K, Place)>,
    holes_by_polarity: [BTreeSet<(K, Place)>; 2],
    /// Closed lower bounds that are no points.
    starts: BTreeSet<(K, Place)>,
    /// Closed upper bounds that are no points.
    ends: BTreeSet<(K, Place)>,
}

impl<K> Default for Level<K> {
    fn default() -> Self {
        Level {
            lower: Default::default(),
            upper: Default::default(),
            points: Default::default(),
            holes: BTreeSet::new(),
            holes_by_polarity: Default::default(),
            starts: BTreeSet::new(),
            ends: BTreeSet::new(),
        }
    }
}

impl<K: Grid> Level<K> {
    /// Adds a bound, or removes it.
    pub(crate) fn set(&mut self, place: Place, bound: &Bound<K>, forbid: bool, present: bool) {
        let side = usize::from(forbid);
        if let Some((at, rank)) = bound.floor() {
            put(&mut self.lower[side], (at, rank, place), present);
        }
        if let Some((at, rank)) = bound.ceiling() {
            put(&mut self.upper[side], (at, rank, place), present);
        }
        let entry = (bound.at, place);
        match bound.form {
            Form::Point => put(&mut self.points[side], entry, present),
            Form::Hole => {
                put(&mut self.holes, entry, present);
                put(&mut self.holes_by_polarity[side], entry, present);
            }
            Form::Lower if !bound.open => put(&mut self.starts, entry, present),
            Form::Upper if !bound.open => put(&mut self.ends, entry, present),
            Form::Lower | Form::Upper => {}
        }
    }

    /// Visits the bounds that contradict this one, unless both are `forbid`, until `visit` returns `false`.
    pub(crate) fn pairs(&self, bound: &Bound<K>, forbid: bool, visit: &mut dyn FnMut(Place) -> bool) -> bool {
        let sides = if forbid { 0..1 } else { 0..2 };
        for side in sides {
            if let Some((at, rank)) = bound.floor() {
                let below = self.upper[side].range(..(at, rank, 0));
                if !below.into_iter().all(|(.., place)| visit(*place)) {
                    return false;
                }
            }
            if let Some((at, rank)) = bound.ceiling() {
                let above = self.lower[side].range((Excluded((at, rank, Place::MAX)), Unbounded));
                if !above.into_iter().all(|(.., place)| visit(*place)) {
                    return false;
                }
            }
            let opposite = match bound.form {
                Form::Point => &self.holes_by_polarity[side],
                Form::Hole => &self.points[side],
                Form::Lower | Form::Upper => continue,
            };
            if !at(opposite, bound.at).all(&mut *visit) {
                return false;
            }
        }
        true
    }

    /// Visits the sets of three or more that this bound completes: a closed lower bound, a closed upper bound at or
    /// above it, and a hole at each position from one to the other. Returns `true` if longer sets are left out.
    pub(crate) fn runs(
        &self,
        place: Place,
        bound: &Bound<K>,
        visit: &mut dyn FnMut(&[Place]) -> bool,
    ) -> bool {
        let position = bound.at;
        let walked = match bound.form {
            Form::Lower | Form::Upper if bound.open => return false,
            Form::Point => return false,
            Form::Lower if self.hole(position) && self.ends_from(position) => (0, self.up(position)),
            Form::Upper if self.hole(position) && self.starts_to(position) => (self.down(position), 0),
            Form::Hole if self.ends_from(position) && self.starts_to(position) => {
                (self.down(position), self.up(position))
            }
            Form::Lower | Form::Upper | Form::Hole => return false,
        };
        let lows = walk(position, walked.0, K::before);
        let highs = walk(position, walked.1, K::after);
        for (below, low) in lows.iter().enumerate() {
            for (above, high) in highs.iter().enumerate() {
                if below + above >= RUN_MAX {
                    continue;
                }
                let starts = choices(place, bound.form == Form::Lower, &self.starts, *low);
                let ends = choices(place, bound.form == Form::Upper, &self.ends, *high);
                if starts.is_empty() || ends.is_empty() {
                    continue;
                }
                let mut columns = vec![starts, ends];
                for hole in lows[1..=below].iter().chain(&highs[..=above]) {
                    let own = bound.form == Form::Hole && *hole == position;
                    columns.push(choices(place, own, &self.holes, *hole));
                }
                if !product(&columns, visit) {
                    return false;
                }
            }
        }
        walked.0 + walked.1 >= RUN_MAX
    }

    fn hole(&self, position: K) -> bool {
        at(&self.holes, position).next().is_some()
    }

    fn ends_from(&self, position: K) -> bool {
        self.ends.range((position, 0)..).next().is_some()
    }

    fn starts_to(&self, position: K) -> bool {
        self.starts.range(..=(position, Place::MAX)).next().is_some()
    }

    /// The number of positions above this one that have holes without a gap, as far as upper bounds go.
    fn up(&self, from: K) -> usize {
        let last = self.ends.last().map(|(at, _)| *at);
        self.steps(from, K::after, |at| last.is_some_and(|last| at <= last))
    }

    /// The number of positions below this one that have holes without a gap, as far as lower bounds go.
    fn down(&self, from: K) -> usize {
        let first = self.starts.first().map(|(at, _)| *at);
        self.steps(from, K::before, |at| first.is_some_and(|first| at >= first))
    }

    fn steps(&self, from: K, step: fn(K) -> Option<K>, inside: impl Fn(K) -> bool) -> usize {
        let mut at = from;
        for count in 0..RUN_MAX {
            match step(at) {
                Some(next) if inside(next) && self.hole(next) => at = next,
                Some(_) | None => return count,
            }
        }
        RUN_MAX
    }
}

fn put<T: Ord>(set: &mut BTreeSet<T>, entry: T, present: bool) {
    if present {
        set.insert(entry);
    } else {
        set.remove(&entry);
    }
}

fn at<K: Grid>(set: &BTreeSet<(K, Place)>, position: K) -> impl Iterator<Item = Place> {
    set.range((position, 0)..=(position, Place::MAX)).map(|(_, place)| *place)
}

/// Positions from this one, `count` steps far.
fn walk<K: Grid>(from: K, count: usize, step: fn(K) -> Option<K>) -> Vec<K> {
    std::iter::successors(Some(from), |at| step(*at)).take(count + 1).collect()
}

/// The entries at a position, or the new one alone if it takes this part of the set.
fn choices<K: Grid>(place: Place, own: bool, set: &BTreeSet<(K, Place)>, position: K) -> Vec<Place> {
    if own { vec![place] } else { at(set, position).collect() }
}

/// Visits each choice of one entry per column, until `visit` returns `false`.
fn product(columns: &[Vec<Place>], visit: &mut dyn FnMut(&[Place]) -> bool) -> bool {
    let mut turn = vec![0_usize; columns.len()];
    loop {
        let set: Vec<Place> = columns.iter().zip(&turn).map(|(column, at)| column[*at]).collect();
        if !visit(&set) {
            return false;
        }
        let Some(next) = (0..columns.len()).rev().find(|at| turn[*at] + 1 < columns[*at].len()) else {
            return true;
        };
        turn[next] += 1;
        turn[next + 1..].fill(0);
    }
}
