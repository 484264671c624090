//! Branches come and go: created empty or as a copy of another one, and deleted.

use cairn_access::{Action, Principal, Resource};
use cairn_base::Position;
use cairn_graph::{GraphError, Writer, spaces};
use cairn_kb::{BranchRecord, KbError, Version, check_branch, check_workspace, define, find_branch, version};
use cairn_seam::{OnStage, StoreError};

use super::KbTarget;
use super::list::{KbBranch, shown};
use super::open::ATTEMPTS_MAX;
use super::state::space_scope;
use crate::{Act, Engine, EngineError, limits};

/// The KB of a branch, which is there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbEnsured {
    /// The branch.
    pub branch: KbBranch,
    /// Whether it was created by this call.
    pub created: bool,
}

impl Engine {
    /// Creates the KB of a branch unless it is there: as a copy of `from` if that branch of the workspace has a KB, else
    /// empty. The copy appears whole, in one commit. Blocks while it is copied, or while another caller creates it.
    pub fn kb_ensure_branch(
        &self,
        principal: &Principal,
        target: &KbTarget,
        from: Option<&str>,
        on_stage: OnStage<'_>,
    ) -> Result<KbEnsured, EngineError> {
        check_workspace(&target.workspace)?;
        check_branch(&target.branch)?;
        from.map(check_branch).transpose()?;
        let act = Act::new(Action::KbWrite, Resource::tenant(target.tenant));
        self.pipeline.permit(principal, &act)?;
        if let Some(branch) = self.kb_find(principal, target)? {
            return Ok(KbEnsured { branch, created: false });
        }
        let branches = &self.memories.kb.branches;
        let _reserved = branches.reserve(target, "created or deleted", limits::KB_CHANGE_WAIT_MAX)?;
        if let Some(branch) = self.kb_find(principal, target)? {
            return Ok(KbEnsured { branch, created: false });
        }
        let source = from.filter(|from| *from != target.branch);
        let source = source.map(|from| KbTarget { branch: from.to_owned(), ..target.clone() });
        let mut left = ATTEMPTS_MAX;
        loop {
            left -= 1;
            let found = source.as_ref().map(|source| self.kb_find(principal, source)).transpose()?.flatten();
            let Some(found) = found else {
                self.kb_create_empty(principal, target)?;
                break;
            };
            match self.kb_copy(principal, target, &found, on_stage) {
                // A sync may have given it another space meanwhile.
                Err(EngineError::Graph(GraphError::NoSpace(_))) if left > 0 => {}
                copied => {
                    copied?;
                    break;
                }
            }
        }
        let lost =
            || KbError::Refresh { branch: target.branch.clone(), detail: "it was just created".into() };
        let branch = self.kb_find(principal, target)?.ok_or_else(lost)?;
        Ok(KbEnsured { branch, created: true })
    }

    /// Deletes the KB of a branch; says whether there was one. When this returns, nothing finds it.
    pub fn kb_delete_branch(&self, principal: &Principal, target: &KbTarget) -> Result<bool, EngineError> {
        check_workspace(&target.workspace)?;
        check_branch(&target.branch)?;
        let act = Act::new(Action::KbDelete, Resource::tenant(target.tenant)).deleting();
        let act = act.on(format!("kb {}/{}", target.workspace, target.branch));
        self.pipeline.permit(principal, &act)?;
        let branches = &self.memories.kb.branches;
        let _reserved = branches.reserve(target, "created or deleted", limits::KB_CHANGE_WAIT_MAX)?;
        let found = self.pipeline.store().snapshot(Position::START)?;
        let found = find_branch(&*found, target.tenant, &target.workspace, &target.branch)?;
        let Some(record) = found else { return Ok(false) };
        let (name, space) = (record.space_name(), record.space);
        let deleted = self.delete_space_with(principal, &act, &name, move |tx, scope| {
            cairn_kb::remove_version(tx, scope)?;
            Ok(cairn_kb::remove_branch(tx, &record)?)
        });
        branches.forget(target.tenant, space);
        deleted.map(|()| true)
    }

    fn kb_find(&self, principal: &Principal, target: &KbTarget) -> Result<Option<KbBranch>, EngineError> {
        let act = Act::new(Action::KbRead, Resource::tenant(target.tenant));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let found = find_branch(snapshot, target.tenant, &target.workspace, &target.branch)?;
            let Some(record) = found else { return Ok(None) };
            let version = version(snapshot, &space_scope(scope, record.space)?)?;
            Ok(Some(shown(record, version)))
        })
    }

    fn kb_create_empty(&self, principal: &Principal, target: &KbTarget) -> Result<(), EngineError> {
        let act = Act::new(Action::KbWrite, Resource::tenant(target.tenant));
        let now_ms = self.clock().now_ms();
        let target = target.clone();
        let created = self.pipeline.transact(principal, &act, move |tx, scope| {
            let name = cairn_kb::space_name(&target.workspace, &target.branch);
            let space = spaces::create(tx, scope.tenant(), &name)?;
            let scope = space_scope(scope, space)?;
            cairn_graph::bootstrap(tx, &scope, now_ms)?;
            let mut writer = Writer::new(tx, scope, now_ms);
            define(&mut writer)?;
            writer.finish()?;
            let record = record(&target, space, now_ms, None);
            Ok(cairn_kb::put_branch(tx, &record)?)
        });
        created.map(drop)
    }

    fn kb_copy(
        &self,
        principal: &Principal,
        target: &KbTarget,
        source: &KbBranch,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let name = cairn_kb::space_name(&target.workspace, &target.branch);
        let act = Act::new(Action::KbWrite, Resource::tenant(target.tenant));
        let act = act.on(format!("copy KB {} to {name}", source.space));
        let whole = self.pipeline.permit(principal, &act)?.scope();
        let now_ms = self.clock().now_ms();
        let (target, copied_from) = (target.clone(), source.branch.clone());
        self.copy_space_with(principal, &act, &source.space, &name, on_stage, move |tx, scope| {
            let source = find_branch(&*tx, target.tenant, &target.workspace, &copied_from)?;
            let source = source.ok_or(StoreError::Conflict)?;
            let Version { written_at_ms, .. } = version(&*tx, &space_scope(&whole, source.space)?)?;
            let record = record(&target, scope.space(), now_ms, Some(copied_from.clone()));
            cairn_kb::put_branch(tx, &record)?;
            Ok(cairn_kb::put_version(tx, scope, Version { number: 1, written_at_ms })?)
        })?;
        Ok(())
    }
}

fn record(
    target: &KbTarget,
    space: cairn_base::SpaceId,
    created_at_ms: u64,
    copied_from: Option<String>,
) -> BranchRecord {
    let KbTarget { workspace, branch, .. } = target.clone();
    BranchRecord { workspace, branch, space, created_at_ms, copied_from }
}
