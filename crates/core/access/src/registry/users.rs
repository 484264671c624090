//! Users of a tenant.

use cairn_base::{KeyReader, TenantId};
use cairn_seam::{Reader, WriteTx};

use super::{Page, PageOf, RegistryError, UserId, page, record};
use crate::{LOCAL_OWNER, Role, Roles, Scope, tables};

/// A user. It is never removed: what it did stays its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// What it is called.
    pub id: UserId,
    /// What it may be trusted with.
    pub roles: Roles,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Since when it may not come in.
    pub disabled_at_ms: Option<u64>,
}

/// Makes a user, or gives one that is there other roles. One that is shut out stays so.
pub fn put_user(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: &UserId,
    roles: Roles,
    now_ms: u64,
) -> Result<User, RegistryError> {
    if roles.has(Role::Operator) && scope.tenant() != TenantId::LOCAL {
        return Err(RegistryError::NotAnOperator);
    }
    let known = load_user(tx, scope, id)?;
    if known.is_some() && is_local_owner(scope, id) {
        return Err(RegistryError::LocalOwner);
    }
    let fresh = User { id: id.clone(), roles, created_at_ms: now_ms, disabled_at_ms: None };
    let user = User { roles, ..known.unwrap_or(fresh) };
    put(tx, scope, &user)?;
    Ok(user)
}

/// Shuts a user out, with every token and key it has, from `disabled_at_ms` on; or lets it in again.
pub fn change_user(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: &UserId,
    disabled_at_ms: Option<u64>,
) -> Result<User, RegistryError> {
    if is_local_owner(scope, id) {
        return Err(RegistryError::LocalOwner);
    }
    let user = find_user(tx, scope, id)?;
    // Shut out twice is shut out since the first time.
    let disabled_at_ms = disabled_at_ms.map(|now_ms| user.disabled_at_ms.unwrap_or(now_ms));
    let user = User { disabled_at_ms, ..user };
    put(tx, scope, &user)?;
    Ok(user)
}

/// A user, if there is one of that name.
pub fn load_user<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: &UserId,
) -> Result<Option<User>, RegistryError> {
    let stored = cairn_seam::get(reader, tables::USERS, &scope.key().str(id.as_str()))?;
    stored.map(|bytes| record::decode_user(id.clone(), &bytes)).transpose()
}

/// A user.
pub fn find_user<R: Reader + ?Sized>(reader: &R, scope: &Scope, id: &UserId) -> Result<User, RegistryError> {
    load_user(reader, scope, id)?.ok_or_else(|| RegistryError::missing("user", id))
}

/// Users, by name.
pub fn users<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    wanted: Page<'_>,
) -> Result<PageOf<User>, RegistryError> {
    let prefix = scope.key();
    let after = wanted.after.map(|name| scope.key().str(name));
    let read = |rest: &[u8], value: &[u8]| record::decode_user(user_in(rest)?, value);
    page::read(reader, tables::USERS, &prefix, after, wanted.limit, read, |last| last.id.to_string())
}

/// A user's name at the end of a key.
pub(super) fn user_in(rest: &[u8]) -> Result<UserId, RegistryError> {
    let name = KeyReader::new(rest).str().map_err(RegistryError::bad_key("user's key"))?;
    UserId::parse(&name).map_err(|_| RegistryError::BadRecord { what: "user's key" })
}

fn put(tx: &mut dyn WriteTx, scope: &Scope, user: &User) -> Result<(), RegistryError> {
    Ok(tx.put(tables::USERS, &scope.key().str(user.id.as_str()), &record::encode_user(user))?)
}

fn is_local_owner(scope: &Scope, id: &UserId) -> bool {
    scope.tenant() == TenantId::LOCAL && id.as_str() == LOCAL_OWNER
}
