//! Documents out of artifacts, each in the partitions of those who may find it.

use cairn_access::{Scope, mark};
use cairn_artifacts::{
    ARTIFACTS, Artifact, ArtifactId, document, extract, find, grantees, limits, load_payload,
};
use cairn_base::{SpaceId, TenantId};
use cairn_seam::{Snapshot, StoreError};
use cairn_search::document::{Change, Partition};

use super::first_bytes;
use crate::{Engine, EngineError};

pub(super) struct Documents<'a> {
    engine: &'a Engine,
    snapshot: &'a dyn Snapshot,
    scope: Scope,
    node: Scope,
}

impl<'a> Documents<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        snapshot: &'a dyn Snapshot,
        tenant: TenantId,
    ) -> Result<Self, EngineError> {
        let (scope, node) = (engine.artifact_scope(tenant)?, engine.artifact_scope(TenantId::NODE)?);
        Ok(Documents { engine, snapshot, scope, node })
    }

    /// Changes of documents that bring the index to what the store says of these.
    pub(super) fn changes(&self, ids: &[ArtifactId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        let wanted: Vec<_> = ids.iter().map(|id| (self.scope, *id)).collect();
        let mut changes = Vec::new();
        for (id, artifact) in ids.iter().zip(find(self.snapshot, &wanted)?) {
            match artifact {
                Some(artifact) if artifact.is_live() => changes.extend(self.added(&artifact)?),
                Some(artifact) => changes.extend(self.removed(&artifact)?),
                None => changes.push((self.home(), Change::Remove(id.as_bytes().to_vec()))),
            }
        }
        Ok(changes)
    }

    fn home(&self) -> Partition {
        ARTIFACTS.partition(self.scope.tenant(), SpaceId::NONE)
    }

    fn added(&self, artifact: &Artifact) -> Result<Vec<(Partition, Change)>, EngineError> {
        let (_, payload) = load_payload(self.snapshot, &self.scope, artifact)?;
        let text = self.text(artifact, &payload.format)?;
        let marks = artifact.sharing().marks();
        let partitions = self.partitions(artifact, &marks)?;
        let tenant = self.scope.tenant();
        let added = |(partition, visible_to): (Partition, Vec<String>)| {
            (partition, Change::Replace(document(tenant, artifact, &payload, text.clone(), visible_to)))
        };
        Ok(partitions.into_iter().map(added).collect())
    }

    fn removed(&self, artifact: &Artifact) -> Result<Vec<(Partition, Change)>, EngineError> {
        // What was erased says no more who could read it.
        let mut partitions = self.partitions(artifact, &artifact.sharing().marks())?;
        partitions.push((self.home(), Vec::new()));
        partitions.push((ARTIFACTS.partition(TenantId::NODE, SpaceId::NONE), Vec::new()));
        let id = artifact.id.as_bytes();
        Ok(partitions.into_iter().map(|(partition, _)| (partition, Change::Remove(id.to_vec()))).collect())
    }

    /// The partitions of those who may find an artifact, and the marks of its readers there; no marks for everyone.
    fn partitions(
        &self,
        artifact: &Artifact,
        marks: &[String],
    ) -> Result<Vec<(Partition, Vec<String>)>, EngineError> {
        if marks.iter().any(|mark| mark == mark::EVERYONE) {
            return Ok(vec![(ARTIFACTS.partition(TenantId::NODE, SpaceId::NONE), Vec::new())]);
        }
        let of_tenant = |name: &str| -> Vec<String> {
            marks.iter().filter(|mark| mark::tenant_of(mark) == Some(name)).cloned().collect()
        };
        let mut partitions = vec![(self.home(), of_tenant(&artifact.tenant_name))];
        let mut others: Vec<_> = marks.iter().filter_map(|mark| mark::tenant_of(mark)).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|name| *name != artifact.tenant_name);
        for (name, space) in others.iter().zip(grantees(self.snapshot, &self.node, &others)?) {
            if let Some(space) = space {
                partitions.push((ARTIFACTS.partition(TenantId::NODE, space), of_tenant(name)));
            }
        }
        Ok(partitions)
    }

    /// The text of the content; nothing if the content is gone or damaged, which costs only itself.
    fn text(&self, artifact: &Artifact, format: &str) -> Result<String, EngineError> {
        let Some(content) = &artifact.content else { return Ok(String::new()) };
        let bytes_max = limits::EXTRACT_CONTENT_BYTES_MAX;
        match first_bytes(self.engine, self.scope.tenant(), content, bytes_max) {
            Ok(bytes) => Ok(extract(format, &bytes)),
            Err(EngineError::Store(StoreError::BlobGone { .. } | StoreError::BlobLost { .. })) => {
                Ok(String::new())
            }
            Err(error) => Err(error),
        }
    }
}
