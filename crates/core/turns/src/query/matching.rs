//! Whether an expression holds of a context.

use super::expression::{Expression, Test, TextTest};
use crate::context::Context;
use crate::metadata::Metadata;

/// Says of a context whether somebody works on it now.
pub type IsLive<'a> = &'a dyn Fn(cairn_base::ContextId) -> bool;

impl Expression {
    /// Whether it holds of a context.
    pub(super) fn holds(&self, context: &Context, metadata: &Metadata, is_live: IsLive<'_>) -> bool {
        match self {
            Expression::All(parts) => parts.iter().all(|part| part.holds(context, metadata, is_live)),
            Expression::Any(parts) => parts.iter().any(|part| part.holds(context, metadata, is_live)),
            Expression::Not(part) => !part.holds(context, metadata, is_live),
            Expression::Test(test) => test.holds(context, metadata, is_live),
        }
    }

    /// Whether it cannot be answered without the metadata.
    pub(super) fn needs_metadata(&self) -> bool {
        match self {
            Expression::All(parts) | Expression::Any(parts) => parts.iter().any(Expression::needs_metadata),
            Expression::Not(part) => part.needs_metadata(),
            Expression::Test(Test::Text(..) | Test::Context(..)) => true,
            Expression::Test(Test::Id(_) | Test::Created(..) | Test::Depth(..) | Test::IsLive(_)) => false,
        }
    }
}

impl Test {
    fn holds(&self, context: &Context, metadata: &Metadata, is_live: IsLive<'_>) -> bool {
        match self {
            Test::Text(field, test) => metadata.texts(*field).any(|text| test.holds(text)),
            Test::Context(field, ids) => metadata.context(*field).is_some_and(|id| ids.contains(&id.0)),
            Test::Id(ids) => ids.binary_search_by(|id| context.id.0.cmp(id)).is_ok(),
            Test::Created(compare, ms) => {
                compare.holds(i128::from(context.created_at_ms).cmp(&i128::from(*ms)))
            }
            Test::Depth(compare, depth) => compare.holds(i64::from(context.head_depth).cmp(depth)),
            Test::IsLive(wanted) => is_live(context.id) == *wanted,
        }
    }
}

impl TextTest {
    fn holds(&self, text: &str) -> bool {
        match self {
            TextTest::AnyOf(texts) => texts.iter().any(|known| known == text),
            TextTest::Prefix(prefix) => text.starts_with(prefix.as_str()),
            TextTest::SameLetters(same) => letters(text).eq(letters(same)),
            TextTest::PrefixOfLetters(prefix) => {
                let mut text = letters(text);
                letters(prefix).all(|letter| text.next() == Some(letter))
            }
        }
    }
}

/// A text without its case, letter by letter: what follows a letter never changes it.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase)
}
