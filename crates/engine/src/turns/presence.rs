//! Who is connected in a tenant.

use cairn_access::Principal;
use cairn_base::TenantId;

use super::acts::reading;
use crate::{Engine, EngineError, Presence};

impl Engine {
    /// Who is connected in a tenant: for whoever may read its turns.
    pub fn presence(&self, principal: &Principal, tenant: TenantId) -> Result<Presence<'_>, EngineError> {
        self.pipeline.permit(principal, &reading(tenant))?;
        Ok(self.presence_in(tenant))
    }
}
