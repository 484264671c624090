//! Reasons why something was not published, read or deleted.

use cairn_access::identity::SignatureError;
use cairn_access::registry::RegistryError;
use cairn_base::{CanonicalError, ErrorCode};
use cairn_seam::StoreError;

use crate::payload::PayloadError;
use crate::{ArtifactCode, ArtifactId, limits};

/// Situations a caller can act on.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ArtifactError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The registry of principals failed.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The payload is not JSON that can be signed.
    #[error("invalid payload: {0}")]
    Json(#[from] CanonicalError),
    /// A field of the payload is wrong.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The payload has another version.
    #[error("unsupported version {0}; this node supports \"1\"")]
    Version(String),
    /// The signature does not verify.
    #[error("Ed25519 signature verification failed: {error}")]
    Signature {
        /// The author that the payload names.
        user_id: String,
        /// The artifact.
        id: ArtifactId,
        /// What is wrong with it.
        error: SignatureError,
    },
    /// No valid key of the author verifies the signature.
    #[error("no registered key of {user_id:?} in tenant {tenant_id:?} is valid")]
    UnknownKey {
        /// The author that the payload names.
        user_id: String,
        /// The tenant that the payload names.
        tenant_id: String,
    },
    /// The timestamp is too old or too new.
    #[error("timestamp {timestamp} is more than {} minutes from the clock of this node", limits::TIMESTAMP_WINDOW.as_secs() / 60)]
    Stale {
        /// The timestamp.
        timestamp: String,
    },
    /// The content does not have the hash that the payload names.
    #[error("content_hash is {said}, and the content has {found}")]
    HashMismatch {
        /// The hash in the payload.
        said: String,
        /// The hash of the content.
        found: String,
    },
    /// The payload belongs to a tenant or a user that is not the caller.
    #[error("{field} is {said:?}; publish as yourself, or sign with a registered key")]
    NotTheCaller {
        /// The field.
        field: &'static str,
        /// Its value.
        said: String,
    },
    /// The id is taken.
    #[error("artifact {0} exists already, or existed")]
    Duplicate(ArtifactId),
    /// There is no such artifact.
    #[error("no such artifact")]
    NotFound,
    /// The content of an artifact is not stored here.
    #[error("the content of {id} is not stored on this node")]
    ContentElsewhere {
        /// The artifact.
        id: ArtifactId,
        /// The address that its author gave.
        content_url: String,
    },
    /// There is no content at all.
    #[error("no content of {0} is stored on this node")]
    NoContent(ArtifactId),
    /// A tombstone does not fit its artifact.
    #[error("invalid tombstone: {0}")]
    Tombstone(String),
    /// The quarantine is full.
    #[error(
        "the quarantine holds {} artifacts; register their authors' keys and release them, or discard them",
        limits::QUARANTINE_MAX
    )]
    QuarantineFull,
    /// A stored record cannot be read.
    #[error("the stored {what} is damaged: {detail}")]
    BadRecord {
        /// Which record.
        what: &'static str,
        /// What is wrong with it.
        detail: String,
    },
}

impl ArtifactError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            ArtifactError::Store(error) => error.code(),
            ArtifactError::Registry(error) => error.code(),
            ArtifactError::Json(CanonicalError::TooLong { .. }) => ArtifactCode::TooLarge,
            ArtifactError::Json(_) | ArtifactError::Payload(_) | ArtifactError::Tombstone(_) => {
                ArtifactCode::InvalidPayload
            }
            ArtifactError::Version(_) => ArtifactCode::UnsupportedVersion,
            ArtifactError::Signature { .. } => ArtifactCode::InvalidSignature,
            ArtifactError::UnknownKey { .. } => ArtifactCode::UnknownKey,
            ArtifactError::Stale { .. } => ArtifactCode::StaleTimestamp,
            ArtifactError::HashMismatch { .. } => ArtifactCode::HashMismatch,
            ArtifactError::NotTheCaller { .. } => ArtifactCode::Forbidden,
            ArtifactError::Duplicate(_) => ArtifactCode::DuplicateId,
            ArtifactError::NotFound | ArtifactError::NoContent(_) => ArtifactCode::NotFound,
            ArtifactError::ContentElsewhere { .. } => ArtifactCode::ContentElsewhere,
            ArtifactError::QuarantineFull => ArtifactCode::TooLarge,
            ArtifactError::BadRecord { .. } => ErrorCode::Damaged,
        }
    }
}
