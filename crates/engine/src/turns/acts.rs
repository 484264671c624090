//! The two acts that use cases of turns are.

use cairn_access::{Action, Resource};
use cairn_base::TenantId;

use crate::Act;

/// Reading turns of a tenant.
pub(super) fn reading(tenant: TenantId) -> Act {
    Act::new(Action::TurnsRead, Resource::tenant(tenant))
}

/// Changing turns of a tenant.
pub(super) fn writing(tenant: TenantId) -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(tenant))
}
