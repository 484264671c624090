//! What the doctor verifies of artifacts: signatures, and that indexes, edges and counts follow from the records.
//!
//! Whether content is there is verified for the records of all memories together (`references.rs`).

mod derived;

use std::ops::Bound;

use cairn_access::Scope;
use cairn_access::identity::PublicKey;
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, PayloadAt, bring_home, entries_from, find, id_in_key, is_at_home,
    load_payload, missing_entries, tables, tombstone,
};
use cairn_base::{Position, TenantId};
use cairn_seam::{Finding, Fix, MaintenanceReport, OnStage, Snapshot, Stage, StoreError, WriteTx, limits};

use crate::{Engine, EngineError};

/// Keys that are read from one snapshot.
const PAGE: usize = 256;

/// A check under way.
struct Verifying<'a, 'b> {
    engine: &'a Engine,
    repair: bool,
    report: &'a mut MaintenanceReport,
    on_stage: OnStage<'b>,
    done: u64,
}

/// What is wrong, and whether it was repaired.
type Wrong = (String, bool);

impl Engine {
    pub(super) fn verify_artifacts(
        &self,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let mut verifying = Verifying { engine: self, repair, report, on_stage, done: 0 };
        // Counts are compared with what the edges say, and edges with the records.
        verifying.records()?;
        verifying.strays()?;
        verifying.citations()
    }
}

impl Verifying<'_, '_> {
    fn records(&mut self) -> Result<(), EngineError> {
        let mut low = Bound::Unbounded;
        loop {
            let snapshot = self.snapshot("verifying artifacts")?;
            let Some((tenant, keys)) = entries_from(&*snapshot, tables::ARTIFACTS, low, PAGE)? else {
                return Ok(());
            };
            let scope = self.engine.artifact_scope(tenant)?;
            self.done += keys.len() as u64;
            for id in keys.iter().filter_map(|key| id_in_key(key)) {
                for wrong in self.wrong_with(&*snapshot, &scope, id)? {
                    self.note(tenant, id, wrong);
                }
            }
            low = behind(keys);
        }
    }

    fn wrong_with(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        id: ArtifactId,
    ) -> Result<Vec<Wrong>, EngineError> {
        let artifact = match find(snapshot, &[(*scope, id)]) {
            Ok(mut found) => found.pop().flatten(),
            Err(error @ ArtifactError::BadRecord { .. }) => return Ok(vec![(error.to_string(), false)]),
            Err(error) => return Err(error.into()),
        };
        let Some(artifact) = artifact else { return Ok(Vec::new()) };
        let mut wrong = Vec::new();
        if artifact.payload != PayloadAt::Erased {
            wrong.extend(wrong_signature(snapshot, scope, &artifact)?.map(|detail| (detail, false)));
            let is_buried = tombstone(snapshot, scope, id).is_ok_and(|found| found.is_some());
            if is_buried == artifact.is_live() {
                let detail =
                    if is_buried { "it has a tombstone and is not deleted" } else { "its tombstone is gone" };
                wrong.push((detail.into(), false));
            }
        }
        let missing = missing_entries(snapshot, scope, &artifact)?.len();
        if missing > 0 {
            let detail = format!("{missing} of its index entries and lineage edges are missing");
            let scope = *scope;
            let repaired = self.repair(scope.tenant(), move |tx| {
                let Some(artifact) = cairn_artifacts::artifact(tx, &scope, id)? else { return Ok(()) };
                apply(&missing_entries(tx, &scope, &artifact)?, tx)
            });
            wrong.push((detail, repaired));
        }
        let node = self.engine.artifact_scope(TenantId::NODE)?;
        let tenant = scope.tenant();
        if !is_at_home(snapshot, &node, tenant, &artifact)? {
            let repaired = self.repair(TenantId::NODE, move |tx| bring_home(tx, &node, tenant, &artifact));
            wrong.push(("the node does not know where it is".into(), repaired));
        }
        Ok(wrong)
    }

    /// A snapshot, unless it is time to stop.
    fn snapshot(&mut self, name: &'static str) -> Result<Box<dyn Snapshot>, EngineError> {
        if !(self.on_stage)(Stage { name, done: self.done, total: self.done }) {
            return Err(StoreError::Stopped.into());
        }
        Ok(self.engine.pipeline.store().snapshot(Position::START)?)
    }

    /// Carries out a repair, if repairs are asked for. Returns whether that was done.
    fn repair(
        &self,
        tenant: TenantId,
        mut work: impl FnMut(&mut dyn WriteTx) -> Result<(), ArtifactError> + Send + 'static,
    ) -> bool {
        let store = self.engine.pipeline.store();
        self.repair && cairn_seam::write(store, tenant, move |tx| work(tx).map_err(EngineError::from)).is_ok()
    }

    fn note(&mut self, tenant: TenantId, id: ArtifactId, (detail, repaired): Wrong) {
        if self.report.findings.len() < limits::FINDINGS_MAX {
            let detail = format!("artifact {id} of tenant {tenant}: {detail}");
            self.report.findings.push(Finding { file: "records".into(), offset: 0, detail, repaired });
        }
    }
}

/// Everything behind the last of these keys.
fn behind(keys: Vec<Vec<u8>>) -> Bound<Vec<u8>> {
    keys.into_iter().next_back().map_or(Bound::Unbounded, Bound::Excluded)
}

fn apply(fixes: &[Fix], tx: &mut dyn WriteTx) -> Result<(), ArtifactError> {
    Ok(fixes.iter().try_for_each(|fix| fix.apply(tx))?)
}

fn wrong_signature(
    snapshot: &dyn Snapshot,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<Option<String>, EngineError> {
    let signed = match load_payload(snapshot, scope, artifact) {
        Ok((signed, _)) => signed,
        Err(ArtifactError::Store(StoreError::BlobLost { .. } | StoreError::BlobGone { .. })) => {
            return Ok(Some("its payload is gone".into()));
        }
        Err(ArtifactError::Store(error)) => return Err(error.into()),
        Err(error) => return Ok(Some(format!("its payload does not decode: {error}"))),
    };
    let key = PublicKey::from_bytes(&artifact.public_key).ok();
    let is_signed = key.is_some_and(|key| key.has_signed(signed.as_bytes(), &artifact.signature));
    Ok((!is_signed).then(|| "its signature does not verify".into()))
}
