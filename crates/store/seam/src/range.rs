//! Ranges of keys, and how a scan goes on.

use std::ops::Bound;

use cairn_base::prefix_end;

/// Which way a range is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Smallest key first.
    #[default]
    Ascending,
    /// Largest key first.
    Descending,
}

/// A range of keys inside one keyspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// Lower bound in key order, whichever way the range is walked.
    pub low: Bound<Vec<u8>>,
    /// Upper bound in key order, whichever way the range is walked.
    pub high: Bound<Vec<u8>>,
    /// Which way to walk.
    pub order: Order,
    /// At most this many keys.
    pub limit: usize,
}

impl KeyRange {
    /// Every key between two bounds, ascending.
    pub fn new(low: Bound<Vec<u8>>, high: Bound<Vec<u8>>) -> Self {
        KeyRange { low, high, order: Order::Ascending, limit: usize::MAX }
    }

    /// Every key that starts with `prefix`, ascending.
    pub fn prefix(prefix: &[u8]) -> Self {
        let high = prefix_end(prefix).map_or(Bound::Unbounded, Bound::Excluded);
        KeyRange::new(Bound::Included(prefix.to_vec()), high)
    }

    /// The same range, largest key first.
    #[must_use]
    pub fn descending(self) -> Self {
        KeyRange { order: Order::Descending, ..self }
    }

    /// The same range, ended after `limit` keys.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        KeyRange { limit, ..self }
    }

    /// The bounds, borrowed.
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.low.as_ref().map(Vec::as_slice), self.high.as_ref().map(Vec::as_slice))
    }

    /// Whether no key can be inside, which some ordered maps refuse to be asked for.
    pub fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(low), Bound::Included(high)) => low > high,
            (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
                low >= high
            }
        }
    }
}

/// What a visitor says after each key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visit {
    /// Go on.
    Continue,
    /// Enough of this range; go on with the next.
    NextRange,
    /// Enough of everything.
    Stop,
}
