//! A place in the history of a store.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in the history of a store.
///
/// Positions of one store are totally ordered: a later commit has a greater one. They mean nothing else.
/// The distance between two positions says nothing about time, commits or bytes, so there is no
/// subtraction; a store may advance by any stride. Count commits where commits are meant.
///
/// [`to_stored`](Position::to_stored) and [`from_stored`](Position::from_stored) are the stored and the wire
/// form. Only stores, records and wire tokens use them, and they neither add to that number nor subtract
/// from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Position(u64);

impl Position {
    /// Before everything.
    pub const START: Position = Position(0);

    /// The position with this stored form.
    pub const fn from_stored(stored: u64) -> Self {
        Position(stored)
    }

    /// The stored form, which orders as the position does.
    pub const fn to_stored(self) -> u64 {
        self.0
    }

    /// The bound just before this position: changes after it begin with this position itself.
    ///
    /// A bound, and not necessarily the position of a commit.
    #[must_use]
    pub const fn just_before(self) -> Self {
        Position(self.0.saturating_sub(1))
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_forms_lead_back_and_order_alike() {
        let all = [0, 1, 2, 255, 256, u64::MAX - 1, u64::MAX];
        for (at, left) in all.into_iter().enumerate() {
            let position = Position::from_stored(left);
            assert_eq!((position.to_stored(), position.to_string()), (left, left.to_string()));
            for right in &all[at + 1..] {
                let later = Position::from_stored(*right);
                assert!(position < later && position <= later.just_before(), "{position} and {later}");
            }
        }
        assert_eq!(Position::START.just_before(), Position::START);
    }
}
