//! Publishing an artifact: everything is checked before the transaction, which only stores.

use cairn_access::identity::{DerivedFrom, Identity, Verified, sign};
use cairn_access::{Action, KeyId, Principal, Resource, Scope, registry};
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, Attestation, Content, Filled, Payload, PayloadAt, PayloadError,
    Publish, Published, Received, Reservation, artifact, by_content, fill_unsigned, limits, publish, reserve,
    signer,
};
use cairn_base::{Position, TenantId};
use cairn_seam::{Blob, Sha256, Snapshot, WriteTx};

use super::seen::{SeenBy, is_shown};
use super::upload::check;
use crate::{Act, Engine, EngineError, Prepared};

/// Artifacts with the same content that are looked at for a publish that sends none.
const SAME_CONTENT_MAX: usize = 100;

/// A publish that was checked.
#[derive(Debug)]
pub enum PublishStep {
    /// The same bytes were published before.
    Done(Box<Published>),
    /// It has to be written.
    Write(Prepared<Published>),
}

/// A payload whose signature was verified, or was made by the node.
struct Signed {
    payload: Payload,
    verified: Verified,
    public_key: [u8; 32],
    attestation: Attestation,
    /// The key has to be registered still when the artifact is stored.
    is_registered: bool,
}

impl Engine {
    /// Checks a publish request, and prepares to store it. Nothing is stored if anything is wrong with it.
    pub fn publish_artifact(&self, principal: &Principal, body: &[u8]) -> Result<PublishStep, EngineError> {
        let received = Received::parse(body)?;
        let tenant = self.publishing_tenant(principal, &received)?;
        let act = Act::new(Action::ArtifactPublish, Resource::tenant(tenant));
        let scope = self.pipeline.permit(principal, &act)?.scope();
        let content = received.content.map(|bytes| self.content_blob(tenant, bytes)).transpose()?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let signed = match received.object.get("signature") {
            Some(_) => self.verify_signed(&*snapshot, &scope, &received.object)?,
            None => {
                self.sign_for(principal, received.object, content.as_ref(), &*self.signing_identity()?)?
            }
        };
        if let Some(known) = artifact(&*snapshot, &scope, signed.payload.id)? {
            let is_same = known.is_live() && known.signature == signed.verified.signature;
            if !is_same {
                return Err(ArtifactError::Duplicate(known.id).into());
            }
            return Ok(PublishStep::Done(Box::new(Published { artifact: known, is_new: false })));
        }
        if let Some(blob) = &content {
            check(blob, signed.payload.content_hash)?;
        }
        let stored = match &content {
            Some(blob) => Some(Content { hash: blob.hash(), bytes: blob.len() }),
            None => self.known_content(&*snapshot, principal, &scope, &signed.payload)?,
        };
        drop(snapshot);
        let Signed { payload, verified, public_key, attestation, is_registered } = signed;
        let new = self.ready_artifact(payload, verified, public_key, attestation, stored, content)?;
        Ok(PublishStep::Write(self.store_artifact(principal, act, tenant, new, is_registered)?))
    }

    /// The tenant that an artifact goes to: the caller's own, or for the local owner the one that the payload names.
    fn publishing_tenant(&self, principal: &Principal, received: &Received) -> Result<TenantId, EngineError> {
        match received.object.get_str("tenant_id").filter(|_| received.is_signed()) {
            Some(name) if name != principal.tenant_name() => {
                let refused = ArtifactError::NotTheCaller { field: "tenant_id", said: name.clone() };
                if !principal.is_local_owner() {
                    return Err(refused.into());
                }
                self.tenant_named(principal, &name).map_err(|_| refused.into())
            }
            _ => Ok(principal.tenant()),
        }
    }

    fn content_blob(&self, tenant: TenantId, bytes: Vec<u8>) -> Result<Blob, EngineError> {
        Ok(crate::turns::make_blob(self.pipeline.store(), tenant, bytes)?.with_sha256())
    }

    fn verify_signed(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        object: &cairn_base::CanonicalObject,
    ) -> Result<Signed, EngineError> {
        let payload = Payload::read(object)?;
        let found = signer(snapshot, scope, object, &payload)?;
        let window = u64::try_from(limits::TIMESTAMP_WINDOW.as_millis()).unwrap_or(u64::MAX);
        if self.clock().now_ms().abs_diff(payload.timestamp_ms) > window {
            return Err(ArtifactError::Stale { timestamp: payload.timestamp }.into());
        }
        Ok(Signed {
            payload,
            verified: found.verified,
            public_key: *found.key.as_bytes(),
            attestation: Attestation::Author,
            is_registered: found.is_registered,
        })
    }

    fn sign_for(
        &self,
        principal: &Principal,
        mut object: cairn_base::CanonicalObject,
        content: Option<&Blob>,
        identity: &Identity,
    ) -> Result<Signed, EngineError> {
        let node = identity.public_key();
        let filled = Filled {
            id: ArtifactId::random(&**self.entropy()),
            user_id: principal.user_id(),
            tenant_id: principal.tenant_name(),
            now_ms: self.clock().now_ms(),
            content_hash: content.and_then(Blob::sha256),
            node,
        };
        fill_unsigned(&mut object, &filled)?;
        let payload = Payload::read(&object)?;
        Ok(Signed {
            payload,
            verified: sign(&object, identity),
            public_key: *node.as_bytes(),
            attestation: Attestation::Node,
            is_registered: false,
        })
    }

    /// Content that is here already: the caller uploaded it, or may read an artifact that has it.
    fn known_content(
        &self,
        snapshot: &dyn Snapshot,
        principal: &Principal,
        scope: &Scope,
        payload: &Payload,
    ) -> Result<Option<Content>, EngineError> {
        let sha256: Sha256 = payload.content_hash;
        if let Some(content) = self.uploaded(snapshot, principal, scope.tenant(), sha256)? {
            return Ok(Some(content));
        }
        let each = self.pipeline.each(principal, Action::ArtifactRead);
        let seen = SeenBy { engine: self, snapshot, each: &each, principal };
        let same = by_content(snapshot, &[*scope], &sha256, SAME_CONTENT_MAX)?;
        let found = seen
            .look_in(&same)?
            .into_iter()
            .filter(is_shown)
            .flatten()
            .find_map(|found| found.artifact.content);
        if found.is_none() && payload.content_url.is_empty() {
            let problem = "names content that was not sent; send it as `_content_b64`, upload it with \
                           PUT /kcp/v1/content/{sha256} first, or say where it is in `content_url`";
            return Err(
                ArtifactError::from(PayloadError { field: "content_hash", problem: problem.into() }).into()
            );
        }
        Ok(found)
    }

    /// An artifact that is ready to be stored.
    pub(super) fn ready_artifact(
        &self,
        payload: Payload,
        verified: Verified,
        public_key: [u8; 32],
        attestation: Attestation,
        content: Option<Content>,
        blob: Option<Blob>,
    ) -> Result<Publish, EngineError> {
        let is_derived_signed = verified.derived_from != DerivedFrom::Unsigned;
        let parents = payload.parents(is_derived_signed).collect();
        let long = verified.signed.len() > limits::PAYLOAD_INLINE_BYTES_MAX;
        let payload_blob = long.then(|| Blob::new(verified.signed.clone().into_bytes())).transpose()?;
        let accepted_by =
            self.signing_identity().map_or([0; 32], |identity| *identity.public_key().as_bytes());
        let artifact = Artifact {
            id: payload.id,
            received_at_ms: self.clock().now_ms(),
            timestamp_ms: payload.timestamp_ms,
            attestation,
            public_key,
            accepted_by,
            signature: verified.signature,
            visibility: payload.visibility,
            tenant_name: payload.tenant_id,
            author: payload.user_id,
            team: payload.team,
            acl: payload.acl,
            parents,
            sha256: payload.content_hash,
            content,
            derived_from: payload.derived_from.filter(|_| !is_derived_signed),
            deleted_at_ms: None,
            payload: match &payload_blob {
                Some(blob) => PayloadAt::Blob(blob.hash()),
                None => PayloadAt::Inline(verified.signed),
            },
        };
        Ok(Publish { artifact, content: blob, payload: payload_blob })
    }

    /// Reserves the id at the node, then stores the artifact in its tenant.
    fn store_artifact(
        &self,
        principal: &Principal,
        act: Act,
        tenant: TenantId,
        new: Publish,
        is_registered: bool,
    ) -> Result<Prepared<Published>, EngineError> {
        let wanted = Reservation::of(&new.artifact, tenant)?;
        let first = Prepared::new(
            &Principal::node(),
            Act::new(Action::ArtifactHome, Resource::NODE),
            move |tx, node| Ok(reserve(tx, node, &wanted)?),
        );
        let second = Prepared::new(principal, act, move |tx, scope| {
            if is_registered {
                refuse_revoked(tx, scope, &new.artifact)?;
            }
            Ok(publish(tx, scope, &new)?)
        });
        Ok(second.after(first))
    }
}

/// A revocation that was acknowledged is in force, also for what was verified just before.
fn refuse_revoked(tx: &dyn WriteTx, scope: &Scope, artifact: &Artifact) -> Result<(), EngineError> {
    let key = registry::find_key(tx, scope, KeyId(artifact.public_key))?;
    if key.is_some_and(|key| key.revoked_at_ms.is_none()) {
        return Ok(());
    }
    let (user_id, tenant_id) = (artifact.author.clone(), artifact.tenant_name.clone());
    Err(ArtifactError::UnknownKey { user_id, tenant_id }.into())
}
