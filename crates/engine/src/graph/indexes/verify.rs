//! What the doctor says about ordered indexes, and does about them.

use cairn_access::Scope;
use cairn_base::Position;
use cairn_graph::{
    CheckPlace, ConceptId, IndexField, IndexId, IndexInfo, View, all_indexes, create_index, drop_index,
};
use cairn_seam::{Finding, MaintenanceReport, OnStage, Stage, StoreError};

use crate::{Engine, EngineError};

/// Concepts or entries that one snapshot is asked for.
const CHECK_PAGE: usize = 1000;

impl Engine {
    /// Adds which indexes do not hold what records say. They are derived: `repair` makes them anew.
    pub(crate) fn verify_indexes(
        &self,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let all = all_indexes(&*self.pipeline.store().snapshot(Position::START)?)?;
        for (tenant, space, info) in all {
            let scope = self.own_space(tenant, space)?;
            let wrong = self.wrong_in_index(&scope, info.index.id, on_stage)?;
            if wrong == 0 {
                continue;
            }
            let mut detail = format!(
                "index {} of space {space} of tenant {tenant} does not agree with its concepts in {wrong} places",
                info.index.id.0
            );
            let repaired = match repair.then(|| self.make_index_anew(&scope, &info, on_stage)) {
                None => false,
                Some(Ok(())) => true,
                Some(Err(error @ EngineError::Store(StoreError::Stopped))) => return Err(error),
                // The others are looked at all the same.
                Some(Err(error)) => {
                    detail.push_str(&format!("; it could not be made anew: {error}"));
                    false
                }
            };
            report.findings.push(Finding { file: "records".into(), offset: 0, detail, repaired });
        }
        Ok(())
    }

    /// How many of its concepts and entries do not agree.
    fn wrong_in_index(&self, scope: &Scope, id: IndexId, on_stage: OnStage<'_>) -> Result<u64, EngineError> {
        let (mut place, mut wrong, mut done) = (Some(CheckPlace::Concepts(ConceptId(0))), 0, 0);
        while let Some(here) = place {
            if !on_stage(Stage { name: "verifying ordered indexes", done, total: done }) {
                return Err(StoreError::Stopped.into());
            }
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            let view = View::new(&*snapshot, *scope);
            // It may be built, or dropped, meanwhile.
            let Some(info) = view.indexes()?.into_iter().find(|info| info.index.id == id) else { break };
            let page = view.check_index(&info, &here, CHECK_PAGE)?;
            wrong += page.wrong;
            done += page.looked_at;
            place = page.next;
        }
        Ok(wrong)
    }

    fn make_index_anew(
        &self,
        scope: &Scope,
        info: &IndexInfo,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let (index, origin) = (info.index.clone(), info.origin);
        let (old, kind) = (index.id, index.kind);
        let new = self.pipeline.step(scope, move |tx, scope| {
            drop_index(tx, scope, index.id)?;
            let field = IndexField { part: index.part, path: index.path.clone() };
            Ok(create_index(tx, scope, index.kind, &field, origin)?.index.id)
        })?;
        self.memories.graph.indexing.note_unfinished();
        self.complete_index(scope, kind, new, on_stage)?;
        self.clear_index(scope, old, self.clock().monotonic() + super::DROP_WITHIN)
    }
}
