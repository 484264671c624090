//! In which order things are answered.

use std::cmp::Ordering;

use cairn_base::Value;

use super::Cell;

/// What is sorted or grouped by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// A whole variable: by the ids of what it is bound to.
    Cell(Cell),
    /// A field or an aggregate: by its value.
    Value(Value),
}

impl Key {
    fn is_null(&self) -> bool {
        matches!(self, Key::Cell(Cell::Null) | Key::Value(Value::Null))
    }

    /// Ascending or descending, nulls last either way (decision 8).
    ///
    /// 1.5: truth values before numbers before texts before arrays before objects, which is the order of
    /// `Value`. Texts by their bytes (silent): times and other texts in one column have no common order else.
    pub(super) fn compare(&self, other: &Key, is_descending: bool) -> Ordering {
        match (self.is_null(), other.is_null()) {
            (false, false) if is_descending => other.cmp(self),
            (false, false) => self.cmp(other),
            (left, right) => left.cmp(&right),
        }
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Key::Cell(left), Key::Cell(right)) => left.cmp(right),
            (Key::Value(left), Key::Value(right)) => left.cmp(right),
            (Key::Cell(_), Key::Value(_)) | (Key::Value(_), Key::Cell(_)) => {
                unreachable!("one expression is always of one kind")
            }
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a row stands: by the sort keys, then by the ids of the projected variables in the order of the
/// expressions; groups by what they are grouped by (silent), which is the same for whole variables.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Sort keys, and whether the greatest comes first.
    pub(super) sorted: Vec<(Key, bool)>,
    pub(super) identity: Vec<Key>,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        let sorted = self.sorted.iter().zip(&other.sorted);
        let sorted = sorted.map(|((left, is_descending), (right, _))| left.compare(right, *is_descending));
        let identity = self.identity.iter().zip(&other.identity);
        let identity = identity.map(|(left, right)| left.compare(right, false));
        sorted.chain(identity).fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
