//! Branches that have a KB.

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId};
use cairn_kb::{BranchRecord, check_workspace, list_branches, version};

use super::state::{snapshot_id, space_scope};
use crate::{Act, Engine, EngineError, limits};

/// The KB of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbBranch {
    /// The workspace.
    pub workspace: String,
    /// The branch.
    pub branch: String,
    /// Name of its space, for KIP.
    pub space: String,
    /// The branch that it was copied from.
    pub copied_from: Option<String>,
    /// Time of creation, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Time of the last write, in Unix milliseconds; `None` if there was none.
    pub written_at_ms: Option<u64>,
    /// Opaque; changes with every write.
    pub snapshot_id: String,
}

/// Branches of a tenant or a workspace, ordered by workspace and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KbBranches {
    /// Branches.
    pub branches: Vec<KbBranch>,
    /// There are more than one list holds.
    pub has_more: bool,
}

impl Engine {
    /// Lists branches that have a KB, of one workspace or of all.
    pub fn kb_branches(
        &self,
        principal: &Principal,
        tenant: TenantId,
        workspace: Option<&str>,
    ) -> Result<KbBranches, EngineError> {
        workspace.map(check_workspace).transpose()?;
        let act = Act::new(Action::KbRead, Resource::tenant(tenant));
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let (records, has_more) =
                list_branches(snapshot, tenant, workspace, limits::KB_BRANCHES_LISTED_MAX)?;
            let shown = records.into_iter().map(|record| {
                let version = version(snapshot, &space_scope(scope, record.space)?)?;
                Ok(shown(record, version))
            });
            Ok(KbBranches { branches: shown.collect::<Result<_, EngineError>>()?, has_more })
        })
    }
}

pub(super) fn shown(record: BranchRecord, version: cairn_kb::Version) -> KbBranch {
    KbBranch {
        space: record.space_name(),
        snapshot_id: snapshot_id(record.space, version),
        written_at_ms: (version.written_at_ms > 0).then_some(version.written_at_ms),
        workspace: record.workspace,
        branch: record.branch,
        copied_from: record.copied_from,
        created_at_ms: record.created_at_ms,
    }
}
