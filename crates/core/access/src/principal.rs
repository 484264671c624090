//! Who asks.

use std::fmt;
use std::sync::Arc;

use cairn_base::TenantId;

use crate::{Role, Roles};

/// What the node calls its own tenant.
pub const LOCAL_TENANT: &str = "local";
/// What the local owner is called in that tenant.
pub const LOCAL_OWNER: &str = "local-owner";

/// Somebody whose identity is established. Cheap to clone: every request carries one.
#[derive(Clone, PartialEq, Eq)]
pub struct Principal(Arc<Who>);

#[derive(PartialEq, Eq)]
struct Who {
    kind: Kind,
    user_id: Box<str>,
    tenant: TenantId,
    tenant_name: Box<str>,
    teams: Box<[Box<str>]>,
    roles: Roles,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Somebody of the registry.
    User,
    /// Whoever owns the data directory.
    LocalOwner,
    /// Nobody in particular: no credentials were shown.
    Anonymous,
}

impl Principal {
    /// Describes somebody whose credentials have been checked.
    pub fn new(user_id: impl Into<Box<str>>, tenant: TenantId, roles: Roles) -> Self {
        Principal::of(Kind::User, user_id, tenant, roles)
    }

    /// The same with what others call its tenant, and the teams it belongs to there.
    #[must_use]
    pub fn known_as(self, tenant_name: impl Into<Box<str>>, teams: Vec<Box<str>>) -> Self {
        let Who { kind, user_id, tenant, roles, .. } = &*self.0;
        Principal(Arc::new(Who {
            kind: *kind,
            user_id: user_id.clone(),
            tenant: *tenant,
            tenant_name: tenant_name.into(),
            teams: teams.into(),
            roles: *roles,
        }))
    }

    /// Whoever owns the data directory: may do everything on the node.
    pub fn local_owner() -> Self {
        let roles = Role::ALL.into_iter().fold(Roles::NONE, Roles::with);
        Principal::of(Kind::LocalOwner, LOCAL_OWNER, TenantId::LOCAL, roles)
            .known_as(LOCAL_TENANT, Vec::new())
    }

    /// The node acting on its own behalf.
    pub fn node() -> Self {
        Principal::new("node", TenantId::NODE, Roles::NONE.with(Role::Operator))
    }

    /// Whoever shows no credentials where they are asked for.
    pub fn anonymous() -> Self {
        Principal::of(Kind::Anonymous, "anonymous", TenantId::NODE, Roles::NONE)
    }

    fn of(kind: Kind, user_id: impl Into<Box<str>>, tenant: TenantId, roles: Roles) -> Self {
        let (user_id, tenant_name, teams) = (user_id.into(), Box::default(), Box::default());
        Principal(Arc::new(Who { kind, user_id, tenant, tenant_name, teams, roles }))
    }

    /// The name audit lines carry.
    pub fn user_id(&self) -> &str {
        &self.0.user_id
    }

    /// Where it is at home.
    pub fn tenant(&self) -> TenantId {
        self.0.tenant
    }

    /// What others call its tenant; empty for those of no tenant.
    pub fn tenant_name(&self) -> &str {
        &self.0.tenant_name
    }

    /// Whether it belongs to a team of its tenant.
    pub fn is_in_team(&self, team: &str) -> bool {
        self.0.teams.iter().any(|own| **own == *team)
    }

    /// The teams it belongs to.
    pub fn teams(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.teams.iter().map(|team| &**team)
    }

    /// What it may be trusted with.
    pub fn roles(&self) -> Roles {
        self.0.roles
    }

    /// Whether it owns the data directory.
    pub fn is_local_owner(&self) -> bool {
        self.0.kind == Kind::LocalOwner
    }

    /// Whether it showed no credentials.
    pub fn is_anonymous(&self) -> bool {
        self.0.kind == Kind::Anonymous
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Who { kind, user_id, tenant, roles, .. } = &*self.0;
        f.debug_struct("Principal")
            .field("kind", kind)
            .field("user_id", user_id)
            .field("tenant", tenant)
            .field("roles", roles)
            .finish_non_exhaustive()
    }
}
