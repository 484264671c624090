//! What a query means.

use std::cmp::Ordering;

use crate::metadata::Indexed;
use crate::times::Span;

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
    /// It is one of these contexts, the newest first and each once: made by [`Test::id`].
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

impl Test {
    /// It is one of these contexts.
    pub(super) fn id(mut ids: Vec<u64>) -> Self {
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        Test::Id(ids)
    }
}

impl Expression {
    /// The span in which every context was made of which it holds, if it says something of that.
    pub(super) fn made(&self) -> Option<Span> {
        match self {
            Expression::All(parts) => parts.iter().filter_map(Expression::made).reduce(Span::and),
            Expression::Test(Test::Created(compare, ms)) => Some(compare.span(*ms)),
            Expression::Test(
                Test::Text(..) | Test::Context(..) | Test::Id(_) | Test::Depth(..) | Test::IsLive(_),
            )
            | Expression::Any(_)
            | Expression::Not(_) => None,
        }
    }
}

impl Compare {
    /// The numbers of which it holds.
    fn span(self, number: i64) -> Span {
        let (low, high) = match self {
            Compare::Equal => (number, number),
            // At the ends this takes in one number too many, which is only looked at in vain.
            Compare::Less => (i64::MIN, number.saturating_sub(1)),
            Compare::LessOrEqual => (i64::MIN, number),
            Compare::Greater => (number.saturating_add(1), i64::MAX),
            Compare::GreaterOrEqual => (number, i64::MAX),
        };
        Span { low, high }
    }

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
