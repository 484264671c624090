//! Figures about turns, for dashboards. Each is counted or kept anyway: asking costs the same however much
//! there is.

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId};
use cairn_seam::StoreStats;
use cairn_turns::Counters;

use crate::metrics::Tally;
use crate::{Act, Engine, EngineError, SearchStatus};

/// What [`Engine::figures`] answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// How long this process has had the store open.
    pub uptime_ms: u64,
    /// The store's own.
    pub store: StoreStats,
    /// Contexts and turns.
    pub counters: Counters,
    /// Types that are known, those that are built in included.
    pub types: u64,
    /// Bundles that were taken into the registry.
    pub bundles: u64,
    /// How long writes of turns took: appends, new contexts, bundles, imports.
    pub writes: Tally,
    /// How long windows of turns took.
    pub windows: Tally,
    /// How long blobs took to read or to open.
    pub blobs: Tally,
    /// Requests of sessions that were answered with an error.
    pub session_errors: u64,
    /// How the search is doing.
    pub search: SearchStatus,
}

impl Engine {
    /// Figures about the node and a tenant's turns.
    pub fn figures(&self, principal: &Principal, tenant: TenantId) -> Result<Figures, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::StatsRead, Resource::NODE))?;
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        let (counters, registry) = self.read(principal, act, Position::START, |snapshot, scope| {
            Ok((cairn_turns::counters(snapshot, scope)?, self.registry_at(snapshot, scope)?))
        })?;
        let uptime = self.clock().monotonic().saturating_sub(self.opened_at);
        let shared = self.pipeline.shared();
        Ok(Figures {
            uptime_ms: u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX),
            store: self.pipeline.store().stats(),
            counters,
            types: registry.types().count() as u64,
            bundles: registry.generation(),
            writes: shared.metrics.tally(Action::TurnsWrite),
            windows: self.memories.turns.windows.tally(),
            blobs: self.memories.turns.blobs.tally(),
            session_errors: shared.sessions.errors(),
            search: self.search_status(),
        })
    }
}
