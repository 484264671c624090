//! Payloads that are sent as JSON, as they are stored.

use cairn_access::Principal;
use cairn_base::{Position, TenantId, Value};
use cairn_seam::{Blob, limits};
use cairn_turns::DeclaredType;
use cairn_turns::projection::{Hint, HintError, Misfit, encode};

use super::acts::reading;
use crate::{Engine, EngineError};

/// Why JSON does not become a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotEncoded {
    /// Its type was not published.
    Hint(HintError),
    /// It does not fit its type.
    Misfits(Vec<Misfit>),
}

impl Engine {
    /// Encodes a payload as its type says, and makes it a blob that can be appended.
    ///
    /// What is wrong with the payload is no failure of the engine.
    pub fn encode_payload(
        &self,
        principal: &Principal,
        tenant: TenantId,
        declared: &DeclaredType,
        payload: &Value,
    ) -> Result<Result<Blob, NotEncoded>, EngineError> {
        let encoded =
            self.pipeline.read(principal, &reading(tenant), Position::START, |snapshot, scope| {
                let registry = self.registry_at(snapshot, scope)?;
                Ok(match Hint::Inherit.resolve(&registry, &declared.id, declared.version) {
                    Ok((_, described)) => encode(payload, described).map_err(NotEncoded::Misfits),
                    Err(error) => Err(NotEncoded::Hint(error)),
                })
            })?;
        Ok(match encoded {
            Ok(bytes) if bytes.len() <= limits::BLOB_IN_COMMIT_BYTES_MAX => Ok(Blob::new(bytes)?),
            Ok(bytes) => Ok(self.blob(principal, tenant, bytes)?),
            Err(error) => Err(error),
        })
    }
}
