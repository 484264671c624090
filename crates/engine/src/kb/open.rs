//! From a target to its branch in memory.

use std::sync::Arc;

use cairn_access::{Action, Permit, Principal, Resource};
use cairn_base::{Position, most_alike};
use cairn_graph::View;
use cairn_kb::{
    BranchRecord, KbError, Loading, Schema, check_branch, check_workspace, find_branch, list_branches,
    version,
};
use cairn_seam::Snapshot;
use parking_lot::{MutexGuard, RwLockReadGuard};

use super::KbTarget;
use super::state::{BranchState, Held, space_scope};
use crate::{Act, Engine, EngineError, limits};

/// How often a branch is read again that was replaced while it was read.
const REFRESHES_MAX: usize = 3;

/// The branch of a target, which exists.
pub(super) struct Opened {
    /// To read the KB of the tenant.
    pub(super) permit: Permit,
    pub(super) record: BranchRecord,
    pub(super) held: Arc<Held>,
}

impl Engine {
    /// Finds the branch of a target. Fails if it has no KB.
    pub(super) fn kb_open(&self, principal: &Principal, target: &KbTarget) -> Result<Opened, EngineError> {
        check_workspace(&target.workspace)?;
        check_branch(&target.branch)?;
        let act = Act::new(Action::KbRead, Resource::tenant(target.tenant));
        let permit = self.pipeline.permit(principal, &act)?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let found = find_branch(&*snapshot, target.tenant, &target.workspace, &target.branch)?;
        let Some(record) = found else { return Err(no_branch(&*snapshot, target)?.into()) };
        let held = self.memories.kb.branches.held(target.tenant, record.space);
        Ok(Opened { permit, record, held })
    }

    /// Reads a branch as its last write left it, with a snapshot that is at least as new.
    pub(super) fn kb_read<T>(
        &self,
        principal: &Principal,
        target: &KbTarget,
        body: impl FnOnce(&BranchState, &View<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let opened = self.kb_open(principal, target)?;
        self.kb_read_opened(&opened, body)
    }

    pub(super) fn kb_read_opened<T>(
        &self,
        opened: &Opened,
        body: impl FnOnce(&BranchState, &View<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let state = self.kb_current(opened)?;
        let state = state.as_ref().ok_or_else(|| self.kb_lost(opened, "it was dropped while it was read"))?;
        let cache = &self.memories.graph.cache;
        self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
            let scope = space_scope(scope, opened.record.space)?;
            body(state, &View::of_snapshot(snapshot, scope, cache))
        })
    }

    /// The branch in memory, read from the store if it is not there, or if the store has another version.
    fn kb_current<'o>(
        &self,
        opened: &'o Opened,
    ) -> Result<RwLockReadGuard<'o, Option<BranchState>>, EngineError> {
        for _ in 0..REFRESHES_MAX {
            {
                let state = opened.held.state.read();
                if let Some(current) = &*state {
                    // Begun before: a write that is stored and not acknowledged yet need not be seen.
                    let is_being_written = opened.held.writing.is_locked();
                    if self.kb_version(opened)? == current.version || is_being_written {
                        return Ok(state);
                    }
                }
            }
            let mut writing = self.kb_lock(opened)?;
            self.kb_load(opened, &mut writing)?;
        }
        Err(self.kb_lost(opened, "the store has another version each time it is read"))
    }

    /// Has a branch in memory for a writer, who holds its lock.
    pub(super) fn kb_load(
        &self,
        opened: &Opened,
        _writing: &mut MutexGuard<'_, ()>,
    ) -> Result<(), EngineError> {
        let version = self.kb_version(opened)?;
        if opened.held.state.read().as_ref().is_some_and(|state| state.version == version) {
            return Ok(());
        }
        *opened.held.state.write() = None;
        let space = opened.record.space;
        let cache = &self.memories.graph.cache;
        let mut loading = Loading::default();
        let mut schema = None;
        let branch = loop {
            // Snapshots are short-lived. The lock keeps the branch as it is between two pages.
            let page = self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
                let view = View::of_snapshot(snapshot, space_scope(scope, space)?, cache);
                if schema.is_none() {
                    schema = Some(Schema::read(&view)?);
                }
                let schema = schema.as_ref().expect("it was just read");
                Ok(loading.page(&view, schema, limits::KB_LOAD_PAGE)?)
            });
            let page = page.map_err(|error| match error {
                EngineError::Kb(error) => self.kb_lost(opened, &error.to_string()),
                error => error,
            })?;
            if let Some(branch) = page {
                break branch;
            }
        };
        if self.kb_version(opened)? != version {
            return Err(self.kb_lost(opened, "it changed while it was read"));
        }
        let schema = schema.expect("one page was read at least");
        let record = opened.record.clone();
        *opened.held.state.write() = Some(BranchState { record, version, schema, branch, checks: None });
        self.memories.kb.branches.make_room(space);
        Ok(())
    }

    /// Takes the lock of a branch for a write, or fails if others hold it for too long.
    pub(super) fn kb_lock<'o>(&self, opened: &'o Opened) -> Result<MutexGuard<'o, ()>, EngineError> {
        let writing = opened.held.writing.try_lock_for(limits::KB_WRITE_WAIT_MAX);
        let branch = || opened.record.branch.clone();
        writing.ok_or_else(|| KbError::Busy { branch: branch(), doing: "written to" }.into())
    }

    /// The version of a branch in the store. Fails if the branch is there no more, or was replaced.
    pub(super) fn kb_version(&self, opened: &Opened) -> Result<cairn_kb::Version, EngineError> {
        let BranchRecord { workspace, branch, space, .. } = &opened.record;
        self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
            let found = find_branch(snapshot, scope.tenant(), workspace, branch)?;
            if found.is_none_or(|found| found.space != *space) {
                return Err(self.kb_lost(opened, "it was deleted or replaced by another one"));
            }
            Ok(version(snapshot, &space_scope(scope, *space)?)?)
        })
    }

    /// The branch cannot be relied on: nothing is answered from it, and it is read again by the next request.
    pub(super) fn kb_lost(&self, opened: &Opened, detail: &str) -> EngineError {
        self.memories.kb.branches.forget(opened.held.tenant, opened.held.space);
        KbError::Refresh { branch: opened.record.branch.clone(), detail: detail.to_owned() }.into()
    }
}

/// The error for a branch without a KB, with the name that may have been meant.
fn no_branch(snapshot: &dyn Snapshot, target: &KbTarget) -> Result<KbError, EngineError> {
    let KbTarget { tenant, workspace, branch } = target;
    let (others, _) = list_branches(snapshot, *tenant, Some(workspace), limits::KB_BRANCHES_NAMED_MAX)?;
    let near = most_alike(branch, others.iter().map(|other| other.branch.as_str())).map(str::to_owned);
    Ok(KbError::NoBranch { workspace: workspace.clone(), branch: branch.clone(), near })
}
