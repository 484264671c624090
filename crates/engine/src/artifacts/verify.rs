//! What the doctor verifies of artifacts: signatures, content, and that edges lead both ways.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_access::identity::PublicKey;
use cairn_artifacts::{
    Artifact, ArtifactError, ArtifactId, CheckedEdges, PayloadAt, check_edges, find, load_payload, tables,
};
use cairn_base::{KeyReader, Position, TenantId};
use cairn_seam::{Finding, KeyRange, MaintenanceReport, OnStage, Snapshot, Stage, StoreError, Visit, limits};

use crate::{Engine, EngineError};

/// Artifacts that one snapshot is asked for.
const PAGE: usize = 256;

impl Engine {
    pub(super) fn verify_artifacts(
        &self,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let (mut low, mut done) = (Bound::Unbounded, 0);
        loop {
            if !on_stage(Stage { name: "verifying artifacts", done, total: done }) {
                return Err(StoreError::Stopped.into());
            }
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            let mut page: Vec<(Vec<u8>, TenantId, ArtifactId)> = Vec::new();
            let range = KeyRange::new(low, Bound::Unbounded).limit(PAGE);
            snapshot.multi_scan(tables::ARTIFACTS, &[range], &mut |_, key, _| {
                let mut parts = KeyReader::new(key);
                if let (Ok(tenant), Ok(_), Ok(id)) = (parts.tenant(), parts.space(), parts.fixed()) {
                    page.push((key.to_vec(), tenant, ArtifactId::from_bytes(id)));
                }
                Visit::Continue
            })?;
            let Some((last, _, _)) = page.last() else { return Ok(()) };
            low = Bound::Excluded(last.clone());
            done += page.len() as u64;
            for (_, tenant, id) in &page {
                let scope = self.artifact_scope(*tenant)?;
                for (detail, repaired) in self.wrong_with(&*snapshot, &scope, *id, repair)? {
                    if report.findings.len() < limits::FINDINGS_MAX {
                        let detail = format!("artifact {id} of tenant {tenant}: {detail}");
                        report.findings.push(Finding { file: "records".into(), offset: 0, detail, repaired });
                    }
                }
            }
        }
    }

    /// What is wrong with an artifact, and whether it was repaired.
    fn wrong_with(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        id: ArtifactId,
        repair: bool,
    ) -> Result<Vec<(String, bool)>, EngineError> {
        let artifact = match find(snapshot, &[(*scope, id)]) {
            Ok(mut found) => found.pop().flatten(),
            Err(error @ ArtifactError::BadRecord { .. }) => return Ok(vec![(error.to_string(), false)]),
            Err(error) => return Err(error.into()),
        };
        let Some(artifact) = artifact else { return Ok(Vec::new()) };
        let mut wrong = Vec::new();
        if artifact.payload != PayloadAt::Erased
            && let Some(detail) = wrong_signature(snapshot, scope, &artifact)?
        {
            wrong.push((detail, false));
        }
        let CheckedEdges { missing } = check_edges(snapshot, scope, &artifact)?;
        if missing > 0 {
            let detail = format!("{missing} of its index entries and lineage edges are missing");
            let repaired = repair && self.rebuild_artifact(scope, id).is_ok();
            wrong.push((detail, repaired));
        }
        Ok(wrong)
    }

    fn rebuild_artifact(&self, scope: &Scope, id: ArtifactId) -> Result<(), EngineError> {
        let scope = *scope;
        cairn_seam::write(self.pipeline.store(), scope.tenant(), move |tx| {
            cairn_artifacts::rebuild_edges(tx, &scope, id).map_err(EngineError::from)
        })?;
        Ok(())
    }
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
        Err(error) => return Ok(Some(format!("its payload does not decode: {error}"))),
    };
    let key = PublicKey::from_bytes(&artifact.public_key).ok();
    let is_signed = key.is_some_and(|key| key.has_signed(signed.as_bytes(), &artifact.signature));
    Ok((!is_signed).then(|| "its signature does not verify".into()))
}
