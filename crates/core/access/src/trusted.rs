//! The user as whom clients are let in that cannot show credentials, where an operator allows that.

use std::fmt;

use cairn_base::{ErrorCode, SpaceId, TenantId};
use cairn_seam::Reader;

use crate::registry::{self, BadName, RegistryError, TenantName, UserId};
use crate::{
    AccessCode, CredentialError, LOCAL_OWNER, LOCAL_TENANT, LoginError, Role, Roles, Scope, by_trust,
};

/// A user, and what it is trusted with in this way. Never the local owner, and never an administrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedUser {
    tenant: TenantName,
    user: UserId,
    role: Role,
}

/// Why nobody is let in as this user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotTrustable {
    /// The text does not name one.
    #[error("a user is named with its tenant, such as acme/sdk")]
    NoTenant,
    /// A name cannot be one.
    #[error(transparent)]
    Name(#[from] BadName),
    /// The owner of the data directory.
    #[error("the local owner may do everything; name a user that was made for this")]
    LocalOwner,
    /// A role that administers.
    #[error("the role {0} administers; only reader and writer are lent without credentials")]
    Role(Role),
}

/// Why nobody can come in as a trusted user.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CannotTrust {
    /// Its tenant does not exist.
    #[error("there is no tenant {0:?}")]
    NoTenant(String),
    /// It does not exist.
    #[error("there is no user {user:?} in the tenant {tenant:?}")]
    NoUser {
        /// What it is called.
        user: String,
        /// Its tenant.
        tenant: String,
    },
    /// It does not have the role that it is to lend.
    #[error("the user {user:?} is not a {role}")]
    RoleMissing {
        /// What it is called.
        user: String,
        /// The role.
        role: Role,
    },
    /// It, or its tenant, is disabled.
    #[error(transparent)]
    ShutOut(CredentialError),
    /// The registry could not be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Checks that a trusted user exists, may come in and has its role. Says in which tenant it is.
pub fn check_trust<R: Reader + ?Sized>(reader: &R, trusted: &TrustedUser) -> Result<TenantId, CannotTrust> {
    let TrustedUser { tenant, user, role } = trusted;
    let node = Scope::new(TenantId::NODE, SpaceId::NONE);
    let found = registry::find_tenant(reader, &node, tenant)?;
    let id = found.ok_or_else(|| CannotTrust::NoTenant(tenant.to_string()))?.id;
    let found = registry::load_user(reader, &Scope::new(id, SpaceId::NONE), user)?;
    let (named, tenant) = (user.to_string(), tenant.to_string());
    let found = found.ok_or_else(|| CannotTrust::NoUser { user: named.clone(), tenant })?;
    if !found.roles.suffice_for(*role) {
        return Err(CannotTrust::RoleMissing { user: named, role: *role });
    }
    match by_trust(reader, trusted) {
        Ok(_) => Ok(id),
        Err(LoginError::Credential { error, .. }) => Err(CannotTrust::ShutOut(error)),
        Err(LoginError::Registry(error)) => Err(error.into()),
    }
}

impl CannotTrust {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            CannotTrust::NoTenant(_)
            | CannotTrust::NoUser { .. }
            | CannotTrust::RoleMissing { .. }
            | CannotTrust::ShutOut(_) => AccessCode::ConfigInvalid,
            CannotTrust::Registry(error) => error.code(),
        }
    }
}

impl TrustedUser {
    /// A user that is named as `tenant/user`, with the role that it has in this way.
    pub fn parse(named: &str, role: Role) -> Result<Self, NotTrustable> {
        let (tenant, user) = named.split_once('/').ok_or(NotTrustable::NoTenant)?;
        let (tenant, user) = (TenantName::parse(tenant)?, UserId::parse(user)?);
        if (tenant.as_str(), user.as_str()) == (LOCAL_TENANT, LOCAL_OWNER) {
            return Err(NotTrustable::LocalOwner);
        }
        match role {
            Role::Reader | Role::Writer => Ok(TrustedUser { tenant, user, role }),
            Role::Admin | Role::Operator => Err(NotTrustable::Role(role)),
        }
    }

    /// Its tenant.
    pub fn tenant(&self) -> &TenantName {
        &self.tenant
    }

    /// What it is called there.
    pub fn user(&self) -> &UserId {
        &self.user
    }

    /// What it is trusted with.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// What a role of a trusted user lends: also what it includes.
pub(crate) fn lent(role: Role) -> Roles {
    match role {
        Role::Writer => Roles::NONE.with(Role::Reader).with(Role::Writer),
        Role::Reader => Roles::NONE.with(Role::Reader),
        // There is no such trusted user.
        Role::Admin | Role::Operator => Roles::NONE,
    }
}

impl fmt::Display for TrustedUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({})", self.tenant, self.user, self.role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_owner_no_administrator_and_no_nameless_one() {
        for role in [Role::Reader, Role::Writer] {
            assert_eq!(
                TrustedUser::parse("acme/sdk", role).unwrap().to_string(),
                format!("acme/sdk ({role})")
            );
        }
        for role in [Role::Admin, Role::Operator] {
            assert_eq!(TrustedUser::parse("acme/sdk", role), Err(NotTrustable::Role(role)));
            assert_eq!(lent(role), Roles::NONE);
        }
        assert_eq!(TrustedUser::parse("local/local-owner", Role::Reader), Err(NotTrustable::LocalOwner));
        assert!(TrustedUser::parse("local/sdk", Role::Reader).is_ok());
        assert!(TrustedUser::parse("acme/local-owner", Role::Reader).is_ok(), "another one of that name");
        for bad in ["", "acme", "/sdk", "acme/", " acme/sdk", "a:b/sdk"] {
            assert!(TrustedUser::parse(bad, Role::Reader).is_err(), "{bad}");
        }
    }
}
