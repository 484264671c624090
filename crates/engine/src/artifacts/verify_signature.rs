//! Verifying: is this what its author signed?

use cairn_access::identity::{PublicKey, Signature};
use cairn_access::registry::{TenantName, find_tenant};
use cairn_access::{Action, Principal};
use cairn_artifacts::{ArtifactError, ArtifactId, Attestation, Payload, Received, load_payload, signer};
use cairn_base::{Position, TenantId};

use super::seen::SeenBy;
use crate::{Engine, EngineError};

/// The outcome of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedArtifact {
    /// The artifact.
    pub id: ArtifactId,
    /// Why it does not verify; `None` if it does.
    pub reason: Option<String>,
    /// The author.
    pub user_id: String,
    /// The author's tenant.
    pub tenant_id: String,
    /// The key that verified it.
    pub public_key: Option<PublicKey>,
    /// The signer.
    pub attestation: Attestation,
}

impl Engine {
    /// Verifies a stored artifact against what a client says of it: its hash, its signature, or both.
    pub fn verify_stored(
        &self,
        principal: &Principal,
        id: ArtifactId,
        content_hash: Option<&str>,
        signature: Option<&str>,
    ) -> Result<VerifiedArtifact, EngineError> {
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let seen = SeenBy { engine: self, snapshot, each, principal };
            let found = seen.live(id)?;
            let artifact = &found.artifact;
            let (signed, payload) = load_payload(snapshot, &seen.scope_of(found.tenant)?, artifact)?;
            let key = PublicKey::from_bytes(&artifact.public_key).ok();
            let is_signed = key.is_some_and(|key| key.has_signed(signed.as_bytes(), &artifact.signature));
            let other_hash = content_hash.is_some_and(|said| said != format!("{:?}", artifact.sha256));
            let other_signature =
                signature.is_some_and(|said| Signature::parse(said) != Some(artifact.signature));
            let reason = match (is_signed, other_hash, other_signature) {
                (false, _, _) => Some("the stored signature does not verify"),
                (true, true, _) => Some("content_hash is not that of the artifact"),
                (true, false, true) => Some("signature is not that of the artifact"),
                (true, false, false) => None,
            };
            Ok(VerifiedArtifact {
                id,
                reason: reason.map(str::to_owned),
                user_id: payload.user_id,
                tenant_id: payload.tenant_id,
                public_key: key,
                attestation: artifact.attestation,
            })
        })
    }

    /// Verifies a payload that is not stored, with the keys that this node knows. Only keys of authors of whom the caller
    /// may read something, or of the caller's tenant, are used.
    pub fn verify_payload(
        &self,
        principal: &Principal,
        body: &[u8],
    ) -> Result<VerifiedArtifact, EngineError> {
        let received = Received::parse(body)?;
        let payload = Payload::read(&received.object)?;
        let mut outcome = VerifiedArtifact {
            id: payload.id,
            reason: None,
            user_id: payload.user_id.clone(),
            tenant_id: payload.tenant_id.clone(),
            public_key: None,
            attestation: Attestation::Author,
        };
        let is_own = payload.tenant_id == principal.tenant_name();
        let is_known = is_own || self.artifact_keys(principal, &payload.tenant_id, &payload.user_id).is_ok();
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let node = self.artifact_scope(TenantId::NODE)?;
        let name = TenantName::parse(&payload.tenant_id).ok().filter(|_| is_known);
        let found = name.map(|name| find_tenant(&*snapshot, &node, &name)).transpose()?.flatten();
        let tenant = found.map_or(principal.tenant(), |tenant| tenant.id);
        match signer(&*snapshot, &self.artifact_scope(tenant)?, &received.object, &payload) {
            Ok(found) => outcome.public_key = Some(found.key),
            Err(error @ (ArtifactError::Signature { .. } | ArtifactError::UnknownKey { .. })) => {
                outcome.reason = Some(error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
        Ok(outcome)
    }
}
