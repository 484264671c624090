//! Syncs: files of a working tree become entities of a branch, in one commit.

use std::sync::Arc;
use std::thread;

use cairn_access::{Action, Principal, Resource};
use cairn_base::Position;
use cairn_graph::{GraphError, View, Writer};
use cairn_kb::limits::SYNC_CONTRADICTIONS_MAX;
use cairn_kb::sync::{
    Keys, Stored, SyncContradiction, SyncInput, SyncPlan, SyncReport, SyncedFiles, batches, list_files,
    plan_sync, store_batch,
};
use cairn_kb::{Change, CheckState, KbError, NodeKey, Version, stored_entities};
use cairn_seam::{OnStage, Stage, StoreError};
use parking_lot::MutexGuard;

use super::KbTarget;
use super::open::Opened;
use super::state::{BranchState, snapshot_id, space_scope};
use crate::{Act, Engine, EngineError, limits};

/// A branch that is changed by more than one part in so many is checked again as a whole.
const REBUILD_CHECKS_PART: usize = 8;

impl Engine {
    /// Returns the files that a branch was synced from, with their entities.
    pub fn kb_files(&self, principal: &Principal, target: &KbTarget) -> Result<SyncedFiles, EngineError> {
        self.kb_read(principal, target, |state, _| {
            Ok(SyncedFiles { sync_id: sync_id(state), ..list_files(&state.branch, &state.files) })
        })
    }

    /// Fails if a caller may not sync a branch, or the branch has no KB.
    pub fn kb_permit_sync(&self, principal: &Principal, target: &KbTarget) -> Result<(), EngineError> {
        let opened = self.kb_open(principal, target)?;
        let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
        self.pipeline.permit(principal, &act).map(drop)
    }

    /// Makes the entities of files what the files say, and removes those that no file names any more. It becomes visible
    /// in one commit: if it is larger than a transaction, it is written to a copy of the branch that then takes its place.
    /// Blocks while others write to the branch, and until it is durable; reads of the branch go on.
    ///
    /// Problems of documents are in the report. Stopped by `on_stage`, it changes nothing. Fails with
    /// [`KbError::SyncMoved`] if the input expects another sync than the last one.
    pub fn kb_sync(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &SyncInput,
        on_stage: OnStage<'_>,
    ) -> Result<SyncReport, EngineError> {
        input.check()?;
        self.kb_attempt(principal, target, |opened| {
            let act = Act::new(Action::KbWrite, Resource::space(target.tenant, opened.record.space));
            self.pipeline.permit(principal, &act)?;
            thread::sleep(self.search_pause(&act));
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
            let plan = self.kb_plan_sync(opened, input, on_stage)?;
            if input.header.validate_only {
                return self.kb_preview_sync(opened, plan);
            }
            let is_new = self.kb_state(opened, |state| state.files.syncs() == 0)?;
            if plan.is_empty() && !is_new {
                return self.kb_report_sync(opened, plan.report);
            }
            let plan = Arc::new(plan);
            let is_small = plan.size_min().0 <= self.memories.kb.sync_changes_max;
            let stored = match is_small {
                true => self.kb_store_sync(principal, &act, opened, &mut writing, &plan, on_stage),
                false => Err(StoreError::CommitTooLarge.into()),
            };
            match stored {
                Err(error) if is_too_large(&error) => {
                    self.kb_stage_sync(principal, target, opened, &mut writing, &plan, on_stage)
                }
                stored => stored,
            }
        })
    }

    /// Reads what the plan needs, and makes it.
    fn kb_plan_sync(
        &self,
        opened: &Opened,
        input: &SyncInput,
        on_stage: OnStage<'_>,
    ) -> Result<SyncPlan, EngineError> {
        let (named, schema) = self.kb_state(opened, |state| {
            if let Some(expected) = input.header.expect_sync.as_ref().filter(|id| **id != sync_id(state)) {
                return Err(KbError::SyncMoved { expected: expected.clone(), found: sync_id(state) });
            }
            Ok((input.named(&state.branch), state.schema.clone()))
        })??;
        let mut stored = Stored::with_capacity(named.len());
        for page in named.chunks(limits::KB_SYNC_PAGE) {
            go_on(on_stage, "examining", stored.len(), named.len())?;
            // Snapshots are short-lived. The lock keeps the branch as it is between two pages.
            let read = self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
                let scope = space_scope(scope, opened.record.space)?;
                let view = View::of_snapshot(snapshot, scope, &self.memories.graph.cache);
                Ok(stored_entities(&view, &schema, page)?)
            })?;
            if read.len() != page.len() {
                return Err(self.kb_lost(opened, "an entity is not in the store"));
            }
            stored.extend(read);
        }
        go_on(on_stage, "examining", named.len(), named.len())?;
        let now_ms = self.clock().now_ms();
        self.kb_state(opened, |state| plan_sync(&state.branch, &state.files, &stored, input, now_ms))?
            .map_err(EngineError::from)
    }

    /// Stores a plan in one transaction.
    fn kb_store_sync(
        &self,
        principal: &Principal,
        act: &Act,
        opened: &Opened,
        writing: &mut MutexGuard<'_, ()>,
        plan: &Arc<SyncPlan>,
        on_stage: OnStage<'_>,
    ) -> Result<SyncReport, EngineError> {
        go_on(on_stage, "writing", 0, 1)?;
        let (going, schema) = (Arc::clone(plan), self.kb_schema(opened)?);
        let all = batches(plan, usize::MAX, usize::MAX);
        let store = move |writer: &mut Writer<'_>| {
            let mut keys = Keys::default();
            for batch in &all {
                store_batch(writer, &schema, &going, batch, &mut keys)?;
            }
            Ok(keys)
        };
        let (keys, version) = self.kb_store(principal, act, opened, writing, store)?;
        let mut state = opened.held.state.write();
        // One that is not in memory is read again.
        if let Some(state) = state.as_mut() {
            state.apply_sync(plan, &keys, version);
        }
        drop(state);
        self.kb_report_sync(opened, SyncReport { stored: true, ..plan.report.clone() })
    }

    /// Completes a report by the branch in memory.
    pub(super) fn kb_report_sync(
        &self,
        opened: &Opened,
        mut report: SyncReport,
    ) -> Result<SyncReport, EngineError> {
        let mut state = opened.held.state.write();
        let state = state.as_mut().ok_or_else(|| self.kb_lost(opened, "it was dropped"))?;
        state.checks();
        let BranchState { branch, checks, .. } = &*state;
        let checks = checks.as_ref().expect("they were just built");
        fill_contradictions(&mut report, checks, branch);
        report.snapshot_id = snapshot_id(state.record.space, state.version);
        report.sync_id = sync_id(state);
        Ok(report)
    }

    /// The report of a sync that is not stored.
    fn kb_preview_sync(&self, opened: &Opened, plan: SyncPlan) -> Result<SyncReport, EngineError> {
        self.kb_state(opened, |state| {
            let mut branch = state.branch.clone();
            // Numbers that no entity has.
            let created: Vec<NodeKey> =
                (0..plan.created.len() as u64).map(|at| NodeKey(u64::MAX - 1 - at)).collect();
            branch.apply(plan.changes(&created));
            let mut report = plan.report;
            fill_contradictions(&mut report, &CheckState::build(&branch, &mut |_, _| {}), &branch);
            report.snapshot_id = snapshot_id(state.record.space, state.version);
            report.sync_id = sync_id(state);
            report
        })
    }

    /// Looks at the branch in memory.
    pub(super) fn kb_state<T>(
        &self,
        opened: &Opened,
        look: impl FnOnce(&BranchState) -> T,
    ) -> Result<T, EngineError> {
        let state = opened.held.state.read();
        state.as_ref().map(look).ok_or_else(|| self.kb_lost(opened, "it was dropped"))
    }
}

impl BranchState {
    /// Makes the changes of a stored sync in memory.
    pub(super) fn apply_sync(&mut self, plan: &SyncPlan, keys: &Keys, version: Version) {
        let changes: Vec<Change> = plan.changes(&keys.created);
        let is_large = changes.len() > self.branch.len() / REBUILD_CHECKS_PART;
        let undo = self.branch.apply(changes);
        match self.checks.as_mut().filter(|_| !is_large) {
            Some(checks) => checks.update(&self.branch, &undo),
            None => self.checks = None,
        }
        plan.apply_files(&mut self.files);
        if let Some(files) = keys.files {
            self.schema = self.schema.clone().with_type_of_files(files);
        }
        self.version = version;
    }
}

/// Opaque; changes with every sync that stores something.
pub(super) fn sync_id(state: &BranchState) -> String {
    format!("{:x}.{:x}", state.record.space.0, state.files.syncs())
}

/// Passes on how far a sync is. Fails if it is to stop.
pub(super) fn go_on(
    on_stage: OnStage<'_>,
    name: &'static str,
    done: usize,
    total: usize,
) -> Result<(), EngineError> {
    let goes_on = on_stage(Stage { name, done: done as u64, total: total as u64 });
    if goes_on { Ok(()) } else { Err(StoreError::Stopped.into()) }
}

fn fill_contradictions(report: &mut SyncReport, checks: &CheckState, branch: &cairn_kb::Branch) {
    let (first, count) = checks.contradictions(branch, SYNC_CONTRADICTIONS_MAX);
    report.contradictions = first
        .into_iter()
        .map(|conflict| SyncContradiction {
            requirements: conflict.requirements.iter().map(ToString::to_string).collect(),
            reason: conflict.reason.clone(),
        })
        .collect();
    report.contradiction_count = count as u64;
}

/// Whether a write is larger than a transaction.
fn is_too_large(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Store(StoreError::CommitTooLarge)
            | EngineError::Graph(GraphError::Store(StoreError::CommitTooLarge))
    )
}
