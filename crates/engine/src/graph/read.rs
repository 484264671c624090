//! Reading a space: one permit, one snapshot, one budget.

use cairn_access::{Permit, Scope};
use cairn_base::{Position, SpaceId};
use cairn_graph::spaces::check_named;
use cairn_graph::{Allowance, Budget, View};
use cairn_seam::StoreError;

use crate::{Engine, EngineError};

/// The scope of a space, under a permit for its tenant or for the space itself.
pub(crate) fn inside(scope: &Scope, space: SpaceId) -> Result<Scope, EngineError> {
    if scope.space() == space {
        return Ok(*scope);
    }
    // A permit for another space is a mistake of ours, and reads nothing.
    scope.of_space(space).ok_or(EngineError::Store(StoreError::Aborted))
}

impl Engine {
    /// Reads a space of the tenant that a permit covers, out of memory as far as that is possible. `body` gets
    /// what it may use as a budget, whose time runs from now on.
    pub(crate) fn read_space<T>(
        &self,
        permit: Permit,
        space: SpaceId,
        allowance: Allowance,
        body: impl FnOnce(&View<'_>, Budget<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let (clock, cache) = (self.clock(), &self.memories.graph.cache);
        self.pipeline.read_under(permit, Position::START, |snapshot, scope| {
            let scope = inside(scope, space)?;
            check_named(snapshot, scope.tenant(), space)?;
            body(&View::of_snapshot(snapshot, scope, cache), Budget::new(&**clock, allowance))
        })
    }
}
