//! Exporting artifacts as a bundle: everything that the caller may read, with content, keys and tombstones.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use cairn_access::registry::{self, Page, UserId};
use cairn_access::{Action, Principal};
use cairn_artifacts::bundle::{
    AttestedBy, BundleError, BundleWriter, BundledArtifact, BundledKey, BundledTombstone,
};
use cairn_artifacts::{
    Artifact, ArtifactId, Attestation, Found, PayloadAt, by_time, load_payload, tombstone,
};
use cairn_base::{Position, TenantId};
use cairn_seam::{BlobReader, OnStage, Snapshot, Stage, StoreError};

use super::events::ArtifactFilter;
use super::seen::{Hidden, SeenBy};
use crate::{Engine, EngineError};

/// Artifacts that are read from one snapshot.
const PAGE: usize = 256;

/// Artifacts to be exported.
#[derive(Debug, Clone, Default)]
pub struct ArtifactSelection {
    /// These, wherever they are stored; everything of the caller's tenant that it may read if empty.
    pub ids: Vec<ArtifactId>,
    /// Only what this filter admits.
    pub filter: ArtifactFilter,
    /// Only artifacts of this format.
    pub format: Option<String>,
    /// Not before, in Unix milliseconds.
    pub from_ms: Option<u64>,
    /// Before, in Unix milliseconds.
    pub to_ms: Option<u64>,
}

/// The outcome of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArtifactExport {
    /// Artifacts that were written.
    pub artifacts: u64,
    /// Tombstones that were written.
    pub tombstones: u64,
    /// Bytes of content that were written.
    pub content_bytes: u64,
}

impl Engine {
    /// Whether every id that is to be exported can be read by the caller: asked before the first byte is sent.
    pub fn check_export(
        &self,
        principal: &Principal,
        selection: &ArtifactSelection,
    ) -> Result<(), EngineError> {
        self.signing_identity()?;
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let seen = SeenBy { engine: self, snapshot, each, principal };
            selection.ids.iter().try_for_each(|id| seen.live(*id).map(drop))
        })
    }

    /// Writes a bundle. A signed head follows every page of artifacts, so that a bundle that was cut is good up to
    /// the last of them.
    pub fn export_artifacts(
        &self,
        principal: &Principal,
        selection: &ArtifactSelection,
        out: &mut dyn Write,
        on_stage: OnStage<'_>,
    ) -> Result<ArtifactExport, EngineError> {
        let mut bundle = BundleWriter::create(out, self.clock().now_ms()).map_err(failed)?;
        let identity = self.signing_identity()?;
        let mut exporting = Exporting {
            engine: self,
            principal,
            selection,
            contents: BTreeSet::new(),
            authors: BTreeSet::new(),
            done: ArtifactExport::default(),
        };
        let (mut after, mut ids) = (None, selection.ids.chunks(PAGE));
        loop {
            let written = exporting.done.artifacts;
            if !on_stage(Stage {
                name: "exporting artifacts",
                done: written,
                total: selection.ids.len() as u64,
            }) {
                return Err(StoreError::Stopped.into());
            }
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            let page: Vec<ArtifactId> = if selection.ids.is_empty() {
                let scope = self.artifact_scope(principal.tenant())?;
                let page = by_time(&*snapshot, &scope, after, PAGE)?;
                after = page.last().copied();
                page.into_iter().map(|(_, id)| id).collect()
            } else {
                ids.next().unwrap_or_default().to_vec()
            };
            if page.is_empty() {
                break;
            }
            exporting.page(&*snapshot, &page, &mut bundle)?;
            bundle.head(&identity, self.clock().now_ms()).map_err(failed)?;
        }
        bundle.finish(&identity, self.clock().now_ms()).map_err(failed)?;
        Ok(exporting.done)
    }
}

struct Exporting<'a> {
    engine: &'a Engine,
    principal: &'a Principal,
    selection: &'a ArtifactSelection,
    /// SHA-256 of content that is in the bundle.
    contents: BTreeSet<[u8; 32]>,
    /// Authors whose keys are in the bundle.
    authors: BTreeSet<(TenantId, String)>,
    done: ArtifactExport,
}

impl Exporting<'_> {
    fn page<W: Write>(
        &mut self,
        snapshot: &dyn Snapshot,
        ids: &[ArtifactId],
        bundle: &mut BundleWriter<W>,
    ) -> Result<(), EngineError> {
        let each = self.engine.pipeline.each(self.principal, Action::ArtifactRead);
        let seen = SeenBy { engine: self.engine, snapshot, each: &each, principal: self.principal };
        for found in seen.look_up(ids)? {
            match found {
                Ok(found) => self.one(snapshot, &found, bundle)?,
                Err(Hidden::Missing | Hidden::Refused(_)) => {}
            }
        }
        Ok(())
    }

    fn one<W: Write>(
        &mut self,
        snapshot: &dyn Snapshot,
        found: &Found,
        bundle: &mut BundleWriter<W>,
    ) -> Result<(), EngineError> {
        let (artifact, scope) = (&found.artifact, self.engine.artifact_scope(found.tenant)?);
        if artifact.payload == PayloadAt::Erased {
            return Ok(());
        }
        let (signed, payload) = load_payload(snapshot, &scope, artifact)?;
        let ArtifactSelection { filter, format, from_ms, to_ms, .. } = self.selection;
        let is_other = format.as_ref().is_some_and(|format| *format != payload.format)
            || from_ms.is_some_and(|from| payload.timestamp_ms < from)
            || to_ms.is_some_and(|to| payload.timestamp_ms >= to)
            || !filter.admits(&payload);
        if is_other {
            return Ok(());
        }
        if !artifact.is_live() {
            if let Some(signed) = tombstone(snapshot, &scope, artifact.id)? {
                let (text, signature, public_key) = (signed.signed, signed.signature, signed.public_key);
                bundle.tombstone(&BundledTombstone { text, signature, public_key }).map_err(failed)?;
                self.done.tombstones += 1;
            }
            return Ok(());
        }
        if self.authors.insert((found.tenant, artifact.author.clone())) {
            self.keys(snapshot, &scope, artifact, bundle)?;
        }
        self.content(found.tenant, artifact, bundle)?;
        let bundled = BundledArtifact {
            payload: signed,
            signature: artifact.signature,
            public_key: artifact.public_key,
            attested_by: match artifact.attestation {
                Attestation::Author => AttestedBy::Author,
                Attestation::Node => AttestedBy::Node,
            },
            derived_from: artifact.derived_from.map(|parent| *parent.as_bytes()),
            received_at_ms: artifact.received_at_ms,
        };
        bundle.artifact(&bundled).map_err(failed)?;
        self.done.artifacts += 1;
        Ok(())
    }

    fn content<W: Write>(
        &mut self,
        tenant: TenantId,
        artifact: &Artifact,
        bundle: &mut BundleWriter<W>,
    ) -> Result<(), EngineError> {
        let Some(content) = artifact.content else { return Ok(()) };
        if !self.contents.insert(*artifact.sha256.as_bytes()) {
            return Ok(());
        }
        let reader = self.engine.pipeline.store().open_named_blob(tenant, &content.hash)?;
        let mut bytes = BlobBytes { reader: &*reader, at: 0 };
        bundle.content(&artifact.sha256, content.bytes, &mut bytes).map_err(failed)?;
        self.done.content_bytes += content.bytes;
        Ok(())
    }

    fn keys<W: Write>(
        &self,
        snapshot: &dyn Snapshot,
        scope: &cairn_access::Scope,
        artifact: &Artifact,
        bundle: &mut BundleWriter<W>,
    ) -> Result<(), EngineError> {
        let Ok(user) = UserId::parse(&artifact.author) else { return Ok(()) };
        let page = Page { after: None, limit: cairn_access::limits::CREDENTIALS_OF_USER_MAX };
        for key in registry::keys(snapshot, scope, Some(&user), page)?.items {
            let (tenant, user) = (artifact.tenant_name.clone(), artifact.author.clone());
            let bundled = BundledKey { tenant, user, public_key: key.id.0, revoked_at_ms: key.revoked_at_ms };
            bundle.key(&bundled).map_err(failed)?;
        }
        Ok(())
    }
}

/// A blob as bytes that are read one after the other.
struct BlobBytes<'a> {
    reader: &'a dyn BlobReader,
    at: u64,
}

impl Read for BlobBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read_at(self.at, buffer).map_err(io::Error::other)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn failed(error: BundleError) -> EngineError {
    EngineError::Output { cause: error.to_string() }
}
