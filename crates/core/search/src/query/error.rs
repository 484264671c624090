//! What can be wrong with a query.

use cairn_base::ErrorCode;

/// Why a query is not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is longer than queries may be.
    #[error("the query has {bytes} bytes, at most {max} are read: ask for fewer words")]
    TooLong {
        /// Its bytes.
        bytes: usize,
        /// How many there may be.
        max: usize,
    },
    /// There is no word in it.
    #[error("the query has no words: name at least one")]
    Empty,
    /// Too many parts of it have to match, or must not, or are phrases.
    #[error("the query has more than {max} clauses with +, - or quotes: ask for fewer at once")]
    TooManyClauses {
        /// How many there may be.
        max: usize,
    },
}

impl QueryError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            QueryError::TooLong { .. } => ErrorCode::TooLarge,
            QueryError::Empty | QueryError::TooManyClauses { .. } => ErrorCode::InvalidRequest,
        }
    }
}
