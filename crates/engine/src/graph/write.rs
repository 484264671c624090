//! Writing to a space: one transaction, which makes the space if it is not there and keeps the graph's rules.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{SpaceId, TenantId};
use cairn_graph::Writer;
use cairn_graph::spaces::MEMORY;
use cairn_seam::WriteTx;

use super::spaces::space_to_write;
use crate::{Act, Engine, EngineError};

/// A space that is to be written to. It need not be there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpaceTarget {
    tenant: TenantId,
    name: Box<str>,
    /// Its number, if it is there.
    space: Option<SpaceId>,
    /// How often a space was deleted before it was looked up.
    deletions: u64,
}

impl SpaceTarget {
    /// Its number, if it is there.
    pub(crate) fn space(&self) -> Option<SpaceId> {
        self.space
    }

    /// Writing to it.
    pub(crate) fn act(&self) -> Act {
        let whole = Resource::tenant(self.tenant);
        let resource = self.space.map_or(whole, |space| Resource::space(self.tenant, space));
        Act::new(Action::GraphWrite, resource)
    }
}

impl Engine {
    /// Finds a space to write to, and restores what it must have and lost. Blocks at the first request for a
    /// space after the start of the node.
    pub(crate) fn space_target(
        &self,
        principal: &Principal,
        tenant: TenantId,
        name: &str,
    ) -> Result<SpaceTarget, EngineError> {
        let deletions = self.memories.graph.spaces.deletions();
        let space = self.space(principal, tenant, name)?;
        if let Some(space) = space {
            self.make_whole(tenant, space);
        }
        Ok(SpaceTarget { tenant, name: name.into(), space, deletions })
    }

    /// The same for a space that is known to be there and to have everything: never blocks. `None` if it is not.
    pub(crate) fn ready_target(&self, tenant: TenantId, name: &str) -> Option<SpaceTarget> {
        let deletions = self.memories.graph.spaces.deletions();
        let space = self.memories.graph.spaces.known(tenant, name)?;
        let is_ready = self.memories.graph.spaces.is_ready(tenant, space);
        is_ready.then(|| SpaceTarget { tenant, name: name.into(), space: Some(space), deletions })
    }

    /// A transaction in which `body` writes concepts and links. The space is made, and gets its first types, if
    /// it is not there.
    ///
    /// `body` may run more than once and only its last run counts.
    pub(crate) fn writing<T, B>(
        &self,
        target: &SpaceTarget,
        mut body: B,
    ) -> impl FnMut(&mut dyn WriteTx, &Scope) -> Result<(T, SpaceId), EngineError> + Send + 'static + use<T, B>
    where
        B: FnMut(&mut Writer<'_>) -> Result<T, EngineError> + Send + 'static,
    {
        let (clock, name) = (Arc::clone(self.clock()), target.name.clone());
        move |tx, scope| {
            let now_ms = clock.now_ms();
            let scope = space_to_write(tx, scope, &name, now_ms)?;
            let mut writer = Writer::new(tx, scope, now_ms);
            let written = body(&mut writer)?;
            writer.finish()?;
            Ok((written, scope.space()))
        }
    }

    /// A space was written to, so it is there from now on. If the write made it, it has everything.
    pub(crate) fn note_written(&self, target: &SpaceTarget, space: SpaceId) {
        self.make_whole(target.tenant, space);
        if target.space.is_none() && *target.name != *MEMORY {
            self.memories.graph.spaces.note(target.tenant, &target.name, space, target.deletions);
        }
    }
}
