//! Why a command was not done.

use cairn_kip::{KipCode, KipError, Span};
use cairn_seam::StoreError;

/// What this crate gives.
pub type Result<T> = std::result::Result<T, QueryError>;

/// Either the protocol has an answer for it, or the store failed and whoever runs the transaction decides.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueryError {
    /// What the caller is answered.
    #[error(transparent)]
    Kip(#[from] KipError),
    /// The store did not do it. It may be worth trying again.
    #[error(transparent)]
    Store(StoreError),
}

impl QueryError {
    /// The same at a place in the text, unless it has one.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        match self {
            QueryError::Kip(error) if error.span.is_none() => QueryError::Kip(error.at(span)),
            QueryError::Kip(_) | QueryError::Store(_) => self,
        }
    }

    /// What the protocol answers, where nobody tries again.
    pub fn into_kip(self) -> KipError {
        match self {
            QueryError::Kip(error) => error,
            QueryError::Store(error) => KipError::new(KipCode::InternalError, error.to_string()),
        }
    }
}

impl From<StoreError> for QueryError {
    /// What is too much for one transaction, or takes longer than a snapshot lives, is the command's fault.
    fn from(error: StoreError) -> Self {
        if let StoreError::CommitTooLarge = error {
            let hint = "split the command: send a part of its blocks at a time, or narrow its WHERE";
            return KipError::new(KipCode::ResourceExhausted, error.to_string()).hint(hint).into();
        }
        if let StoreError::SnapshotTooOld = error {
            // Snapshots live longer than any sensible answer takes: for the caller this is a timeout.
            return KipError::new(
                KipCode::ExecutionTimeout,
                "the command took longer than its snapshot lives",
            )
            .into();
        }
        QueryError::Store(error)
    }
}
