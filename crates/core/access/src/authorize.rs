//! The one decision.

use std::fmt;

use cairn_base::{ErrorCode, SpaceId, TenantId};

use crate::{AccessCode, Action, CredentialError, Level, Principal, Role, Scope, Sharing};

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

/// What a decision is about: a resource, and for an artifact also with whom it is shared.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    resource: Resource,
    sharing: Option<&'a Sharing<'a>>,
}

impl From<Resource> for Target<'_> {
    fn from(resource: Resource) -> Self {
        Target { resource, sharing: None }
    }
}

impl<'a> Target<'a> {
    /// One artifact of a tenant.
    pub fn artifact(resource: Resource, sharing: &'a Sharing<'a>) -> Self {
        Target { resource, sharing: Some(sharing) }
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
///
/// The number stands in audit lines: it is chosen once and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// The resource belongs to a tenant that is not the principal's.
    ForeignTenant,
    /// The principal lacks the role the action needs.
    RoleMissing,
    /// The action exists for the node only.
    NotOnTenant,
    /// The caller showed no credentials.
    Anonymous,
    /// It is not shared with the principal.
    NotShared,
    /// What the caller showed does not say who it is.
    Credential(CredentialError),
}

impl RefusalReason {
    /// Reasons other than bad credentials.
    const OWN: [RefusalReason; 5] = [
        RefusalReason::ForeignTenant,
        RefusalReason::RoleMissing,
        RefusalReason::NotOnTenant,
        RefusalReason::Anonymous,
        RefusalReason::NotShared,
    ];

    /// Every reason.
    pub fn all() -> impl Iterator<Item = RefusalReason> {
        RefusalReason::OWN.into_iter().chain(CredentialError::ALL.map(RefusalReason::Credential))
    }

    /// The number that is stored.
    pub const fn number(self) -> u8 {
        match self {
            RefusalReason::ForeignTenant => 1,
            RefusalReason::RoleMissing => 2,
            RefusalReason::NotOnTenant => 3,
            RefusalReason::Anonymous => 4,
            RefusalReason::NotShared => 5,
            RefusalReason::Credential(error) => error.number(),
        }
    }

    /// The reason a stored number means.
    pub fn from_number(number: u8) -> Option<RefusalReason> {
        RefusalReason::all().find(|reason| reason.number() == number)
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefusalReason::ForeignTenant => f.write_str("it belongs to another tenant"),
            RefusalReason::RoleMissing => {
                f.write_str("it needs a role that the caller lacks; ask an administrator")
            }
            RefusalReason::NotOnTenant => f.write_str("it can be done on the node only"),
            RefusalReason::Anonymous => f.write_str("the caller has not said who it is; send a token"),
            RefusalReason::NotShared => f.write_str("it is not shared with the caller; ask its author"),
            RefusalReason::Credential(error) => error.fmt(f),
        }
    }
}

/// The answer no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for.
    pub action: Action,
    /// On what.
    pub resource: Resource,
    /// Why not.
    pub reason: RefusalReason,
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            // The same words as for what is not there at all.
            RefusalReason::ForeignTenant => f.write_str("there is no such thing here"),
            RefusalReason::Anonymous | RefusalReason::Credential(_) => self.reason.fmt(f),
            RefusalReason::RoleMissing | RefusalReason::NotOnTenant | RefusalReason::NotShared => {
                write!(f, "{} is not allowed: {}", self.action.name(), self.reason)
            }
        }
    }
}

impl Refusal {
    /// The row of the error-code table. What another tenant has is not there for the caller.
    pub fn code(&self) -> ErrorCode {
        match self.reason {
            RefusalReason::ForeignTenant => ErrorCode::NotFound,
            RefusalReason::Anonymous => AccessCode::Unauthenticated,
            RefusalReason::Credential(error) => error.code(),
            RefusalReason::RoleMissing | RefusalReason::NotOnTenant | RefusalReason::NotShared => {
                ErrorCode::Forbidden
            }
        }
    }
}

/// Decides whether a principal may do something. Pure: no clock, no store, no side effect.
pub fn authorize<'a>(
    principal: &Principal,
    action: Action,
    target: impl Into<Target<'a>>,
) -> Result<Permit, Refusal> {
    let target = target.into();
    let resource = target.resource;
    match refuse(principal, action, target) {
        Some(reason) => Err(Refusal { action, resource, reason }),
        None => Ok(Permit { action, scope: Scope::new(resource.tenant, resource.space) }),
    }
}

fn refuse(principal: &Principal, action: Action, target: Target<'_>) -> Option<RefusalReason> {
    let row = action.row();
    let tenant = target.resource.tenant;
    let at_home = tenant == principal.tenant();
    if tenant != TenantId::NODE && row.level == Level::Node {
        // Nobody learns from a refusal what another tenant has.
        let known = at_home || principal.is_local_owner();
        return Some(if known { RefusalReason::NotOnTenant } else { RefusalReason::ForeignTenant });
    }
    if principal.is_local_owner() {
        return None;
    }
    let shared = target.sharing.and_then(|sharing| is_shared(principal, action, sharing, at_home));
    if shared == Some(true) {
        return None;
    }
    if principal.is_anonymous() {
        // An artifact that is not public is not there for strangers: it is none of their business that it is.
        let hidden = shared == Some(false);
        return Some(if hidden { RefusalReason::ForeignTenant } else { RefusalReason::Anonymous });
    }
    if tenant == TenantId::NODE {
        let operates = principal.roles().has(Role::Operator);
        return (!operates).then_some(RefusalReason::RoleMissing);
    }
    if !at_home {
        return Some(RefusalReason::ForeignTenant);
    }
    if shared == Some(false) && action == Action::ArtifactRead {
        return Some(RefusalReason::NotShared);
    }
    (!principal.roles().suffice_for(row.needs)).then_some(RefusalReason::RoleMissing)
}

/// Whether one artifact is the principal's to read, or to delete as its author. Nothing, if sharing does
/// not decide about the action.
fn is_shared(principal: &Principal, action: Action, sharing: &Sharing<'_>, at_home: bool) -> Option<bool> {
    if action == Action::ArtifactRead {
        Some(sharing.is_with(principal, at_home))
    } else if action == Action::ArtifactDelete {
        Some(sharing.is_by(principal, at_home) && principal.roles().suffice_for(Role::Writer))
    } else {
        None
    }
}
