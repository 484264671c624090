//! Reading one artifact.

use cairn_access::{Action, Principal};
use cairn_artifacts::{Artifact, ArtifactId, Payload, Published, Usage, load_payload, usage};
use cairn_base::{Position, TenantId};

use super::seen::SeenBy;
use crate::{Engine, EngineError};

/// An artifact with everything that is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownArtifact {
    /// The tenant that holds it.
    pub tenant: TenantId,
    /// The record.
    pub artifact: Artifact,
    /// The canonical JSON that was signed.
    pub signed: String,
    /// The same, read.
    pub payload: Payload,
    /// How often it was read and downloaded.
    pub usage: Usage,
    /// How many artifacts that the caller may read are derived from it.
    pub citations: u64,
}

impl Engine {
    /// What is shown of an artifact to the client that has just published it, which need not be its author.
    pub fn published_artifact(
        &self,
        principal: &Principal,
        published: Published,
    ) -> Result<ShownArtifact, EngineError> {
        let Published { artifact, .. } = published;
        let tenant = match artifact.tenant_name == principal.tenant_name() {
            true => principal.tenant(),
            false => self.tenant_named(principal, &artifact.tenant_name)?,
        };
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let (signed, payload) = load_payload(&*snapshot, &self.artifact_scope(tenant)?, &artifact)?;
        let usage = self.memories.artifacts.counted.pending(tenant, artifact.id);
        Ok(ShownArtifact { tenant, artifact, signed, payload, usage, citations: 0 })
    }

    /// Reads an artifact, and counts the read.
    pub fn artifact(&self, principal: &Principal, id: ArtifactId) -> Result<ShownArtifact, EngineError> {
        let shown = self.artifact_uncounted(principal, id)?;
        self.memories.artifacts.counted.read(shown.tenant, id);
        Ok(ShownArtifact { usage: shown.usage.plus(Usage { reads: 1, downloads: 0 }), ..shown })
    }

    /// Reads an artifact for a client that is not sent it.
    pub fn artifact_uncounted(
        &self,
        principal: &Principal,
        id: ArtifactId,
    ) -> Result<ShownArtifact, EngineError> {
        let shown =
            self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
                let seen = SeenBy { engine: self, snapshot, each, principal };
                let found = seen.live(id)?;
                let scope = seen.scope_of(found.tenant)?;
                let (signed, payload) = load_payload(snapshot, &scope, &found.artifact)?;
                let usage = usage(snapshot, &[(scope, id)])?.pop().unwrap_or_default();
                let citations = seen.citations(&[id])?.pop().unwrap_or(0);
                Ok(ShownArtifact {
                    tenant: found.tenant,
                    artifact: found.artifact,
                    signed,
                    payload,
                    usage,
                    citations,
                })
            })?;
        let pending = self.memories.artifacts.counted.pending(shown.tenant, id);
        Ok(ShownArtifact { usage: shown.usage.plus(pending), ..shown })
    }
}
