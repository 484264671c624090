//! Reading a space: one permit, one snapshot, one budget.

use cairn_access::Permit;
use cairn_base::{Position, SpaceId};
use cairn_graph::{Allowance, Budget, View};

use crate::{Engine, EngineError};

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
            let scope = scope.of_space(space).unwrap_or(*scope);
            body(&View::of_snapshot(snapshot, scope, cache), Budget::new(&**clock, allowance))
        })
    }
}
