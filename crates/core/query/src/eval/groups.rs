//! Rows by what they have at a place.

use crate::rows::Rows;
use crate::{Budget, Result, cell::Cell};

/// Keys in their order, each with its rows.
pub(super) struct Groups<K> {
    pub(super) keys: Vec<K>,
    /// Where the rows of each key begin.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl<K: Copy + Ord> Groups<K> {
    /// Rows that have no key match nothing, and are left out.
    pub(super) fn of(
        rows: &Rows,
        budget: &mut Budget<'_>,
        key: impl Fn(&[Cell]) -> Option<K>,
    ) -> Result<Self> {
        let mut pairs: Vec<(K, u32)> = Vec::with_capacity(rows.len());
        for (at, row) in (0..).zip(rows.iter()) {
            budget.step()?;
            pairs.extend(key(row).map(|key| (key, at)));
        }
        pairs.sort_unstable();
        let mut groups =
            Groups { keys: Vec::new(), starts: Vec::new(), rows: Vec::with_capacity(pairs.len()) };
        for (at, (key, row)) in (0..).zip(pairs) {
            if groups.keys.last() != Some(&key) {
                groups.keys.push(key);
                groups.starts.push(at);
            }
            groups.rows.push(row);
        }
        Ok(groups)
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The rows of the nth key.
    pub(super) fn rows(&self, nth: usize) -> &[u32] {
        let end = self.starts.get(nth + 1).map_or(self.rows.len(), |end| *end as usize);
        &self.rows[self.starts[nth] as usize..end]
    }

    /// Which key it is, if it is one.
    pub(super) fn find(&self, key: K) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }
}
