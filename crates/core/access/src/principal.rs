//! Who asks.

use cairn_base::TenantId;

/// What a principal may be trusted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// Works inside its tenant.
    Member = 1,
    /// Administers its tenant; also works in it.
    Admin = 2,
    /// Administers the node, and nothing inside a tenant.
    Operator = 4,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Role::Member, Role::Admin, Role::Operator];
}

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u8);

impl Roles {
    /// No role at all.
    pub const NONE: Roles = Roles(0);

    /// The same set and one role more.
    #[must_use]
    pub const fn with(self, role: Role) -> Roles {
        Roles(self.0 | role as u8)
    }

    /// Whether a role is in the set.
    pub const fn has(self, role: Role) -> bool {
        self.0 & role as u8 != 0
    }
}

/// Somebody whose identity is established.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    user_id: String,
    tenant: TenantId,
    roles: Roles,
}

impl Principal {
    /// Describes somebody whose credentials have been checked.
    pub fn new(user_id: impl Into<String>, tenant: TenantId, roles: Roles) -> Self {
        Principal { user_id: user_id.into(), tenant, roles }
    }

    /// Whoever reaches the node while authentication is off: owns the node and the local tenant.
    pub fn local_owner() -> Self {
        let roles = Roles::NONE.with(Role::Member).with(Role::Admin).with(Role::Operator);
        Principal::new("local-owner", TenantId::LOCAL, roles)
    }

    /// The node acting on its own behalf.
    pub fn node() -> Self {
        Principal::new("node", TenantId::NODE, Roles::NONE.with(Role::Operator))
    }

    /// The name audit lines carry.
    pub fn user_id(&self) -> &str {
        &self.user_id
    }

    /// Where it is at home.
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// What it may be trusted with.
    pub fn roles(&self) -> Roles {
        self.roles
    }
}
