//! Random choices.

use proptest::prelude::*;
use proptest::test_runner::TestRng;

/// Decides everything about a case, out of the seed that proptest prints.
pub(crate) struct Dice<'a>(pub(crate) &'a mut TestRng);

impl Dice<'_> {
    /// A number below this one.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.0.next_u64() % count as u64).unwrap()
    }

    /// True so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub(crate) fn one<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// One of these, as often as its weight says.
    pub(crate) fn weighted<T: Clone>(&mut self, items: &[(usize, T)]) -> T {
        let mut at = self.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return item.clone(),
            }
        }
        unreachable!("the weights have a sum above {at}")
    }
}
