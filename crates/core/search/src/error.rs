//! What can go wrong.

use cairn_base::ErrorCode;

use crate::directory::{IndexFileError, index_file_error};
use crate::{SearchCode, limits};

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
    /// The files of the index cannot be used: it has to be rebuilt.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// The files of the index could not be read or written.
    #[error("the search index could not be read or written: {0}")]
    Io(std::io::Error),
}

impl SearchError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            SearchError::Query(error) => error.code(),
            SearchError::PrefixTooShort { .. } | SearchError::TooManyTags { .. } => ErrorCode::InvalidRequest,
            SearchError::NoCollection(_) => ErrorCode::Internal,
            SearchError::Damaged(_) | SearchError::Io(_) => SearchCode::SearchNotReady,
        }
    }
}

impl From<IndexFileError> for SearchError {
    fn from(error: IndexFileError) -> Self {
        SearchError::Damaged(error.to_string())
    }
}

impl From<std::io::Error> for SearchError {
    fn from(error: std::io::Error) -> Self {
        match IndexFileError::in_io(&error) {
            Some(damage) => SearchError::Damaged(damage.to_string()),
            None => SearchError::Io(error),
        }
    }
}

impl From<tantivy::TantivyError> for SearchError {
    fn from(error: tantivy::TantivyError) -> Self {
        let damage = index_file_error(&error).map(ToString::to_string);
        SearchError::Damaged(damage.unwrap_or_else(|| error.to_string()))
    }
}
