//! Why JSON has no canonical form here.

use crate::{ErrorCode, ValueError, limits};

/// There is no canonical form of the text that everybody would agree on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// It is not JSON, or JSON that two readers may understand in two ways.
    #[error(transparent)]
    Json(#[from] ValueError),
    /// It is too long.
    #[error(
        "{bytes} bytes of JSON are more than the {} that can be signed; send content apart from it",
        limits::CANONICAL_JSON_BYTES_MAX
    )]
    TooLong {
        /// How long.
        bytes: usize,
    },
    /// It is JSON, and no object.
    #[error("expected a JSON object; send one in curly brackets")]
    NotAnObject,
}

impl CanonicalError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            CanonicalError::Json(error) => error.code(),
            CanonicalError::TooLong { .. } => ErrorCode::TooLarge,
            CanonicalError::NotAnObject => ErrorCode::InvalidRequest,
        }
    }
}
