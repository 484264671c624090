//! Why a request did not get through.

use cairn_base::ErrorCode;
use cairn_engine::EngineError;

use crate::{GateCode, Reached};

/// Situations a surface tells its client.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// As many requests run and wait as may; this one was not begun.
    #[error("too many requests are being worked on; try again in {retry_after_s} s")]
    Overloaded {
        /// When to come back, in seconds.
        retry_after_s: u32,
    },
    /// The caller, or its tenant, has asked for as much as it may; this request was not begun.
    #[error("{reached}; try again in {retry_after_s} s")]
    TooManyRequests {
        /// The limit that holds longest.
        reached: Reached,
        /// When to come back, in seconds: then the same request is within its limits, if nothing else comes
        /// in between.
        retry_after_s: u32,
    },
    /// The node is going down; this request was not begun.
    #[error("the node is shutting down; try again when it is back")]
    Unavailable,
    /// A read did not finish in time.
    #[error("the request was not done within its deadline; ask for less at once")]
    ReadDeadline,
    /// A write did not finish in time.
    #[error(
        "the write was not done within its deadline and its outcome is not known; look before trying again"
    )]
    WriteDeadline,
    /// A closure panicked, or its outcome got lost.
    #[error("the request failed inside: {message}")]
    Internal {
        /// What is known of it.
        message: String,
    },
    /// The engine did not do it.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl GateError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            GateError::Overloaded { .. } => ErrorCode::Overloaded,
            GateError::TooManyRequests { .. } => GateCode::TooManyRequests,
            GateError::Unavailable => ErrorCode::Unavailable,
            GateError::ReadDeadline | GateError::WriteDeadline => ErrorCode::DeadlineExceeded,
            GateError::Internal { .. } => ErrorCode::Internal,
            GateError::Engine(error) => error.code(),
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            GateError::Engine(error) => error.hint(),
            GateError::Overloaded { .. }
            | GateError::TooManyRequests { .. }
            | GateError::Unavailable
            | GateError::ReadDeadline
            | GateError::WriteDeadline
            | GateError::Internal { .. } => self.code().hint(),
        }
    }

    /// When to come back, in seconds, where coming back helps.
    pub fn retry_after_s(&self) -> Option<u32> {
        match self {
            GateError::Overloaded { retry_after_s } | GateError::TooManyRequests { retry_after_s, .. } => {
                Some(*retry_after_s)
            }
            GateError::Unavailable => Some(crate::gate::RETRY_AFTER_S),
            GateError::ReadDeadline | GateError::WriteDeadline | GateError::Internal { .. } => None,
            GateError::Engine(error) => {
                let later = error.code().retry() == cairn_base::Retry::Later;
                later.then_some(crate::gate::RETRY_AFTER_S)
            }
        }
    }
}
