//! The one decision.

use std::fmt;

use cairn_base::{ErrorCode, SpaceId, TenantId};

use crate::{Action, Level, Principal, Role, Scope};

/// What an action is aimed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// Whose records.
    pub tenant: TenantId,
    /// Which space of the tenant.
    pub space: SpaceId,
}

impl Resource {
    /// The node itself.
    pub const NODE: Resource = Resource::tenant(TenantId::NODE);

    /// A tenant as a whole.
    pub const fn tenant(tenant: TenantId) -> Self {
        Resource { tenant, space: SpaceId::NONE }
    }

    /// One space of a tenant.
    pub const fn space(tenant: TenantId, space: SpaceId) -> Self {
        Resource { tenant, space }
    }
}

/// Proof that [`authorize`] said yes. There is no other way to come by one:
///
/// ```compile_fail,E0451
/// use cairn_access::{Action, Permit, Principal, Resource, authorize};
///
/// let permit = authorize(&Principal::local_owner(), Action::StatsRead, Resource::NODE)?;
/// let forged = Permit { action: Action::AuditRead, scope: permit.scope() };
/// # Ok::<(), cairn_access::Refusal>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permit {
    action: Action,
    scope: Scope,
}

impl Permit {
    /// What was allowed.
    pub fn action(&self) -> Action {
        self.action
    }

    /// Where it was allowed.
    pub fn scope(&self) -> Scope {
        self.scope
    }
}

/// Why something was not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum RefusalReason {
    /// The resource belongs to a tenant that is not the principal's.
    ForeignTenant = 1,
    /// The principal lacks the role the action needs.
    RoleMissing = 2,
    /// The action exists for the node only.
    NotOnTenant = 3,
}

impl RefusalReason {
    /// Every reason.
    pub const ALL: [RefusalReason; 3] =
        [RefusalReason::ForeignTenant, RefusalReason::RoleMissing, RefusalReason::NotOnTenant];

    /// The number that is stored.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The reason a stored number means.
    pub fn from_number(number: u8) -> Option<RefusalReason> {
        RefusalReason::ALL.into_iter().find(|reason| reason.number() == number)
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RefusalReason::ForeignTenant => "it belongs to another tenant",
            RefusalReason::RoleMissing => "it needs a role that the caller lacks; ask an administrator",
            RefusalReason::NotOnTenant => "it can be done on the node only",
        })
    }
}

/// The answer no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} is not allowed: {reason}", .action.name())]
pub struct Refusal {
    /// What was asked for.
    pub action: Action,
    /// On what.
    pub resource: Resource,
    /// Why not.
    pub reason: RefusalReason,
}

impl Refusal {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::Forbidden
    }
}

/// Decides whether a principal may do something. Pure: no clock, no store, no side effect.
pub fn authorize(principal: &Principal, action: Action, resource: Resource) -> Result<Permit, Refusal> {
    match refuse(principal, action, resource) {
        Some(reason) => Err(Refusal { action, resource, reason }),
        None => Ok(Permit { action, scope: Scope::new(resource.tenant, resource.space) }),
    }
}

fn refuse(principal: &Principal, action: Action, resource: Resource) -> Option<RefusalReason> {
    let row = action.row();
    let allowed = |roles: &[Role]| roles.iter().any(|role| principal.roles().has(*role));
    let needed: &[Role] = if resource.tenant == TenantId::NODE {
        &[Role::Operator]
    } else if resource.tenant != principal.tenant() {
        // First of all reasons: nobody learns from a refusal what another tenant has.
        return Some(RefusalReason::ForeignTenant);
    } else if row.level == Level::Node {
        return Some(RefusalReason::NotOnTenant);
    } else if row.administrative {
        &[Role::Admin]
    } else {
        &[Role::Member, Role::Admin]
    };
    if allowed(needed) { None } else { Some(RefusalReason::RoleMissing) }
}
