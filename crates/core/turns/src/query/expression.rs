//! What a query means.

use std::cmp::Ordering;

use crate::metadata::Indexed;

/// Holds or does not hold of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// All of these hold; with none of them, always.
    All(Vec<Expression>),
    /// At least one holds.
    Any(Vec<Expression>),
    /// This does not hold.
    Not(Box<Expression>),
    /// One comparison.
    Test(Test),
}

/// One comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Test {
    Text(Indexed, TextTest),
    /// The field names one of these contexts.
    Context(Indexed, Vec<u64>),
    /// It is one of these contexts.
    Id(Vec<u64>),
    /// In Unix milliseconds.
    Created(Compare, i64),
    Depth(Compare, i64),
    IsLive(bool),
}

/// How a text is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextTest {
    AnyOf(Vec<String>),
    Prefix(String),
    /// The same, whatever the case of letters.
    SameLetters(String),
    PrefixOfLetters(String),
}

/// How numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compare {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Compare {
    /// Whether it holds of a number that compares like this with the one of the query.
    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Compare::Equal => order.is_eq(),
            Compare::Less => order.is_lt(),
            Compare::LessOrEqual => order.is_le(),
            Compare::Greater => order.is_gt(),
            Compare::GreaterOrEqual => order.is_ge(),
        }
    }
}
