//! What the doctor verifies of KBs: that each branch has its record, its space with the KB's types, and its version.

use std::collections::BTreeSet;
use std::ops::Bound;

use cairn_access::{Action, Scope};
use cairn_base::{KeyReader, Position, SpaceId, TenantId};
use cairn_seam::{
    Finding, KeyRange, Keyspace, MaintenanceReport, OnStage, Snapshot, Stage, StoreError, limits,
};

use super::damage::{KEYSPACES, Wrong, look, mend, page};
use crate::{Engine, EngineError};

/// A check under way.
struct Verifying<'a, 'b> {
    engine: &'a Engine,
    repair: bool,
    report: &'a mut MaintenanceReport,
    on_stage: OnStage<'b>,
    done: u64,
    /// Spaces with a finding: their versions are not looked at.
    told: BTreeSet<(TenantId, SpaceId)>,
}

impl Engine {
    /// Adds which rows of the KB do not agree, and puts right with `repair` what follows from others.
    pub(super) fn verify_kb(
        &self,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let mut verifying =
            Verifying { engine: self, repair, report, on_stage, done: 0, told: BTreeSet::new() };
        KEYSPACES.into_iter().try_for_each(|keyspace| verifying.rows(keyspace))
    }
}

impl Verifying<'_, '_> {
    fn rows(&mut self, keyspace: Keyspace) -> Result<(), EngineError> {
        let mut low = Bound::Unbounded;
        loop {
            let snapshot = self.snapshot()?;
            let keys = page(&*snapshot, keyspace, KeyRange::new(low, Bound::Unbounded))?;
            let Some(last) = keys.last().cloned() else { return Ok(()) };
            self.done += keys.len() as u64;
            for key in keys {
                let Ok(tenant) = KeyReader::new(&key).tenant() else { continue };
                let scope = self.engine.pipeline.node_scope(Action::KbRead, tenant)?;
                if let Some(wrong) = look(&*snapshot, &scope, keyspace, &key)? {
                    self.treat(&scope, keyspace, key, wrong);
                }
            }
            low = Bound::Excluded(last);
        }
    }

    fn treat(&mut self, scope: &Scope, keyspace: Keyspace, key: Vec<u8>, wrong: Wrong) {
        let tenant = scope.tenant();
        let is_told = wrong.space.is_some_and(|space| self.told.contains(&(tenant, space)));
        if is_told && keyspace != cairn_kb::tables::BRANCHES {
            return;
        }
        let repaired = self.repair && wrong.cure.is_some() && self.mend(scope, keyspace, key);
        if self.report.findings.len() < limits::FINDINGS_MAX {
            self.told.extend(wrong.space.map(|space| (tenant, space)));
            let detail = format!("KB of tenant {tenant}: {}", wrong.detail);
            self.report.findings.push(Finding { file: "records".into(), offset: 0, detail, repaired });
        }
        if let Some(space) = wrong.space.filter(|_| repaired) {
            self.engine.memories.kb.branches.forget(tenant, space);
        }
    }

    /// Returns whether the row was put right.
    fn mend(&self, scope: &Scope, keyspace: Keyspace, key: Vec<u8>) -> bool {
        let (store, now_ms, scope) = (self.engine.pipeline.store(), self.engine.clock().now_ms(), *scope);
        cairn_seam::write(store, scope.tenant(), move |tx| mend(tx, &scope, (keyspace, &key), now_ms)).is_ok()
    }

    /// A snapshot, unless it is time to stop.
    fn snapshot(&mut self) -> Result<Box<dyn Snapshot>, EngineError> {
        if !(self.on_stage)(Stage { name: "verifying KBs", done: self.done, total: self.done }) {
            return Err(StoreError::Stopped.into());
        }
        Ok(self.engine.pipeline.store().snapshot(Position::START)?)
    }
}
