//! Ids of all artifacts of a tenant, for its administrators. They see ids and nothing else.

use cairn_access::{Action, Principal, Resource};
use cairn_artifacts::{ArtifactId, by_time};
use cairn_base::{Position, TenantId};

use crate::{Act, Engine, EngineError, limits};

/// A page of ids in the order in which artifacts arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactIds {
    /// The ids.
    pub ids: Vec<ArtifactId>,
    /// The place to read on from, if there is more.
    pub next: Option<(u64, ArtifactId)>,
}

impl Engine {
    /// Lists the ids of all artifacts of a tenant, deleted ones included.
    pub fn artifact_ids(
        &self,
        principal: &Principal,
        tenant: TenantId,
        after: Option<(u64, ArtifactId)>,
        limit: usize,
    ) -> Result<ArtifactIds, EngineError> {
        let act = Act::new(Action::ArtifactList, Resource::tenant(tenant));
        let limit = limit.clamp(1, limits::ARTIFACTS_PAGE_MAX);
        self.pipeline.read(principal, &act, Position::START, |snapshot, scope| {
            let page = by_time(snapshot, scope, after, limit + 1)?;
            let next = (page.len() > limit).then(|| page[limit - 1]);
            Ok(ArtifactIds { ids: page.into_iter().take(limit).map(|(_, id)| id).collect(), next })
        })
    }
}
