//! From credentials to a principal: what the registry says about what somebody showed.
//!
//! Reads the node's records and those of one tenant, for nobody in particular: whoever asks is not known
//! yet. That is why this is here and not above a permit.

use cairn_base::{SpaceId, TenantId};
use cairn_seam::Reader;

use crate::registry::{self, Key, RegistryError, TenantName, TokenRecord, UserId};
use crate::trusted::lent;
use crate::{
    CredentialError, KeyId, Principal, Role, Roles, Scope, SignedJwt, Token, TokenHash, TokenId, TrustedUser,
};

/// Somebody who has shown who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Who it is, and what it may be trusted with this way.
    pub principal: Principal,
    /// From which millisecond on it does not hold any more.
    pub expires_at_ms: Option<u64>,
    proof: Proof,
}

/// By what it was shown, so that it can be looked at again without what was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Token(TokenId),
    Key(KeyId),
    /// Nothing: an operator allows it, with this role.
    Trust(Role),
}

/// Why nobody was let in.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoginError {
    /// The credentials are not good.
    #[error("{error}")]
    Credential {
        /// What is wrong with them.
        error: CredentialError,
        /// Whose they are, if that much is certain. It has no role.
        whose: Option<Principal>,
    },
    /// The registry could not be read.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

impl From<CredentialError> for LoginError {
    fn from(error: CredentialError) -> Self {
        LoginError::Credential { error, whose: None }
    }
}

impl Login {
    /// Whether it was shown with a signature, which is good for one connection.
    pub fn is_signed(&self) -> bool {
        matches!(self.proof, Proof::Key(_))
    }
}

/// Checks a token.
pub fn by_token<R: Reader + ?Sized>(reader: &R, token: &Token, now_ms: u64) -> Result<Login, LoginError> {
    let scope = Scope::new(token.tenant(), SpaceId::NONE);
    let record = registry::find_token(reader, &scope, token.id())?;
    // Also where there is no such token: what a look-up finds shall not show in how long it takes.
    let expected = record.as_ref().map_or(TokenHash([0; 32]), |record| record.hash);
    let is_right = token.hash().is(&expected);
    let record = record.filter(|_| is_right).ok_or(CredentialError::UnknownToken)?;
    token_login(reader, &scope, &record, now_ms)
}

/// Lets in as a trusted user whoever shows nothing. That the client may be is for the caller to check.
pub fn by_trust<R: Reader + ?Sized>(reader: &R, trusted: &TrustedUser) -> Result<Login, LoginError> {
    let node = Scope::new(TenantId::NODE, SpaceId::NONE);
    let tenant = registry::find_tenant(reader, &node, trusted.tenant())?;
    let tenant = tenant.ok_or(CredentialError::TenantDisabled)?;
    trust_login(reader, &Scope::new(tenant.id, SpaceId::NONE), trusted.user(), trusted.role())
}

/// Whose a key is, as the registry has it now.
#[derive(Debug, Clone)]
pub struct KeyOwner {
    key: KeyId,
    principal: Principal,
}

/// Looks up whose key has signed a JWT. The same for every JWT of the key and tenant, until the registry
/// changes.
pub fn key_owner<R: Reader + ?Sized>(reader: &R, jwt: &SignedJwt<'_>) -> Result<KeyOwner, LoginError> {
    let (tenant, key) = key_of(reader, jwt.key(), jwt.claims().tenant.as_deref())?;
    let login = key_login(reader, &Scope::new(tenant, SpaceId::NONE), &key, 0)?;
    Ok(KeyOwner { key: key.id, principal: login.principal })
}

/// Checks what a JWT says, which is to be for this node. That nobody used it before is for the caller to
/// check.
pub fn by_jwt(jwt: &SignedJwt<'_>, owner: &KeyOwner, node: &str, now_ms: u64) -> Result<Login, LoginError> {
    let (claims, principal) = (jwt.claims(), owner.principal.clone());
    let at_fault = |error| {
        let whose = Principal::new(principal.user_id(), principal.tenant(), Roles::NONE);
        LoginError::Credential { error, whose: Some(whose) }
    };
    let expires_at_ms = claims.check(node, now_ms).map_err(at_fault)?;
    if claims.user.as_deref().is_some_and(|user| user != principal.user_id()) {
        return Err(at_fault(CredentialError::Claims));
    }
    Ok(Login { principal, expires_at_ms: Some(expires_at_ms), proof: Proof::Key(owner.key) })
}

/// Looks again at somebody who was let in, after the registry has changed.
pub fn again<R: Reader + ?Sized>(reader: &R, login: &Login, now_ms: u64) -> Result<Login, LoginError> {
    let scope = Scope::new(login.principal.tenant(), SpaceId::NONE);
    match (login.proof, login.expires_at_ms) {
        (Proof::Token(id), _) => {
            let record = registry::find_token(reader, &scope, id)?.ok_or(CredentialError::UnknownToken)?;
            token_login(reader, &scope, &record, now_ms)
        }
        (Proof::Trust(role), _) => {
            let user = UserId::parse(login.principal.user_id()).map_err(RegistryError::from)?;
            trust_login(reader, &scope, &user, role)
        }
        (Proof::Key(id), expires_at_ms) => {
            let key = registry::find_key(reader, &scope, id)?.ok_or(CredentialError::UnknownKey)?;
            key_login(reader, &scope, &key, expires_at_ms.unwrap_or(0))
        }
    }
}

fn token_login<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    record: &TokenRecord,
    now_ms: u64,
) -> Result<Login, LoginError> {
    let problem = if record.revoked_at_ms.is_some() {
        Some(CredentialError::Revoked)
    } else if record.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= now_ms) {
        Some(CredentialError::Expired)
    } else {
        None
    };
    if let Some(error) = problem {
        return Err(LoginError::Credential { error, whose: Some(nobody(scope, &record.user)) });
    }
    let principal = principal(reader, scope, &record.user, Some(record.scope))?;
    Ok(Login { principal, expires_at_ms: record.expires_at_ms, proof: Proof::Token(record.id) })
}

fn trust_login<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    user: &UserId,
    role: Role,
) -> Result<Login, LoginError> {
    let principal = principal(reader, scope, user, Some(lent(role)))?;
    Ok(Login { principal, expires_at_ms: None, proof: Proof::Trust(role) })
}

fn key_login<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    key: &Key,
    expires_at_ms: u64,
) -> Result<Login, LoginError> {
    if key.revoked_at_ms.is_some() {
        let error = CredentialError::KeyRevoked;
        return Err(LoginError::Credential { error, whose: Some(nobody(scope, &key.user)) });
    }
    let principal = principal(reader, scope, &key.user, None)?;
    Ok(Login { principal, expires_at_ms: Some(expires_at_ms), proof: Proof::Key(key.id) })
}

/// In so many tenants a key is looked for when nobody says in which.
const HOMES_MAX: usize = 64;

/// Where a key is registered. In several tenants, the JWT has to say for which it is.
fn key_of<R: Reader + ?Sized>(
    reader: &R,
    id: KeyId,
    tenant: Option<&str>,
) -> Result<(TenantId, Key), LoginError> {
    let node = Scope::new(TenantId::NODE, SpaceId::NONE);
    let homes = match tenant {
        Some(name) => {
            let name = TenantName::parse(name).map_err(|_| CredentialError::UnknownKey)?;
            registry::find_tenant(reader, &node, &name)?.map(|tenant| tenant.id).into_iter().collect()
        }
        None => {
            let homes = registry::homes(reader, &node, id, HOMES_MAX)?;
            if homes.len() == HOMES_MAX {
                return Err(CredentialError::SeveralTenants.into());
            }
            homes
        }
    };
    let mut found = Vec::new();
    for home in homes {
        let key = registry::find_key(reader, &Scope::new(home, SpaceId::NONE), id)?;
        found.extend(key.map(|key| (home, key)));
    }
    // Where it was revoked it is of no use, and does not count beside one that is.
    if found.iter().any(|(_, key)| key.revoked_at_ms.is_none()) {
        found.retain(|(_, key)| key.revoked_at_ms.is_none());
    }
    match <[_; 1]>::try_from(found) {
        Ok([one]) => Ok(one),
        Err(several) if several.len() > 1 => Err(CredentialError::SeveralTenants.into()),
        Err(_none) => Err(CredentialError::UnknownKey.into()),
    }
}

/// A user as it is now, with its roles as far as `lent` allows.
fn principal<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: &UserId,
    lent: Option<Roles>,
) -> Result<Principal, LoginError> {
    let at_fault = |error| LoginError::Credential { error, whose: Some(nobody(scope, id)) };
    let node = Scope::new(TenantId::NODE, SpaceId::NONE);
    let tenant = registry::load_tenant(reader, &node, scope.tenant())?;
    let tenant = tenant.filter(|tenant| tenant.disabled_at_ms.is_none());
    let tenant = tenant.ok_or_else(|| at_fault(CredentialError::TenantDisabled))?;
    let user = registry::load_user(reader, scope, id)?.filter(|user| user.disabled_at_ms.is_none());
    let user = user.ok_or_else(|| at_fault(CredentialError::UserDisabled))?;
    let teams = registry::teams_of(reader, scope, id)?;
    let teams = teams.iter().map(|team| team.as_str().into()).collect();
    let roles = lent.map_or(user.roles, |lent| user.roles.within(lent));
    Ok(Principal::new(id.as_str(), scope.tenant(), roles).known_as(tenant.name.as_str(), teams))
}

/// Somebody who may do nothing, for the trail.
fn nobody(scope: &Scope, user: &UserId) -> Principal {
    Principal::new(user.as_str(), scope.tenant(), Roles::NONE)
}
