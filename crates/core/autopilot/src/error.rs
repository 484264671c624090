//! Errors of autopilot.

use cairn_base::ErrorCode;

/// Situations a caller can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AutopilotError {
    /// A field of the request is invalid.
    #[error("{field}: {message}; {hint}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// The problem.
        message: String,
        /// A way to correct it.
        hint: &'static str,
    },
}

impl AutopilotError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            AutopilotError::Invalid { .. } => ErrorCode::InvalidRequest,
        }
    }
}
