//! Artifacts in the search index.

mod documents;
mod rebuild;

use cairn_access::Action;
use cairn_artifacts::{ArtifactEvent, ArtifactId, COLLECTIONS, Content};
use cairn_base::TenantId;
use cairn_seam::{Change as Commit, Snapshot};
use cairn_search::document::Collection;

use self::documents::Documents;
use super::memory::Artifacts;
use crate::memory::{Searchable, Walk};
use crate::search::{Taking, in_spite_of_damage};
use crate::{Engine, EngineError};

impl Searchable for Artifacts {
    fn collections(&self) -> &'static [Collection] {
        COLLECTIONS
    }

    fn written_by(&self) -> &'static [Action] {
        &[Action::ArtifactPublish]
    }

    fn take(
        &self,
        engine: &Engine,
        tenant: TenantId,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        taking: &mut Taking<'_>,
    ) -> Result<(), EngineError> {
        let mut touched: Vec<ArtifactId> = Vec::new();
        for event in commits.iter().flat_map(|commit| &commit.events) {
            touched.extend(ArtifactEvent::decode(event)?.map(ArtifactEvent::id));
        }
        if touched.is_empty() {
            return Ok(());
        }
        touched.sort_unstable();
        touched.dedup();
        let documents = Documents::new(engine, snapshot, tenant)?;
        taking.add(in_spite_of_damage(&touched, "artifact", |ids| documents.changes(ids))?);
        Ok(())
    }

    fn walk<'a>(
        &'a self,
        engine: &'a Engine,
        snapshot: &dyn Snapshot,
    ) -> Result<Box<dyn Walk + 'a>, EngineError> {
        Ok(Box::new(rebuild::Everything::of(engine, snapshot)?))
    }
}

/// The first bytes of content.
pub(super) fn first_bytes(
    engine: &Engine,
    tenant: TenantId,
    content: &Content,
    bytes_max: usize,
) -> Result<Vec<u8>, EngineError> {
    let bytes = usize::try_from(content.bytes).unwrap_or(usize::MAX).min(bytes_max);
    let mut first = vec![0; bytes];
    let reader = engine.pipeline.store().open_named_blob(tenant, &content.hash)?;
    let read = reader.read_at(0, &mut first)?;
    first.truncate(read);
    Ok(first)
}
