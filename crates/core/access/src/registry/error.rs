//! Why the registry did not do it.

use cairn_base::{ErrorCode, KeyDecodeError};
use cairn_seam::StoreError;

use super::BadName;
use crate::limits;

/// Situations a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RegistryError {
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be called that.
    #[error(transparent)]
    Name(#[from] BadName),
    /// It is not there.
    #[error("there is no {what} {name:?}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// What it was called.
        name: String,
    },
    /// It is there already.
    #[error("there is a {what} {name:?} already")]
    Exists {
        /// What was to be made.
        what: &'static str,
        /// What it was to be called.
        name: String,
    },
    /// A key belongs to one user of a tenant, for ever.
    #[error("the key is registered for another user of this tenant, and its history stays with that user")]
    KeyTaken,
    /// There are as many as there may be.
    #[error("there are {max} {what} already; remove what is no longer used")]
    Full {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        max: usize,
    },
    /// The label of a token is no label.
    #[error("a label has at most {} bytes and no control characters", limits::TOKEN_LABEL_BYTES_MAX)]
    Label,
    /// A token with which nothing could be done.
    #[error("the token would allow nothing: name roles that the user {user:?} has")]
    NoRoles {
        /// For whom it was to be.
        user: String,
    },
    /// A role that is not given inside a tenant.
    #[error("operators are users of the tenant `local` only")]
    NotAnOperator,
    /// A token that would end before it begins.
    #[error("the token would have expired already")]
    InThePast,
    /// The local owner stays: without it nobody could let anybody in.
    #[error("the local owner cannot be disabled, and keeps its roles")]
    LocalOwner,
    /// Where a page goes on.
    #[error("the cursor is none of this list; begin without one")]
    Cursor,
    /// A stored record cannot be read.
    #[error("the stored {what} is damaged")]
    BadRecord {
        /// Which record.
        what: &'static str,
    },
}

impl RegistryError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            RegistryError::Store(error) => error.code(),
            RegistryError::Missing { .. } => ErrorCode::NotFound,
            RegistryError::Exists { .. } | RegistryError::KeyTaken => ErrorCode::Conflict,
            RegistryError::Full { .. } => ErrorCode::TooLarge,
            RegistryError::Name(_)
            | RegistryError::Label
            | RegistryError::NoRoles { .. }
            | RegistryError::NotAnOperator
            | RegistryError::InThePast
            | RegistryError::LocalOwner
            | RegistryError::Cursor => ErrorCode::InvalidRequest,
            RegistryError::BadRecord { .. } => ErrorCode::Damaged,
        }
    }

    pub(super) fn missing(what: &'static str, name: impl ToString) -> Self {
        RegistryError::Missing { what, name: name.to_string() }
    }

    pub(super) fn bad_key(what: &'static str) -> impl FnOnce(KeyDecodeError) -> Self {
        move |_| RegistryError::BadRecord { what }
    }
}
