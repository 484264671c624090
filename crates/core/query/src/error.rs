//! Why a command was not carried out.

use cairn_kip::{KipCode, KipError, Span};
use cairn_seam::StoreError;

/// What a command answers instead of a result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueryError {
    /// Something is wrong with the command, or with what it meets: whoever sent it can act on that.
    #[error(transparent)]
    Kip(#[from] KipError),
    /// The store did not do it, and the command may be fine.
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
}

impl From<StoreError> for QueryError {
    /// What is too much for one transaction, or takes longer than a snapshot lives, is the command's fault.
    fn from(error: StoreError) -> Self {
        if let StoreError::CommitTooLarge = error {
            let hint = "split the command: send a part of its blocks at a time, or narrow its WHERE";
            return KipError::new(KipCode::ResourceExhausted, error.to_string()).hint(hint).into();
        }
        if let StoreError::SnapshotTooOld = error {
            let message = "reading it took longer than a command may";
            return KipError::new(KipCode::ExecutionTimeout, message).into();
        }
        QueryError::Store(error)
    }
}
