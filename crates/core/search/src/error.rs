//! What can go wrong.

use cairn_base::{ErrorCode, limits};

/// Why a search or a change of the index failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query cannot be used.
    #[error(transparent)]
    Query(#[from] crate::query::QueryError),
    /// A prefix stands for too many words.
    #[error("{prefix} stands for more than {max} words; type more letters of it")]
    PrefixTooShort {
        /// As it was written.
        prefix: String,
        /// How many it may stand for.
        max: usize,
    },
    /// More tags are demanded than can be looked for at once.
    #[error("{tags} tags are demanded, and {} are looked for at once; demand fewer", limits::SEARCH_TAGS_MAX)]
    TooManyTags {
        /// How many.
        tags: usize,
    },
    /// There is no collection of this number.
    #[error("there is no collection {0}")]
    NoCollection(u8),
    /// The files of the index cannot be used: it has to be made again.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// The files of the index could not be read or written.
    #[error("the search index could not be read or written: {0}")]
    Io(#[from] std::io::Error),
}

impl SearchError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            SearchError::Query(error) => error.code(),
            SearchError::PrefixTooShort { .. } | SearchError::TooManyTags { .. } => ErrorCode::InvalidRequest,
            SearchError::NoCollection(_) => ErrorCode::Internal,
            SearchError::Damaged(_) | SearchError::Io(_) => ErrorCode::SearchNotReady,
        }
    }
}

impl From<tantivy::TantivyError> for SearchError {
    fn from(error: tantivy::TantivyError) -> Self {
        SearchError::Damaged(error.to_string())
    }
}
