//! What is wrong with a query, and where.

use std::fmt;

/// Why a query is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What sort of mistake it is.
    pub kind: QueryErrorKind,
    /// What is wrong, for people.
    pub message: String,
    /// Where it is wrong.
    pub at: Place,
    /// The field that it is about.
    pub field: Option<String>,
}

/// What sort of mistake it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// The text does not follow the grammar, or is too long or too deep.
    Syntax,
    /// There is no such field.
    UnknownField,
    /// The field cannot be compared that way.
    InvalidOperator,
    /// The field cannot be compared with that.
    InvalidValue,
}

impl fmt::Display for QueryErrorKind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            QueryErrorKind::Syntax => "SyntaxError",
            QueryErrorKind::UnknownField => "UnknownField",
            QueryErrorKind::InvalidOperator => "InvalidOperator",
            QueryErrorKind::InvalidValue => "InvalidValue",
        })
    }
}

/// A place in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1 on.
    pub line: usize,
    /// The character of the line, from 1 on.
    pub column: usize,
    /// The byte of the whole text, from 0 on.
    pub offset: usize,
}

impl Place {
    /// Where a byte of a text is.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let in_line = before.rsplit('\n').next().unwrap_or_default();
        Place {
            line: before.matches('\n').count() + 1,
            column: in_line.chars().count() + 1,
            offset: before.len(),
        }
    }
}
