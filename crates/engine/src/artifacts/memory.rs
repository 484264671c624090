//! The memory of artifacts, as shared code knows it.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::identity::Identity;
use cairn_access::{Action, Principal};
use cairn_artifacts::{ArtifactError, blobs_of_artifact, blobs_of_quarantined, tables};
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{
    EventKind, HashedKeyspace, Keyspace, MaintenanceReport, OnStage, Selection, Snapshot, StoreError,
};
use parking_lot::Mutex;

use super::salvage::LostArtifacts;
use super::signing::Signing;
use super::usage::Counted;
use crate::memory::{Memory, Primary, PrimaryId, Salvage, Searchable};
use crate::references::{Reference, Referring, VisitReference};
use crate::{Engine, EngineConfig, EngineError};

/// The memory of artifacts, with what it keeps between calls.
pub(crate) struct Artifacts {
    /// Reads and downloads that are not stored yet.
    pub(super) counted: Counted,
    pub(super) signing: Option<Arc<dyn Signing>>,
    /// The key of the node, once something was signed with it.
    pub(super) identity: Mutex<Option<Arc<Identity>>>,
    /// How long content of deleted artifacts is kept.
    pub(super) keep_deleted: Option<Duration>,
}

impl Artifacts {
    pub(crate) fn new(config: &EngineConfig, _now_ms: u64) -> Self {
        Artifacts {
            counted: Counted::default(),
            signing: config.signing.clone(),
            identity: Mutex::new(None),
            keep_deleted: config.keep_deleted_content,
        }
    }
}

impl Memory for Artifacts {
    fn name(&self) -> &'static str {
        "artifacts"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        tables::KEYSPACES
    }

    fn hashed_keyspaces(&self) -> &'static [HashedKeyspace] {
        &[tables::UPLOADS]
    }

    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        tables::EVENT_KINDS
    }

    fn referring(&self) -> &'static [Referring] {
        REFERRING
    }

    fn search(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn hides_blob(
        &self,
        engine: &Engine,
        snapshot: &dyn Snapshot,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<bool, EngineError> {
        engine.hides_content(snapshot, principal, tenant, hash)
    }

    fn verify(
        &self,
        engine: &Engine,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        engine.verify_artifacts(repair, report, on_stage)
    }

    fn upkeep(&self, engine: &Engine, on_stage: OnStage<'_>) {
        engine.flush_usage_when_due();
        engine.purge_content_when_due(on_stage);
    }

    fn closing(&self, engine: &Engine) {
        engine.flush_usage();
    }

    fn forget(&self, engine: &Engine, selector: &str) -> Result<Option<Vec<Selection>>, EngineError> {
        engine.forget_artifact(selector)
    }

    fn primary(&self) -> &'static [Primary] {
        PRIMARY
    }

    fn salvage(&self) -> Option<Box<dyn Salvage>> {
        Some(Box::new(LostArtifacts))
    }
}

impl Engine {
    /// The scope of a tenant's artifacts, for work that the node does for itself.
    pub(super) fn artifact_scope(&self, tenant: TenantId) -> Result<cairn_access::Scope, EngineError> {
        self.pipeline.node_scope(Action::ArtifactRead, tenant)
    }
}

/// Records that are not rebuilt from others.
const PRIMARY: &[Primary] = &[
    Primary { keyspace: tables::ARTIFACTS, kind: "artifact", id: PrimaryId::Bytes },
    Primary { keyspace: tables::TOMBSTONES, kind: "tombstone of artifact", id: PrimaryId::Bytes },
    Primary { keyspace: tables::QUARANTINE, kind: "artifact in quarantine", id: PrimaryId::Bytes },
];

const REFERRING: &[Referring] = &[
    Referring { keyspace: tables::ARTIFACTS, called: None, folder: None, references: artifact_references },
    Referring { keyspace: tables::QUARANTINE, called: None, folder: None, references: quarantine_references },
];

fn artifact_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    blobs_of_artifact(value)
        .map_err(|error| undecodable(&error))?
        .for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn quarantine_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    blobs_of_quarantined(value)
        .map_err(|error| undecodable(&error))?
        .for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn undecodable(error: &ArtifactError) -> StoreError {
    StoreError::Record { detail: error.to_string() }
}
