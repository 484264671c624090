//! Bounds of a value, and the exact test of whether they leave one.

use std::collections::BTreeSet;

/// A position on a line of values.
pub(crate) trait Grid: Copy + Ord {
    /// The next position; `None` if there are always others in between.
    fn after(self) -> Option<Self>;
    /// The position before; `None` if there are always others in between.
    fn before(self) -> Option<Self>;
}

impl Grid for i128 {
    fn after(self) -> Option<Self> {
        self.checked_add(1)
    }

    fn before(self) -> Option<Self> {
        self.checked_sub(1)
    }
}

/// A form of restriction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// This value or above.
    Lower,
    /// This value or below.
    Upper,
    /// This value only.
    Point,
    /// Any other value.
    Hole,
}

/// One restriction of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound<K> {
    /// Its form.
    pub(crate) form: Form,
    /// Its value.
    pub(crate) at: K,
    /// Without the value itself, of a lower or an upper bound.
    pub(crate) open: bool,
}

/// A value and a rank: an open upper bound 0, a closed bound 1, an open lower bound 2. A lower and an upper bound
/// leave no value between them exactly if the cut of the lower one is greater.
pub(crate) type Cut<K> = (K, u8);

impl<K: Grid> Bound<K> {
    /// The cut that it puts below its values.
    pub(crate) fn floor(&self) -> Option<Cut<K>> {
        match self.form {
            Form::Lower | Form::Point => Some((self.at, if self.open { 2 } else { 1 })),
            Form::Upper | Form::Hole => None,
        }
    }

    /// The cut that it puts above its values.
    pub(crate) fn ceiling(&self) -> Option<Cut<K>> {
        match self.form {
            Form::Upper | Form::Point => Some((self.at, if self.open { 0 } else { 1 })),
            Form::Lower | Form::Hole => None,
        }
    }

    /// Whether no value satisfies both.
    pub(crate) fn contradicts(&self, other: &Self) -> bool {
        let crossed = |low: &Self, high: &Self| {
            low.floor().zip(high.ceiling()).is_some_and(|(floor, ceiling)| floor > ceiling)
        };
        let pierced = |point: &Self, hole: &Self| {
            point.form == Form::Point && hole.form == Form::Hole && point.at == hole.at
        };
        crossed(self, other) || crossed(other, self) || pierced(self, other) || pierced(other, self)
    }
}

/// Whether some value satisfies all bounds.
pub(crate) fn satisfiable<K: Grid>(bounds: impl Iterator<Item = Bound<K>> + Clone) -> bool {
    let floor = bounds.clone().filter_map(|bound| bound.floor()).max();
    let ceiling = bounds.clone().filter_map(|bound| bound.ceiling()).min();
    let (Some(floor), Some(ceiling)) = (floor, ceiling) else { return true };
    if floor > ceiling {
        return false;
    }
    let inside = floor.0..=ceiling.0;
    let holes: BTreeSet<K> = bounds
        .filter(|bound| bound.form == Form::Hole && inside.contains(&bound.at))
        .map(|bound| bound.at)
        .collect();
    let mut at = floor.0;
    while holes.contains(&at) {
        match at.after() {
            Some(next) if next <= ceiling.0 => at = next,
            Some(_) => return false,
            None => return floor.0 < ceiling.0,
        }
    }
    true
}
