//! Deleting an artifact.

use cairn_access::identity::PublicKey;
use cairn_access::registry::{self, Page, UserId};
use cairn_access::{Action, Principal, RefusalReason, Resource, Role, Scope};
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, Deleted, Found, SignedTombstone, Tombstone, delete, limits, locate,
};
use cairn_base::{CanonicalObject, Position, TenantId};
use cairn_seam::Snapshot;

use crate::{Act, Engine, EngineError, Prepared};

/// A deletion that a client asks for.
#[derive(Debug, Clone, Default)]
pub struct ArtifactDeletion {
    /// A tombstone that the author or an administrator signed; without one the node signs.
    pub tombstone: Option<CanonicalObject>,
    /// The reason, for a tombstone that the node signs.
    pub reason: String,
}

impl Engine {
    /// Checks a deletion, and prepares it. Authors and administrators of the tenant may delete.
    pub fn delete_artifact(
        &self,
        principal: &Principal,
        id: ArtifactId,
        wanted: &ArtifactDeletion,
    ) -> Result<Prepared<Deleted>, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let found = self.deletable(&*snapshot, principal, id)?;
        let scope = self.artifact_scope(found.tenant)?;
        let now_ms = self.clock().now_ms();
        let tombstone = match &wanted.tombstone {
            Some(object) => self.check_tombstone(&*snapshot, &scope, object, &found, now_ms)?,
            None => {
                let (by, reason) = (principal.user_id().to_owned(), wanted.reason.clone());
                if reason.chars().count() > limits::REASON_CHARS_MAX {
                    let detail = format!("`reason` has more than {} characters", limits::REASON_CHARS_MAX);
                    return Err(ArtifactError::Tombstone(detail).into());
                }
                Tombstone { id, deleted_at_ms: now_ms, by, reason }.sign(&*self.signing_identity()?)?
            }
        };
        drop(snapshot);
        let purge_at_ms = self
            .memories
            .artifacts
            .keep_deleted
            .map(|keep| now_ms.saturating_add(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX)));
        let act = Act::new(Action::ArtifactDelete, Resource::tenant(found.tenant))
            .shared(found.artifact.sharing().to_owned())
            .on(format!("artifact {id}"))
            .deleting();
        Ok(Prepared::new(principal, act, move |tx, scope| {
            Ok(delete(tx, scope, id, &tombstone, now_ms, purge_at_ms)?)
        }))
    }

    /// An artifact that the caller may delete. For everybody else it is what reading it would be: forbidden for those
    /// who know that it is there, and missing for the others.
    fn deletable(
        &self,
        snapshot: &dyn Snapshot,
        principal: &Principal,
        id: ArtifactId,
    ) -> Result<Found, EngineError> {
        let (reads, deletes) = (
            self.pipeline.each(principal, Action::ArtifactRead),
            self.pipeline.each(principal, Action::ArtifactDelete),
        );
        let own = self.artifact_scope(principal.tenant())?;
        let node = self.artifact_scope(TenantId::NODE)?;
        let found = locate(snapshot, &node, &own, &[id], &mut |tenant| self.artifact_scope(tenant))?;
        let found = found.into_iter().flatten().next().filter(|found| found.artifact.is_live());
        let found: Found = found.ok_or(ArtifactError::NotFound)?;
        let sharing = found.artifact.sharing();
        let Err(mut refusal) = deletes.may(found.tenant, &sharing) else { return Ok(found) };
        let is_known = found.tenant == principal.tenant() || reads.may(found.tenant, &sharing).is_ok();
        if !is_known {
            return Err(ArtifactError::NotFound.into());
        }
        if refusal.reason == RefusalReason::ForeignTenant {
            refusal.reason = RefusalReason::RoleMissing;
        }
        Err(self.pipeline.refuse_one(principal, refusal, format!("artifact {id}")))
    }

    /// A tombstone that a client signed: by the author, or by an administrator of the tenant.
    fn check_tombstone(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        object: &CanonicalObject,
        found: &Found,
        now_ms: u64,
    ) -> Result<SignedTombstone, EngineError> {
        let wrong = |detail: &str| EngineError::from(ArtifactError::Tombstone(detail.to_owned()));
        let said = Tombstone::read(object)?;
        if said.id != found.artifact.id {
            return Err(wrong("`id` is the id of another artifact"));
        }
        let window = u64::try_from(limits::TIMESTAMP_WINDOW.as_millis()).unwrap_or(u64::MAX);
        if now_ms.abs_diff(said.deleted_at_ms) > window {
            return Err(ArtifactError::Stale { timestamp: cairn_base::to_iso_utc(said.deleted_at_ms) }.into());
        }
        self.tombstone_signer(snapshot, scope, object, &said, &found.artifact)
    }

    /// The time at which the content of what is deleted now goes; `None` if it is kept.
    pub(super) fn purge_at_ms(&self) -> Option<u64> {
        let keep = self.memories.artifacts.keep_deleted?;
        Some(self.clock().now_ms().saturating_add(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Verifies the signature of a tombstone: it is the author's, or that of an administrator of the tenant.
    pub(super) fn tombstone_signer(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        object: &CanonicalObject,
        said: &Tombstone,
        artifact: &Artifact,
    ) -> Result<SignedTombstone, EngineError> {
        let wrong = |detail: &str| EngineError::from(ArtifactError::Tombstone(detail.to_owned()));
        let user = UserId::parse(&said.by).map_err(|_| wrong("`by` is not a user"))?;
        let is_admin = || -> Result<bool, EngineError> {
            let known = registry::load_user(snapshot, scope, &user)?;
            Ok(known.is_some_and(|user| user.disabled_at_ms.is_none() && user.roles.has(Role::Admin)))
        };
        if said.by != artifact.author && !is_admin()? {
            return Err(wrong("`by` is neither the author nor an administrator of the tenant"));
        }
        if let Ok(own) = said.by.parse::<PublicKey>() {
            return Ok(SignedTombstone::verify(object, &own)?);
        }
        let page = Page { after: None, limit: cairn_access::limits::CREDENTIALS_OF_USER_MAX };
        let keys = registry::keys(snapshot, scope, Some(&user), page)?.items;
        let (user_id, tenant_id) = (said.by.clone(), artifact.tenant_name.clone());
        let mut failure = ArtifactError::UnknownKey { user_id, tenant_id };
        for key in keys.into_iter().filter(|key| key.revoked_at_ms.is_none()) {
            let Ok(key) = PublicKey::from_bytes(&key.id.0) else { continue };
            match SignedTombstone::verify(object, &key) {
                Ok(signed) => return Ok(signed),
                Err(error) => failure = error,
            }
        }
        Err(failure.into())
    }
}
