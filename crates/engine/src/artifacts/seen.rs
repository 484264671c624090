//! Artifacts as one caller may see them.

use cairn_access::{Principal, Refusal, Scope};
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, Found, LineageEdge, NodeState, PayloadAt, Seen, children, citations,
    citing_scopes, find, locate,
};
use cairn_base::{ErrorCode, TenantId};
use cairn_seam::Snapshot;

use crate::pipeline::Each;
use crate::{Engine, EngineError};

/// The artifacts of a snapshot, for one caller.
pub(super) struct SeenBy<'a> {
    pub(super) engine: &'a Engine,
    pub(super) snapshot: &'a dyn Snapshot,
    pub(super) each: &'a Each<'a>,
    pub(super) principal: &'a Principal,
}

/// The way in which an artifact is hidden.
pub(super) enum Hidden {
    /// There is none for the caller.
    Missing,
    /// It is of the caller's tenant, and not shared with it.
    Refused(Refusal),
}

impl SeenBy<'_> {
    pub(super) fn node(&self) -> Result<Scope, EngineError> {
        self.engine.artifact_scope(TenantId::NODE)
    }

    pub(super) fn scope_of(&self, tenant: TenantId) -> Result<Scope, EngineError> {
        self.engine.artifact_scope(tenant)
    }

    /// Artifacts by their ids, deleted ones included: those that the caller may read, and why not the others.
    pub(super) fn look_up(&self, ids: &[ArtifactId]) -> Result<Vec<Result<Found, Hidden>>, EngineError> {
        let own = self.scope_of(self.principal.tenant())?;
        let found = locate(self.snapshot, &self.node()?, &own, ids, &mut |tenant| self.scope_of(tenant))?;
        Ok(found.into_iter().map(|found| self.decide(found)).collect())
    }

    /// Artifacts whose tenants are known, with one round of reads.
    pub(super) fn look_in(
        &self,
        wanted: &[(Scope, ArtifactId)],
    ) -> Result<Vec<Result<Found, Hidden>>, EngineError> {
        let found = find(self.snapshot, wanted)?.into_iter().zip(wanted);
        let found = found.map(|(artifact, (scope, _))| {
            artifact.map(|artifact| Found { tenant: scope.tenant(), artifact })
        });
        Ok(found.map(|found| self.decide(found)).collect())
    }

    fn decide(&self, found: Option<Found>) -> Result<Found, Hidden> {
        // What was erased is of nobody any more.
        let found =
            found.filter(|found| found.artifact.payload != PayloadAt::Erased).ok_or(Hidden::Missing)?;
        match self.each.may(found.tenant, &found.artifact.sharing()) {
            Ok(()) => Ok(found),
            Err(refusal) if refusal.code() == ErrorCode::Forbidden => Err(Hidden::Refused(refusal)),
            Err(_) => Err(Hidden::Missing),
        }
    }

    /// One artifact that is not deleted, or the error that the caller gets.
    pub(super) fn live(&self, id: ArtifactId) -> Result<Found, EngineError> {
        let found = self.look_up(&[id])?.pop().unwrap_or(Err(Hidden::Missing));
        match found {
            Ok(found) if found.artifact.is_live() => Ok(found),
            Ok(_) | Err(Hidden::Missing) => Err(ArtifactError::NotFound.into()),
            Err(Hidden::Refused(refusal)) => {
                Err(self.engine.pipeline.refuse_one(self.principal, refusal, format!("artifact {id}")))
            }
        }
    }

    /// How many artifacts that the caller may read are derived from each of these.
    pub(super) fn citations(&self, of: &[ArtifactId]) -> Result<Vec<u64>, EngineError> {
        let scopes = citing_scopes(self.snapshot, &self.node()?, of, &mut |tenant| self.scope_of(tenant))?;
        let parents: Vec<_> = of.iter().copied().zip(scopes).collect();
        let own = self.principal.marks();
        let is_owner = self.principal.is_local_owner();
        let may_read = |_: &Scope, marks: &[String]| is_owner || marks.iter().any(|mark| own.contains(mark));
        Ok(citations(self.snapshot, &parents, &may_read)?)
    }
}

impl Seen for SeenBy<'_> {
    type Error = EngineError;

    fn nodes(&mut self, ids: &[ArtifactId]) -> Result<Vec<NodeState>, EngineError> {
        let state = |found: Result<Found, Hidden>| match found {
            Ok(found) => NodeState::Readable(Box::new(found)),
            Err(Hidden::Refused(_)) => NodeState::Redacted,
            Err(Hidden::Missing) => NodeState::Missing,
        };
        Ok(self.look_up(ids)?.into_iter().map(state).collect())
    }

    fn children(&mut self, of: &[ArtifactId], limit: usize) -> Result<Vec<LineageEdge>, EngineError> {
        children(self.snapshot, &self.node()?, of, limit, &mut |tenant| self.scope_of(tenant))
    }
}

/// Whether an artifact of a result is one that may be shown: readable and not deleted.
pub(super) fn is_shown(found: &Result<Found, Hidden>) -> bool {
    found.as_ref().is_ok_and(|found| Artifact::is_live(&found.artifact))
}
