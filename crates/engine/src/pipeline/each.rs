//! Reads of records that are shared one by one: no permit for a tenant covers them, and everybody may ask.

use cairn_access::{Action, Principal, Refusal, Resource, Scope, Sharing, Target, authorize};
use cairn_base::{Position, TenantId};
use cairn_seam::Snapshot;

use super::Pipeline;
use crate::metrics::Outcome;
use crate::{Act, EngineError};

/// A caller who reads records that are shared one by one.
pub(crate) struct Each<'a> {
    principal: &'a Principal,
    action: Action,
}

impl Each<'_> {
    /// Decides about one record.
    pub(crate) fn may(&self, tenant: TenantId, sharing: &Sharing<'_>) -> Result<(), Refusal> {
        authorize(self.principal, self.action, Target::artifact(Resource::tenant(tenant), sharing)).map(drop)
    }
}

impl Pipeline {
    /// Reads at one position that holds at least everything up to `at_least`. `body` has to decide about every record
    /// that it shows.
    pub(crate) fn read_each<T>(
        &self,
        principal: &Principal,
        action: Action,
        at_least: Position,
        body: impl FnOnce(&dyn Snapshot, &Each<'_>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let started = self.shared.clock.monotonic();
        let each = Each { principal, action };
        let result = self
            .store
            .snapshot(at_least)
            .map_err(EngineError::from)
            .and_then(|snapshot| body(&*snapshot, &each));
        let metrics = &self.shared.metrics;
        match &result {
            Ok(_) => metrics.count(action, Outcome::Done),
            // Counted where it is noted.
            Err(EngineError::Refused(_)) => {}
            Err(_) => metrics.count(action, Outcome::Failed),
        }
        metrics.time(action, self.shared.clock.monotonic().saturating_sub(started));
        result
    }

    /// A caller, for decisions outside of a read.
    pub(crate) fn each<'a>(&self, principal: &'a Principal, action: Action) -> Each<'a> {
        Each { principal, action }
    }

    /// Notes a refusal of one record of a tenant.
    pub(crate) fn refuse_one(&self, principal: &Principal, refusal: Refusal, subject: String) -> EngineError {
        self.refuse(principal, &Act::new(refusal.action, refusal.resource).on(subject), refusal)
    }

    /// The scope of a tenant, for work that the node does for itself.
    pub(crate) fn node_scope(&self, action: Action, tenant: TenantId) -> Result<Scope, EngineError> {
        Ok(self.permit(&Principal::local_owner(), &Act::new(action, Resource::tenant(tenant)))?.scope())
    }
}
