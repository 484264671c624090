//! What clients are told of an error about artifacts beside its message.

use cairn_artifacts::ArtifactError;

use crate::ApiError;

/// Adds what a client needs to know to the answer of an error.
pub(crate) fn with_details(answer: ApiError, error: &ArtifactError) -> ApiError {
    match error {
        ArtifactError::Payload(error) => answer.detail("field", error.field),
        ArtifactError::Version(_) => answer.detail("field", "version"),
        ArtifactError::Signature { user_id, id, .. } => {
            answer.detail("user_id", user_id.as_str()).detail("artifact_id", id.to_string())
        }
        ArtifactError::UnknownKey { user_id, tenant_id } => {
            answer.detail("user_id", user_id.as_str()).detail("tenant_id", tenant_id.as_str())
        }
        ArtifactError::Stale { .. } => answer.detail("field", "timestamp"),
        ArtifactError::HashMismatch { found, .. } => {
            answer.detail("field", "content_hash").detail("content_hash", found.as_str())
        }
        ArtifactError::NotTheCaller { field, .. } => answer.detail("field", *field),
        ArtifactError::ContentElsewhere { id, content_url } => {
            answer.detail("artifact_id", id.to_string()).detail("content_url", content_url.as_str())
        }
        ArtifactError::Store(_)
        | ArtifactError::Registry(_)
        | ArtifactError::Json(_)
        | ArtifactError::Duplicate(_)
        | ArtifactError::NotFound
        | ArtifactError::NoContent(_)
        | ArtifactError::Tombstone(_)
        | ArtifactError::QuarantineFull
        | ArtifactError::BadRecord { .. } => answer,
    }
}
