//! Reasons why a remote query was not run, or gave nothing.

use cairn_base::ErrorCode;

use super::SparqlCode;
use crate::limits;

/// Situations a caller of remote SPARQL can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SparqlError {
    /// No endpoint may be asked at this node.
    #[error("remote SPARQL is off; set `kb.sparql_remote = on` to allow it")]
    Off,
    /// The URL of the endpoint is invalid.
    #[error("invalid endpoint: {reason}")]
    Endpoint {
        /// What is wrong, and what to write.
        reason: String,
    },
    /// The query cannot be read.
    #[error("invalid query: {reason}")]
    Query {
        /// What is wrong, and what to write.
        reason: String,
    },
    /// The query is another one than a SELECT.
    #[error("the query contains {found}; only SELECT queries are sent")]
    NotSelect {
        /// The keyword, or a description of what stands in its place.
        found: String,
    },
    /// The query is too long.
    #[error("the query has {bytes} bytes; at most {} are sent", limits::SPARQL_QUERY_BYTES_MAX)]
    QueryTooLong {
        /// Its length.
        bytes: usize,
    },
    /// The timeout is out of range.
    #[error("invalid timeoutMs {ms}; use 1 to {}", limits::SPARQL_TIMEOUT_MAX.as_millis())]
    Timeout {
        /// The timeout.
        ms: u64,
    },
    /// The endpoint may not be reached from this node.
    #[error("{reason}")]
    Refused {
        /// The rule, and what to do.
        reason: String,
    },
    /// Too many remote queries run already.
    #[error("{max} remote queries are running; send the query again when one of them has ended")]
    Busy {
        /// The most that run at a time.
        max: usize,
    },
    /// The answer did not come in time.
    #[error("the endpoint did not finish within {after_ms} ms; ask for less, or raise timeoutMs")]
    TimedOut {
        /// The time that it had.
        after_ms: u64,
    },
    /// The endpoint could not be asked, or responded with an error.
    #[error("{reason}")]
    Failed {
        /// The failure, and what to do.
        reason: String,
    },
    /// The answer is over a limit.
    #[error("{reason}")]
    TooLarge {
        /// The limit, and what to do.
        reason: String,
    },
    /// The answer is malformed.
    #[error("the endpoint did not send SPARQL results in JSON: {reason}")]
    Answer {
        /// What is wrong with it.
        reason: String,
    },
}

impl SparqlError {
    /// Returns the row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            SparqlError::Off => SparqlCode::Off,
            SparqlError::Endpoint { .. }
            | SparqlError::Query { .. }
            | SparqlError::NotSelect { .. }
            | SparqlError::Timeout { .. } => ErrorCode::InvalidRequest,
            SparqlError::QueryTooLong { .. } | SparqlError::TooLarge { .. } => ErrorCode::TooLarge,
            SparqlError::Refused { .. } => SparqlCode::Refused,
            SparqlError::Busy { .. } => ErrorCode::Overloaded,
            SparqlError::TimedOut { .. } => ErrorCode::DeadlineExceeded,
            SparqlError::Failed { .. } | SparqlError::Answer { .. } => SparqlCode::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_names_its_situation() {
        let reason = || "x".to_owned();
        for (error, code) in [
            (SparqlError::Off, "SparqlOff"),
            (SparqlError::Endpoint { reason: reason() }, "InvalidRequest"),
            (SparqlError::Query { reason: reason() }, "InvalidRequest"),
            (SparqlError::NotSelect { found: reason() }, "InvalidRequest"),
            (SparqlError::QueryTooLong { bytes: 1 }, "TooLarge"),
            (SparqlError::Timeout { ms: 0 }, "InvalidRequest"),
            (SparqlError::Refused { reason: reason() }, "SparqlEndpointRefused"),
            (SparqlError::Busy { max: 1 }, "Overloaded"),
            (SparqlError::TimedOut { after_ms: 1 }, "DeadlineExceeded"),
            (SparqlError::Failed { reason: reason() }, "SparqlEndpointFailed"),
            (SparqlError::TooLarge { reason: reason() }, "TooLarge"),
            (SparqlError::Answer { reason: reason() }, "SparqlEndpointFailed"),
        ] {
            assert_eq!(error.code().name(), code, "{error}");
            assert!(!error.to_string().ends_with('.'), "{error}");
        }
    }
}
