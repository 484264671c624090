//! Why a command was not done.

use cairn_graph::GraphError;
use cairn_kip::{KipCode, KipError};
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
    /// What the protocol answers, where nobody tries again.
    pub fn into_kip(self) -> KipError {
        match self {
            QueryError::Kip(error) => error,
            QueryError::Store(error) => KipError::new(KipCode::InternalError, error.to_string()),
        }
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
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

impl From<GraphError> for QueryError {
    fn from(error: GraphError) -> Self {
        let message = error.to_string();
        let (code, hint) = match error {
            GraphError::Store(error) => return error.into(),
            GraphError::NoConcept(_) | GraphError::NoLink(_) => (KipCode::NotFound, None),
            GraphError::NoType(_) | GraphError::NoPredicate(_) => (KipCode::TypeMismatch, None),
            GraphError::Protected { .. } => (KipCode::ImmutableTarget, None),
            GraphError::TypeInUse { .. } | GraphError::ReservedKey(_) | GraphError::Constraint { .. } => {
                (KipCode::ConstraintViolation, None)
            }
            GraphError::VersionMismatch { .. } => (KipCode::VersionMismatch, None),
            GraphError::BadName { corrected, .. } => {
                (KipCode::InvalidIdentifier, corrected.map(|name| format!("did you mean '{name}'?")))
            }
            GraphError::BadSpaceName { .. } | GraphError::Empty { .. } => (KipCode::InvalidIdentifier, None),
            GraphError::ValueType { .. } => (KipCode::InvalidValueType, None),
            GraphError::TooLarge { .. } | GraphError::TooDeep { .. } | GraphError::OutOfNumbers => {
                (KipCode::ResourceExhausted, Some("store less in one concept or link".to_owned()))
            }
            GraphError::BadRecord { .. } => (KipCode::InternalError, None),
        };
        let error = KipError::new(code, message);
        QueryError::Kip(match hint {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }
}
