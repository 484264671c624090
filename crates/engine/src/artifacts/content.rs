//! Content of artifacts: by id, by SHA-256, and hidden where the artifact is.

use std::sync::Arc;

use cairn_access::{Action, Principal};
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, Content, Payload, by_blob, by_content, content_homes, content_of,
    load_payload,
};
use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{BlobReader, Sha256, Snapshot};

use super::seen::{SeenBy, is_shown};
use crate::{Engine, EngineError};

/// Artifacts with the same content that are looked at to find one that the caller may read.
const SAME_CONTENT_MAX: usize = 1000;

/// Content that is ready to be read.
pub struct OpenContent {
    /// The tenant that holds the artifact.
    pub tenant: TenantId,
    /// The artifact.
    pub artifact: Artifact,
    /// What it says.
    pub payload: Payload,
    /// Its content.
    pub content: Content,
    /// The bytes.
    pub reader: Arc<dyn BlobReader>,
}

impl std::fmt::Debug for OpenContent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenContent").field("artifact", &self.artifact.id).finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens the content of an artifact.
    pub fn artifact_content(
        &self,
        principal: &Principal,
        id: ArtifactId,
    ) -> Result<OpenContent, EngineError> {
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let seen = SeenBy { engine: self, snapshot, each, principal };
            let found = seen.live(id)?;
            self.open_content(snapshot, found.tenant, found.artifact)
        })
    }

    /// Counts a download of an artifact whose content was sent. Opening it is not one: a client may have it already, or
    /// ask for its length only.
    pub fn count_download(&self, tenant: TenantId, id: ArtifactId) {
        self.memories.artifacts.counted.download(tenant, id);
    }

    /// Opens content by its SHA-256, if the caller may read an artifact that has it.
    pub fn content_by_hash(&self, principal: &Principal, sha256: Sha256) -> Result<OpenContent, EngineError> {
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let seen = SeenBy { engine: self, snapshot, each, principal };
            let own = principal.tenant();
            let others = content_homes(snapshot, &seen.node()?, &sha256)?;
            let tenants = std::iter::once(own).chain(others.into_iter().filter(|tenant| *tenant != own));
            let scopes = tenants.map(|tenant| seen.scope_of(tenant)).collect::<Result<Vec<_>, _>>()?;
            let mut wanted = by_content(snapshot, &scopes, &sha256, SAME_CONTENT_MAX)?;
            if wanted.is_empty() {
                // What nobody has costs the same rounds as what is hidden.
                wanted.extend(scopes.first().map(|scope| (*scope, ArtifactId::from_bytes([0; 16]))));
            }
            let found = seen.look_in(&wanted)?.into_iter().filter(is_shown).flatten().next();
            let found = found.ok_or(ArtifactError::NotFound)?;
            self.open_content(snapshot, found.tenant, found.artifact)
        })
    }

    fn open_content(
        &self,
        snapshot: &dyn Snapshot,
        tenant: TenantId,
        artifact: Artifact,
    ) -> Result<OpenContent, EngineError> {
        let scope = self.artifact_scope(tenant)?;
        let (_, payload) = load_payload(snapshot, &scope, &artifact)?;
        let content = content_of(&artifact, &payload.content_url)?;
        let reader = self.pipeline.store().open_named_blob(tenant, &content.hash)?;
        Ok(OpenContent { tenant, artifact, payload, content, reader: Arc::from(reader) })
    }

    /// Whether a blob is the content of artifacts none of which the caller may read.
    pub(super) fn hides_content(
        &self,
        snapshot: &dyn Snapshot,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<bool, EngineError> {
        let each = self.pipeline.each(principal, Action::ArtifactRead);
        let seen = SeenBy { engine: self, snapshot, each: &each, principal };
        let scope = seen.scope_of(tenant)?;
        let ids = by_blob(snapshot, &scope, hash, SAME_CONTENT_MAX)?;
        if ids.is_empty() {
            return Ok(false);
        }
        let wanted: Vec<_> = ids.into_iter().map(|id| (scope, id)).collect();
        Ok(!seen.look_in(&wanted)?.iter().any(Result::is_ok))
    }
}
