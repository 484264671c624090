//! Importing a bundle.
//!
//! Nothing inside of a bundle is trusted. An artifact is imported if a key that this node knows of its author signed it;
//! one whose author is not known here is put into quarantine; one whose signature is wrong is refused. Entries count
//! when a signed head follows them.

use std::collections::BTreeMap;
use std::io::Read;

use cairn_access::identity::{DerivedFrom, PublicKey, Verified};
use cairn_access::registry::{RegistryError, TenantName};
use cairn_access::{Action, Principal, Resource, registry};
use cairn_artifacts::bundle::{
    AttestedBy, BundleError, BundleReader, BundledArtifact, BundledTombstone, Entry,
};
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, Attestation, Content, Payload, Publish, Reservation,
    SignedTombstone, Tombstone, artifact, by_content, check_quarantine, delete, find, limits, publish,
    quarantine, reserve, signer, tables::UPLOADS,
};
use cairn_base::{CanonicalObject, Position, TenantId, Value};
use cairn_seam::{Blob, OnStage, Sha256, Snapshot, Stage, StoreError, Upload};

use super::upload::{publishing, upload_entry};
use crate::{Act, Engine, EngineError, Prepared};

/// Artifacts and tombstones without a signed head behind them, at most: they are held in memory.
const UNCOVERED_MAX: usize = 20_000;
/// Bytes of them.
const UNCOVERED_BYTES_MAX: usize = 64 << 20;
/// Artifacts that are stored in one transaction.
const TOGETHER: usize = 256;
/// Bytes of short content that wait to be stored together.
const CONTENT_TOGETHER_BYTES: u64 = 8 << 20;
/// Notes in a report.
const NOTES_MAX: usize = 1000;

/// The outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArtifactImport {
    /// Artifacts that were imported.
    pub imported: u64,
    /// Artifacts that were here already.
    pub known: u64,
    /// Artifacts whose authors are not known here.
    pub quarantined: u64,
    /// Artifacts that were refused.
    pub refused: u64,
    /// Tombstones that were applied.
    pub tombstones: u64,
    /// Bytes of content that were stored.
    pub content_bytes: u64,
    /// Bytes behind the last signed head.
    pub torn_bytes: u64,
    /// What was quarantined or refused, and why.
    pub notes: Vec<ArtifactNote>,
}

/// An artifact that was not imported as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactNote {
    /// The artifact.
    pub id: String,
    /// `quarantined` or `refused`.
    pub outcome: &'static str,
    /// Why.
    pub reason: String,
}

impl ArtifactImport {
    fn refuse(&mut self, id: String, reason: impl ToString) {
        self.refused += 1;
        self.note(id, "refused", reason.to_string());
    }

    fn note(&mut self, id: String, outcome: &'static str, reason: String) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(ArtifactNote { id, outcome, reason });
        }
    }
}

impl Engine {
    /// Whether the caller may import at all: asked before a bundle is read.
    pub fn permit_artifact_import(&self, principal: &Principal) -> Result<(), EngineError> {
        self.pipeline.permit(principal, &publishing(principal.tenant())).map(drop)
    }

    /// Imports a bundle. The same bundle again changes nothing, so an import that was cut can be repeated.
    pub fn import_artifacts(
        &self,
        principal: &Principal,
        bundle: impl Read,
        on_stage: OnStage<'_>,
    ) -> Result<ArtifactImport, EngineError> {
        self.permit_artifact_import(principal)?;
        let mut reader = BundleReader::open(bundle).map_err(unreadable)?;
        let mut importing = Importing {
            engine: self,
            principal,
            artifacts: Vec::new(),
            tombstones: Vec::new(),
            bytes: 0,
            contents: Vec::new(),
            content_bytes: 0,
            report: ArtifactImport::default(),
        };
        while let Some(entry) = reader.next_entry().map_err(unreadable)? {
            match entry {
                Entry::Artifact(artifact) => importing.gather(artifact)?,
                Entry::Tombstone(tombstone) => importing.tombstones.push(tombstone),
                // Keys inside of a bundle are never trusted.
                Entry::Key(_) => {}
                Entry::Content { sha256, length } => importing.content(&mut reader, sha256, length)?,
                Entry::Head(_) => {
                    importing.covered()?;
                    let done = importing.report.imported + importing.report.known;
                    if !on_stage(Stage { name: "importing artifacts", done, total: 0 }) {
                        return Err(StoreError::Stopped.into());
                    }
                }
            }
        }
        importing.report.torn_bytes = reader.tail().map_or(0, |tail| tail.torn_bytes);
        Ok(importing.report)
    }
}

struct Importing<'a> {
    engine: &'a Engine,
    principal: &'a Principal,
    artifacts: Vec<BundledArtifact>,
    tombstones: Vec<BundledTombstone>,
    bytes: usize,
    contents: Vec<Blob>,
    content_bytes: u64,
    report: ArtifactImport,
}

/// The outcome of checking one artifact.
enum Checked {
    Publish(TenantId, Box<Publish>),
    Quarantine(Box<Publish>, String),
    Known,
}

impl Importing<'_> {
    fn gather(&mut self, artifact: BundledArtifact) -> Result<(), EngineError> {
        self.bytes += artifact.payload.len() + 256;
        self.artifacts.push(artifact);
        if self.artifacts.len() + self.tombstones.len() > UNCOVERED_MAX || self.bytes > UNCOVERED_BYTES_MAX {
            let cause =
                format!("more than {UNCOVERED_MAX} artifacts without a signed head; export with more heads");
            return Err(EngineError::Input { cause });
        }
        Ok(())
    }

    /// Takes content in: it is stored for the importer, and goes within a day if nothing names it.
    fn content<R: Read>(
        &mut self,
        reader: &mut BundleReader<R>,
        sha256: Sha256,
        length: u64,
    ) -> Result<(), EngineError> {
        let store = self.engine.pipeline.store();
        let mut upload: Box<dyn Upload> = store.upload(self.principal.tenant())?;
        let mut failed = None;
        let is_whole = reader.content(&mut |bytes| {
            upload.write(bytes).map_err(|error| {
                let told = std::io::Error::other(error.to_string());
                failed = Some(error);
                told
            })
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        if !is_whole.map_err(unreadable)? {
            return Ok(());
        }
        let blob = upload.finish()?.with_sha256();
        super::upload::check(&blob, sha256)?;
        self.contents.push(blob);
        self.content_bytes += length;
        if self.content_bytes >= CONTENT_TOGETHER_BYTES { self.store_contents() } else { Ok(()) }
    }

    fn store_contents(&mut self) -> Result<(), EngineError> {
        let blobs = std::mem::take(&mut self.contents);
        self.content_bytes = 0;
        if blobs.is_empty() {
            return Ok(());
        }
        let entries: Vec<_> =
            blobs.iter().map(|blob| upload_entry(self.engine, self.principal, blob)).collect();
        let act = publishing(self.principal.tenant());
        let stored = self.engine.commit(Prepared::new(self.principal, act, move |tx, _| {
            let mut stored = 0;
            for (blob, (key, value, expires_at_ms)) in blobs.iter().zip(&entries) {
                if !tx.keep_blob(&blob.hash())? {
                    stored += blob.len();
                }
                tx.put_blob(blob)?;
                tx.hashed_put(UPLOADS, key, value, Some(*expires_at_ms))?;
            }
            Ok(stored)
        }))?;
        self.report.content_bytes += stored.value;
        Ok(())
    }

    /// A signed head covers everything so far: it is stored.
    fn covered(&mut self) -> Result<(), EngineError> {
        self.store_contents()?;
        self.bytes = 0;
        let artifacts = std::mem::take(&mut self.artifacts);
        for together in artifacts.chunks(TOGETHER) {
            let mut to_publish: BTreeMap<TenantId, Vec<Publish>> = BTreeMap::new();
            let mut to_quarantine = Vec::new();
            let snapshot = self.engine.pipeline.store().snapshot(Position::START)?;
            for bundled in together {
                match self.check(&*snapshot, bundled) {
                    Ok(Checked::Publish(tenant, new)) => to_publish.entry(tenant).or_default().push(*new),
                    Ok(Checked::Quarantine(new, reason)) => to_quarantine.push((*new, reason)),
                    Ok(Checked::Known) => self.report.known += 1,
                    Err(error) if is_failure(&error) => return Err(error),
                    Err(error) => self.report.refuse(id_in(&bundled.payload), error),
                }
            }
            drop(snapshot);
            for (tenant, all) in to_publish {
                self.publish(tenant, all)?;
            }
            self.quarantine(to_quarantine)?;
        }
        for tombstone in std::mem::take(&mut self.tombstones) {
            self.bury(&tombstone)?;
        }
        Ok(())
    }

    fn check(&self, snapshot: &dyn Snapshot, bundled: &BundledArtifact) -> Result<Checked, EngineError> {
        let mut object = CanonicalObject::parse(bundled.payload.as_bytes()).map_err(ArtifactError::from)?;
        object
            .set("signature", &Value::String(bundled.signature.to_string()))
            .map_err(ArtifactError::from)?;
        let payload = Payload::read(&object)?;
        let key = PublicKey::from_bytes(&bundled.public_key).map_err(|error| input(&error))?;
        if !key.has_signed(bundled.payload.as_bytes(), &bundled.signature) {
            return Err(input(&"its signature does not verify"));
        }
        let own = self.principal.tenant();
        let (tenant, reason) = match self.tenant(snapshot, &payload)? {
            Some(tenant) => (tenant, None),
            None => (own, Some(format!("tenant {:?} is not the importer's", payload.tenant_id))),
        };
        let scope = self.engine.artifact_scope(tenant)?;
        if let Some(known) = artifact(snapshot, &scope, payload.id)? {
            let is_same = known.is_live() && known.signature == bundled.signature;
            return if is_same { Ok(Checked::Known) } else { Err(ArtifactError::Duplicate(known.id).into()) };
        }
        let reason = match (reason, bundled.attested_by) {
            (Some(reason), _) => Some(reason),
            (None, AttestedBy::Node) => {
                let is_own = *self.engine.signing_identity()?.public_key().as_bytes() == bundled.public_key;
                (!is_own).then(|| "another node signed it for its author".to_owned())
            }
            (None, AttestedBy::Author) => match signer(snapshot, &scope, &object, &payload) {
                Ok(_) => None,
                Err(ArtifactError::UnknownKey { .. } | ArtifactError::Signature { .. }) => {
                    Some(format!("the key {key} is not registered for {:?}", payload.user_id))
                }
                Err(error) => return Err(error.into()),
            },
        };
        let content = self.content_of(snapshot, tenant, &payload)?;
        let new = Box::new(self.ready(bundled, payload, content)?);
        Ok(match reason {
            None => Checked::Publish(tenant, new),
            Some(reason) => Checked::Quarantine(new, reason),
        })
    }

    /// The tenant that an artifact goes to; `None` if the importer may not publish there.
    fn tenant(&self, snapshot: &dyn Snapshot, payload: &Payload) -> Result<Option<TenantId>, EngineError> {
        if payload.tenant_id == self.principal.tenant_name() {
            return Ok(Some(self.principal.tenant()));
        }
        let Ok(name) = TenantName::parse(&payload.tenant_id) else { return Ok(None) };
        if !self.principal.is_local_owner() {
            return Ok(None);
        }
        let node = self.engine.artifact_scope(TenantId::NODE)?;
        Ok(registry::find_tenant(snapshot, &node, &name)?.map(|tenant| tenant.id))
    }

    /// Content that came with the bundle, or is here already for the importer.
    fn content_of(
        &self,
        snapshot: &dyn Snapshot,
        tenant: TenantId,
        payload: &Payload,
    ) -> Result<Option<Content>, EngineError> {
        let sha256 = payload.content_hash;
        if tenant != self.principal.tenant() {
            // Blobs are a tenant's own: content of others has to be sent to them.
            let scope = self.engine.artifact_scope(tenant)?;
            let same = by_content(snapshot, &[scope], &sha256, 1)?;
            return Ok(find(snapshot, &same)?.into_iter().flatten().find_map(|known| known.content));
        }
        self.engine.uploaded(snapshot, self.principal, tenant, sha256)
    }

    fn ready(
        &self,
        bundled: &BundledArtifact,
        payload: Payload,
        content: Option<Content>,
    ) -> Result<Publish, EngineError> {
        let derived_from = bundled.derived_from.map(ArtifactId::from_bytes);
        let is_signed = derived_from.is_none();
        let payload = Payload { derived_from: payload.derived_from.or(derived_from), ..payload };
        let attestation = match bundled.attested_by {
            AttestedBy::Author => Attestation::Author,
            AttestedBy::Node => Attestation::Node,
        };
        let derived = if is_signed { DerivedFrom::Signed } else { DerivedFrom::Unsigned };
        let verified =
            Verified { signed: bundled.payload.clone(), signature: bundled.signature, derived_from: derived };
        self.engine.ready_artifact(payload, verified, bundled.public_key, attestation, content, None)
    }

    fn publish(&mut self, tenant: TenantId, all: Vec<Publish>) -> Result<(), EngineError> {
        let mut wanted = Vec::new();
        for new in &all {
            wanted.push(Reservation::of(&new.artifact, tenant));
        }
        let home = Act::new(Action::ArtifactHome, Resource::NODE);
        let reserving = Prepared::new(&Principal::node(), home, move |tx, node| {
            let reserved = wanted.iter().map(|wanted| match wanted {
                Ok(wanted) => refused_or_failed(reserve(tx, node, wanted)),
                Err(error) => Ok(Err(error.clone())),
            });
            reserved.collect::<Result<Vec<_>, _>>()
        });
        let reserved = self.engine.commit(reserving)?.value;
        let mut ready = Vec::new();
        for (new, reserved) in all.into_iter().zip(reserved) {
            match reserved {
                Ok(()) => ready.push(new),
                Err(error) => self.report.refuse(new.artifact.id.to_string(), error),
            }
        }
        let ids: Vec<_> = ready.iter().map(|new| new.artifact.id).collect();
        let act = Act::new(Action::ArtifactPublish, Resource::tenant(tenant));
        let storing = Prepared::new(self.principal, act, move |tx, scope| {
            let stored = ready.iter().map(|new| refused_or_failed(publish(tx, scope, new)));
            stored.collect::<Result<Vec<_>, _>>()
        });
        let stored = self.engine.commit(storing)?.value;
        for (id, stored) in ids.into_iter().zip(stored) {
            match stored {
                Ok(done) if done.is_new => self.report.imported += 1,
                Ok(_) => self.report.known += 1,
                Err(error) => self.report.refuse(id.to_string(), error),
            }
        }
        Ok(())
    }

    fn quarantine(&mut self, all: Vec<(Publish, String)>) -> Result<(), EngineError> {
        if all.is_empty() {
            return Ok(());
        }
        let (new, reasons): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let ids: Vec<_> = new.iter().map(|new| new.artifact.id.to_string()).collect();
        let storing = Prepared::new(self.principal, publishing(self.principal.tenant()), move |tx, scope| {
            check_quarantine(tx, scope, new.len())?;
            let stored = new.iter().map(|new| refused_or_failed(quarantine(tx, scope, new)));
            stored.collect::<Result<Vec<_>, _>>()
        });
        let stored = self.engine.commit(storing)?.value;
        for ((id, reason), stored) in ids.into_iter().zip(reasons).zip(stored) {
            match stored {
                Ok(_) => {
                    self.report.quarantined += 1;
                    self.report.note(id, "quarantined", reason);
                }
                Err(error) => self.report.refuse(id, error),
            }
        }
        Ok(())
    }

    /// Applies a tombstone that the author, an administrator or the node that accepted the artifact signed.
    fn bury(&mut self, bundled: &BundledTombstone) -> Result<(), EngineError> {
        let id = id_in(&bundled.text);
        match self.buried(bundled) {
            Ok(true) => self.report.tombstones += 1,
            Ok(false) => {}
            Err(error) if is_failure(&error) => return Err(error),
            Err(error) => self.report.refuse(id, error),
        }
        Ok(())
    }

    fn buried(&self, bundled: &BundledTombstone) -> Result<bool, EngineError> {
        let mut object = CanonicalObject::parse(bundled.text.as_bytes()).map_err(ArtifactError::from)?;
        object
            .set("signature", &Value::String(bundled.signature.to_string()))
            .map_err(ArtifactError::from)?;
        let said = Tombstone::read(&object)?;
        let tenant = self.principal.tenant();
        let scope = self.engine.artifact_scope(tenant)?;
        let snapshot = self.engine.pipeline.store().snapshot(Position::START)?;
        let known = artifact(&*snapshot, &scope, said.id)?;
        let known: Artifact = known.ok_or_else(|| input(&"no such artifact to delete"))?;
        if !known.is_live() {
            return Ok(false);
        }
        let signed = if bundled.public_key == known.accepted_by {
            let key = PublicKey::from_bytes(&bundled.public_key).map_err(|error| input(&error))?;
            SignedTombstone::verify(&object, &key)?
        } else {
            self.engine.tombstone_signer(&*snapshot, &scope, &object, &said, &known)?
        };
        drop(snapshot);
        let purge_at_ms = self.engine.purge_at_ms();
        let act = Act::new(Action::ArtifactDelete, Resource::tenant(tenant))
            .shared(known.sharing().to_owned())
            .on(format!("artifact {}", known.id))
            .deleting();
        let (id, at) = (known.id, said.deleted_at_ms);
        let owner = Principal::local_owner();
        self.engine.commit(Prepared::new(&owner, act, move |tx, scope| {
            Ok(delete(tx, scope, id, &signed, at, purge_at_ms)?)
        }))?;
        Ok(true)
    }
}

/// Inside of a transaction: what was refused before anything of it was written is left out, and everything else fails
/// the transaction, of which half an artifact may be written by then.
fn refused_or_failed<T>(outcome: Result<T, ArtifactError>) -> Result<Result<T, ArtifactError>, EngineError> {
    match outcome {
        Err(ArtifactError::Duplicate(_) | ArtifactError::Payload(_)) | Ok(_) => Ok(outcome),
        Err(error) => Err(error.into()),
    }
}

/// Whether the store failed, which says nothing about what is imported.
fn is_failure(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Store(_)
            | EngineError::Registry(RegistryError::Store(_))
            | EngineError::Artifact(
                ArtifactError::Store(_) | ArtifactError::Registry(RegistryError::Store(_))
            )
    )
}

fn id_in(json: &str) -> String {
    let object = CanonicalObject::parse(json.as_bytes()).ok();
    let id = object.and_then(|object| object.get_str("id")).unwrap_or_default();
    id.chars().filter(|c| !c.is_control()).take(limits::TAG_CHARS_MAX).collect()
}

fn input(cause: &dyn ToString) -> EngineError {
    EngineError::Input { cause: cause.to_string() }
}

fn unreadable(error: BundleError) -> EngineError {
    EngineError::Input { cause: error.to_string() }
}
