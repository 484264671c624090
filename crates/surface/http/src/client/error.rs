//! Why calls fail.

use std::time::Duration;

use cairn_base::ErrorCode;
use cairn_wire::error::ErrorContent;

use crate::error_codes;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The other side went away before it answered: it did not begin, or did not live to tell.
    #[error("the server went away before it answered: {cause}")]
    Unanswered {
        /// What the connection said.
        cause: String,
    },
    /// The other side went away in the middle of its answer.
    #[error("the server went away before it was done: {cause}")]
    Cut {
        /// What the connection said.
        cause: String,
    },
    /// The other side is there and says nothing.
    #[error("the server did not answer within {} s", .after.as_secs())]
    Silent {
        /// How long was waited.
        after: Duration,
    },
    /// The other side answered with an error.
    #[error("{message}")]
    Refused {
        /// Its code, if this version knows it.
        code: Option<ErrorCode>,
        /// What went wrong.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// The other side answered something else than was expected.
    #[error("the server's answer makes no sense: {detail}")]
    NotUnderstood {
        /// What is wrong with it.
        detail: String,
    },
    /// A text cannot be sent in a header.
    #[error("{what} has characters that cannot be sent; use letters, digits and signs")]
    Unsendable {
        /// Which one.
        what: &'static str,
    },
    /// A path cannot be sent.
    #[error("the path {path} is not valid UTF-8 and cannot be sent; name another one")]
    Path {
        /// The path, as far as it is text.
        path: String,
    },
}

impl From<ErrorContent> for ClientError {
    fn from(error: ErrorContent) -> Self {
        ClientError::Refused {
            code: error_codes().find(|code| code.name() == error.code),
            hint: error.hint().map(str::to_owned),
            message: error.message,
        }
    }
}

pub(super) fn unanswered(error: &hyper::Error) -> ClientError {
    ClientError::Unanswered { cause: error.to_string() }
}

pub(super) fn not_understood(detail: &dyn std::fmt::Display) -> ClientError {
    ClientError::NotUnderstood { detail: detail.to_string() }
}
