//! From a target to its branch in memory.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Permit, Principal, Resource, Scope};
use cairn_base::{Position, most_alike};
use cairn_graph::{View, spaces};
use cairn_kb::{
    BranchRecord, KbError, Loading, Schema, Version, check_branch, check_workspace, find_branch,
    list_branches, version,
};
use cairn_seam::{Reader, Snapshot, StoreError};
use parking_lot::MutexGuard;

use super::KbTarget;
use super::state::{BranchState, Held, space_scope};
use crate::{Act, Engine, EngineError, limits};

/// How often a request is carried out whose branch was replaced meanwhile.
pub(super) const ATTEMPTS_MAX: usize = 3;

/// How often a branch may be replaced while a request is carried out, without counting as one of these.
const REPLACED_MAX: usize = 64;
/// How long a read waits for writes before it looks again whether the branch is in memory.
const LOOK: Duration = Duration::from_millis(20);

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

    /// Carries out a request on the branch of a target. It begins again if the branch was lost or replaced meanwhile, or
    /// if another caller has written to it; `attempt` fails with that only if it has stored nothing.
    pub(super) fn kb_attempt<T>(
        &self,
        principal: &Principal,
        target: &KbTarget,
        mut attempt: impl FnMut(&Opened) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (mut left, mut replaced_left) = (ATTEMPTS_MAX, REPLACED_MAX);
        let mut space = None;
        loop {
            let opened = self.kb_open(principal, target)?;
            if space.replace(opened.record.space).is_some_and(|before| before != opened.record.space)
                && replaced_left > 0
            {
                // It was not the branch that failed: a staged sync took its place.
                (left, replaced_left) = (ATTEMPTS_MAX, replaced_left - 1);
            }
            left -= 1;
            match attempt(&opened) {
                Err(error) if left > 0 && is_passing(&error) => {}
                outcome => return outcome,
            }
        }
    }

    /// Reads a branch as its last write left it, with a snapshot of the same version.
    pub(super) fn kb_read<T>(
        &self,
        principal: &Principal,
        target: &KbTarget,
        mut body: impl FnMut(&BranchState, &View<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.kb_attempt(principal, target, |opened| self.kb_read_opened(opened, &mut body))
    }

    pub(super) fn kb_read_opened<T>(
        &self,
        opened: &Opened,
        body: impl FnOnce(&BranchState, &View<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut body = Some(body);
        let until = self.clock().monotonic() + limits::KB_WRITE_WAIT_MAX;
        let mut writing = loop {
            if let Some(read) = self.kb_read_now(opened, &mut body)? {
                return Ok(read);
            }
            // It is not in memory, or a write is stored that is not in memory yet: under the lock there is none.
            if let Some(writing) = opened.held.writing.try_lock_for(LOOK) {
                break writing;
            }
            if self.clock().monotonic() >= until {
                return Err(self.kb_busy(opened));
            }
        };
        self.kb_load(opened, &mut writing)?;
        let read = self.kb_read_now(opened, &mut body)?;
        read.ok_or_else(|| self.kb_lost(opened, "it changed while it was read"))
    }

    /// Reads a branch if it is in memory as the store has it.
    fn kb_read_now<T, B>(&self, opened: &Opened, body: &mut Option<B>) -> Result<Option<T>, EngineError>
    where
        B: FnOnce(&BranchState, &View<'_>) -> Result<T, EngineError>,
    {
        let state = opened.held.state.read();
        let Some(current) = &*state else { return Ok(None) };
        let cache = &self.memories.graph.cache;
        self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
            if self.kb_version_in(opened, snapshot)? != current.version {
                return Ok(None);
            }
            let Some(body) = body.take() else { return Ok(None) };
            let scope = space_scope(scope, opened.record.space)?;
            body(current, &View::of_snapshot(snapshot, scope, cache)).map(Some)
        })
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
        let (branch, files) = loop {
            // Snapshots are short-lived. The lock keeps the branch as it is between two pages.
            let page = self.pipeline.read_under(opened.permit, Position::START, |snapshot, scope| {
                let view = View::of_snapshot(snapshot, space_scope(scope, space)?, cache);
                if schema.is_none() {
                    schema = Some(Schema::read(&view)?);
                }
                let schema = schema.as_ref().expect("it was just read");
                Ok(loading.page(&view, schema, limits::KB_LOAD_PAGE)?)
            });
            // What the store cannot read now it may read later; what does not decode never will.
            let page = page.map_err(|error| {
                let is_damage = matches!(error, EngineError::Kb(_) | EngineError::Graph(_));
                if is_damage { self.kb_lost(opened, &error.to_string()) } else { error }
            })?;
            if let Some(read) = page {
                break read;
            }
        };
        if self.kb_version(opened)? != version {
            return Err(self.kb_lost(opened, "it changed while it was read"));
        }
        let schema = schema.expect("one page was read at least");
        let record = opened.record.clone();
        *opened.held.state.write() =
            Some(BranchState { record, version, schema, branch, files, checks: None });
        self.memories.kb.branches.make_room();
        Ok(())
    }

    /// Takes the lock of a branch for a write, or fails if others hold it for too long.
    pub(super) fn kb_lock<'o>(&self, opened: &'o Opened) -> Result<MutexGuard<'o, ()>, EngineError> {
        let writing = opened.held.writing.try_lock_for(limits::KB_WRITE_WAIT_MAX);
        writing.ok_or_else(|| self.kb_busy(opened))
    }

    /// Writes of a branch take too long.
    fn kb_busy(&self, opened: &Opened) -> EngineError {
        KbError::Busy { branch: opened.record.branch.clone(), doing: "written to" }.into()
    }

    pub(super) fn kb_version(&self, opened: &Opened) -> Result<Version, EngineError> {
        let read = |snapshot: &dyn Snapshot, _: &_| self.kb_version_in(opened, snapshot);
        self.pipeline.read_under(opened.permit, Position::START, read)
    }

    /// The version of a branch in the store. Fails if the branch is there no more, or was replaced, or its space is lost.
    fn kb_version_in(&self, opened: &Opened, snapshot: &dyn Snapshot) -> Result<Version, EngineError> {
        let scope = space_scope(&opened.permit.scope(), opened.record.space)?;
        match version_of(snapshot, &opened.record, &scope) {
            Ok(Ok(version)) => Ok(version),
            Ok(Err(detail)) => Err(self.kb_lost(opened, detail)),
            Err(EngineError::Kb(error)) => Err(self.kb_lost(opened, &error.to_string())),
            Err(EngineError::Graph(error)) => Err(self.kb_lost(opened, &error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// The branch cannot be relied on: nothing is answered from it, and it is read again by the next request.
    pub(super) fn kb_lost(&self, opened: &Opened, detail: &str) -> EngineError {
        self.memories.kb.branches.forget(opened.held.tenant, opened.held.space);
        KbError::Refresh { branch: opened.record.branch.clone(), detail: detail.to_owned() }.into()
    }
}

/// The version of a branch, or the reason why its record and its space do not belong together any more.
pub(super) fn version_of(
    reader: &dyn Reader,
    record: &BranchRecord,
    scope: &Scope,
) -> Result<Result<Version, &'static str>, EngineError> {
    let found = find_branch(reader, scope.tenant(), &record.workspace, &record.branch)?;
    if found.is_none_or(|found| found.space != record.space) {
        return Ok(Err("it was deleted or replaced by another one"));
    }
    if spaces::find(reader, scope.tenant(), &record.space_name())? != Some(record.space) {
        return Ok(Err("its space is gone; `cairn doctor` looks for what is left"));
    }
    Ok(Ok(version(reader, scope)?))
}

/// Whether a request may succeed if it is carried out once more.
fn is_passing(error: &EngineError) -> bool {
    matches!(error, EngineError::Store(StoreError::Conflict))
        || matches!(error, EngineError::Kb(error) if matches!(**error, KbError::Refresh { .. }))
}

/// The error for a branch without a KB, with the name that may have been meant.
fn no_branch(snapshot: &dyn Snapshot, target: &KbTarget) -> Result<KbError, EngineError> {
    let KbTarget { tenant, workspace, branch } = target;
    let (others, _) = list_branches(snapshot, *tenant, Some(workspace), limits::KB_BRANCHES_NAMED_MAX)?;
    let near = most_alike(branch, others.iter().map(|other| other.branch.as_str())).map(str::to_owned);
    Ok(KbError::NoBranch { workspace: workspace.clone(), branch: branch.clone(), near })
}
