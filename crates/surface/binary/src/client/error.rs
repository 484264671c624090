//! Why a call has no answer.

use std::io;
use std::time::Duration;

use cairn_access::AccessCode;
use cairn_base::ErrorCode;
use cairn_seam::StoreCode;
use cairn_tls::TlsError;

use crate::error::{ErrorAnswer, WireError};
use crate::limits;

/// Why a call was not done, or why that is not known.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no connection to be had.
    #[error("cannot connect to {addr}: {source}; is the server running there?")]
    Connect {
        /// Where the server should be.
        addr: String,
        /// What the system says.
        source: io::Error,
    },
    /// The server did not prove that it is the one that was meant. Nothing was sent.
    #[error("{addr} is not trusted: {reason}; are these its roots and its name?")]
    Untrusted {
        /// Where the server is.
        addr: String,
        /// What is wrong with its certificate.
        reason: io::Error,
    },
    /// The configuration of TLS is of no use. Nothing was sent.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Lost(#[source] io::Error),
    /// There was no answer in time. A write may have been done: send it again with the same key.
    #[error("no answer within {after:?}")]
    TimedOut {
        /// How long it was waited for.
        after: Duration,
    },
    /// Other calls had all connections all of the time. Nothing was sent.
    #[error("no connection was free for {after:?}; allow more connections or make fewer calls at once")]
    Busy {
        /// How long it was waited for.
        after: Duration,
    },
    /// The request was sent, and what became of it is not known. Look before sending it again.
    #[error("the context may have been made or not: {reason}")]
    OutcomeUnknown {
        /// Why there is no answer.
        #[source]
        reason: Box<ClientError>,
    },
    /// The server did not do it.
    #[error("{message} ({code} {name}): {hint}")]
    Server {
        /// The number of the error.
        code: u32,
        /// Its name.
        name: String,
        /// What is wrong.
        message: String,
        /// What to do next.
        hint: String,
    },
    /// The answer is not what it should be. The connection was closed.
    #[error("the server's answer makes no sense: {0}")]
    Malformed(#[from] WireError),
    /// The answer is to another request. The connection was closed.
    #[error("the server answered request {found} with message type {kind}, and {asked} was asked")]
    WrongAnswer {
        /// The request id that was sent.
        asked: u64,
        /// The request id that came back.
        found: u64,
        /// The message type that came back.
        kind: u16,
    },
    /// The answer is over the limit. The connection was closed before anything of it was read.
    #[error("the answer has {bytes} bytes, more than {max}", max = limits::BINARY_FRAME_BYTES_MAX)]
    AnswerTooLarge {
        /// Its length.
        bytes: u32,
    },
    /// Something is too long to be sent. Nothing was.
    #[error("the {what} has {bytes} bytes, more than {max}")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its length.
        bytes: usize,
        /// What is allowed.
        max: usize,
    },
}

impl ClientError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            ClientError::Connect { .. } | ClientError::Lost(_) => ErrorCode::Unavailable,
            ClientError::Untrusted { .. } => AccessCode::Unauthenticated,
            ClientError::Tls(_) => ErrorCode::InvalidRequest,
            ClientError::TimedOut { .. } => ErrorCode::DeadlineExceeded,
            ClientError::Busy { .. } => ErrorCode::Overloaded,
            ClientError::OutcomeUnknown { .. } => StoreCode::OutcomeUnknown,
            ClientError::Server { code, name, .. } => ErrorAnswer::row_of(*code, name),
            ClientError::Malformed(_)
            | ClientError::WrongAnswer { .. }
            | ClientError::AnswerTooLarge { .. } => ErrorCode::Internal,
            ClientError::TooLarge { .. } => ErrorCode::TooLarge,
        }
    }

    pub(crate) fn check_size(what: &'static str, bytes: usize, max: usize) -> Result<(), Self> {
        if bytes <= max { Ok(()) } else { Err(ClientError::TooLarge { what, bytes, max }) }
    }
}

impl From<ErrorAnswer> for ClientError {
    fn from(answer: ErrorAnswer) -> Self {
        let ErrorAnswer { code, name, message, hint } = answer;
        ClientError::Server { code, name, message, hint }
    }
}
