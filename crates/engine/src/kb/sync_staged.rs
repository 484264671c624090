//! Syncs that are larger than a transaction: written to a copy of the branch, which then takes its place.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource};
use cairn_kb::sync::{Keys, SyncPlan, SyncReport, batches, store_batch};
use cairn_kb::{BranchRecord, Version};
use cairn_seam::{OnStage, StoreError};
use parking_lot::MutexGuard;

use super::KbTarget;
use super::open::{Opened, version_of};
use super::sync::go_on;
use crate::graph::lifecycle::Staging;
use crate::{Act, Engine, EngineError, limits};

impl Engine {
    /// Stores a plan in a copy of the space of the branch, in steps, and publishes that in one transaction. The lock of
    /// the branch keeps other writers out meanwhile.
    pub(super) fn kb_stage_sync(
        &self,
        principal: &Principal,
        target: &KbTarget,
        opened: &Opened,
        _writing: &mut MutexGuard<'_, ()>,
        plan: &Arc<SyncPlan>,
        on_stage: OnStage<'_>,
    ) -> Result<SyncReport, EngineError> {
        let (expected, schema) = self.kb_state(opened, |state| (state.version, state.schema.clone()))?;
        let name = opened.record.space_name();
        let act = Act::new(Action::KbWrite, Resource::tenant(target.tenant)).on(format!("sync {name}"));
        let mut keys = Keys::default();
        let change = |staging: &Staging<'_>, on_stage: OnStage<'_>| {
            let all = batches(plan, limits::KB_SYNC_STEP_ITEMS, limits::KB_SYNC_STEP_BYTES);
            let total = all.len();
            for (done, batch) in all.into_iter().enumerate() {
                go_on(on_stage, "writing", done, total)?;
                let (plan, schema, before) = (Arc::clone(plan), schema.clone(), keys.clone());
                keys = staging.step(move |writer| {
                    // It may run more than once, and only the last run counts.
                    let mut keys = before.clone();
                    store_batch(writer, &schema, &plan, &batch, &mut keys)?;
                    Ok(keys)
                })?;
            }
            go_on(on_stage, "writing", total, total)
        };
        let (clock, record) = (Arc::clone(self.clock()), opened.record.clone());
        let next =
            move |tx: &mut dyn cairn_seam::WriteTx, from: &cairn_access::Scope, to: &cairn_access::Scope| {
                if version_of(&*tx, &record, from)? != Ok(expected) {
                    return Err(StoreError::Conflict.into());
                }
                let record = BranchRecord { space: to.space(), ..record.clone() };
                let version = Version { number: expected.number + 1, written_at_ms: clock.now_ms() };
                cairn_kb::remove_version(tx, from)?;
                cairn_kb::put_branch(tx, &record)?;
                Ok(cairn_kb::put_version(tx, to, version)?)
            };
        let space = opened.record.space;
        let staged = self.replace_space_with(principal, &act, (&name, space), on_stage, change, next)?;
        self.kb_move(principal, target, opened, plan, &keys, staged)?;
        let opened = self.kb_open(principal, target)?;
        let mut writing = self.kb_lock(&opened)?;
        self.kb_load(&opened, &mut writing)?;
        self.kb_report_sync(&opened, SyncReport { stored: true, staged: true, ..plan.report.clone() })
    }

    /// Makes the changes of a staged sync in memory: the branch moves to its new space.
    fn kb_move(
        &self,
        principal: &Principal,
        target: &KbTarget,
        opened: &Opened,
        plan: &SyncPlan,
        keys: &Keys,
        staged: cairn_base::SpaceId,
    ) -> Result<(), EngineError> {
        let old = opened.held.state.write().take();
        self.memories.kb.branches.forget(target.tenant, opened.record.space);
        let moved = self.kb_open(principal, target)?;
        // One that is read by others already, or was written to since, is read again.
        let Some(_writing) = moved.held.writing.try_lock() else { return Ok(()) };
        if let Some(mut state) = old.filter(|_| moved.record.space == staged) {
            let version = self.kb_version(&moved)?;
            if version.number == state.version.number + 1 {
                state.apply_sync(plan, keys, version);
                state.record = moved.record.clone();
                *moved.held.state.write() = Some(state);
            }
        }
        Ok(())
    }
}
