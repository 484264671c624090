//! Keys of users: public halves, with which signatures are checked.

use std::fmt;
use std::str::FromStr;

use cairn_base::{Hex, KeyBuf, KeyReader, TenantId, from_hex};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use super::{Page, PageOf, RegistryError, UserId, find_user, page, record};
use crate::identity::{NotAPublicKey, PublicKey};
use crate::{Scope, limits, tables};

/// A public key, and at the same time what it is called: 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub [u8; 32]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for KeyId {
    type Err = NotAPublicKey;

    fn from_str(text: &str) -> Result<Self, NotAPublicKey> {
        text.parse::<PublicKey>().map(|key| KeyId(*key.as_bytes()))
    }
}

/// A key of a user. It stays after it was revoked: what it signed before stays signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The key.
    pub id: KeyId,
    /// Whose it is.
    pub user: UserId,
    /// When it was registered, in Unix milliseconds.
    pub created_at_ms: u64,
    /// Since when it is revoked.
    pub revoked_at_ms: Option<u64>,
}

/// Notes that a key may be registered in a tenant, before it is: so that whoever shows it is found there.
/// A note without a key is harmless.
pub fn home_key(
    tx: &mut dyn WriteTx,
    node: &Scope,
    id: KeyId,
    tenant: TenantId,
) -> Result<(), RegistryError> {
    Ok(tx.put(tables::KEY_HOMES, &node.key().fixed(&id.0).tenant(tenant), &[])?)
}

/// Tenants in which a key may be registered, at most `max` of them.
pub fn homes<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    id: KeyId,
    max: usize,
) -> Result<Vec<TenantId>, RegistryError> {
    let prefix = node.key().fixed(&id.0);
    let mut found = Vec::new();
    let range = KeyRange::prefix(&prefix).limit(max);
    reader.multi_scan(tables::KEY_HOMES, &[range], &mut |_, key, _| {
        found.push(KeyReader::new(&key[prefix.len()..]).tenant());
        Visit::Continue
    })?;
    found.into_iter().collect::<Result<_, _>>().map_err(RegistryError::bad_key("home of a key"))
}

/// Registers a key for a user; with the same user again it changes nothing, unless it was revoked.
pub fn add_key(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: KeyId,
    user: &UserId,
    now_ms: u64,
) -> Result<Key, RegistryError> {
    find_user(tx, scope, user)?;
    match find_key(tx, scope, id)? {
        Some(known) if known.user != *user => return Err(RegistryError::KeyTaken),
        // Somebody may have it who should not: it never comes back.
        Some(known) if known.revoked_at_ms.is_some() => {
            return Err(RegistryError::Exists { what: "revoked key", name: id.to_string() });
        }
        Some(known) => return Ok(known),
        None => {}
    }
    let owned = scope.key().str(user.as_str());
    let max = limits::CREDENTIALS_OF_USER_MAX;
    if page::count(tx, tables::KEYS_OF_USERS, &owned, max)? >= max {
        return Err(RegistryError::Full { what: "keys of this user", max });
    }
    let key = Key { id, user: user.clone(), created_at_ms: now_ms, revoked_at_ms: None };
    tx.put(tables::KEYS, &place(scope, id), &record::encode_key(&key))?;
    tx.put(tables::KEYS_OF_USERS, &owned.fixed(&id.0), &[])?;
    Ok(key)
}

/// Revokes a key, from now on and for ever.
pub fn revoke_key(tx: &mut dyn WriteTx, scope: &Scope, id: KeyId, now_ms: u64) -> Result<Key, RegistryError> {
    let key = find_key(tx, scope, id)?.ok_or_else(|| RegistryError::missing("key", id))?;
    let key = Key { revoked_at_ms: Some(key.revoked_at_ms.unwrap_or(now_ms)), ..key };
    tx.put(tables::KEYS, &place(scope, id), &record::encode_key(&key))?;
    Ok(key)
}

/// A key, if it is registered.
pub fn find_key<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: KeyId,
) -> Result<Option<Key>, RegistryError> {
    let stored = cairn_seam::get(reader, tables::KEYS, &place(scope, id))?;
    stored.map(|bytes| record::decode_key(id, &bytes)).transpose()
}

/// Keys of one user or of all, in their own order.
pub fn keys<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    user: Option<&UserId>,
    wanted: Page<'_>,
) -> Result<PageOf<Key>, RegistryError> {
    let after: Option<KeyId> =
        wanted.after.map(|id| from_hex(id).map(KeyId).ok_or(RegistryError::Cursor)).transpose()?;
    let Some(user) = user else {
        let after = after.map(|id| place(scope, id));
        let read = |rest: &[u8], value: &[u8]| record::decode_key(id_in(rest)?, value);
        return page::read(reader, tables::KEYS, &scope.key(), after, wanted.limit, read, |last| {
            last.id.to_string()
        });
    };
    let owned = scope.key().str(user.as_str());
    let after = after.map(|id| owned.clone().fixed(&id.0));
    let read = |rest: &[u8], _: &[u8]| id_in(rest);
    let ids =
        page::read(reader, tables::KEYS_OF_USERS, &owned, after, wanted.limit, read, ToString::to_string)?;
    let found = ids
        .items
        .into_iter()
        .map(|id| find_key(reader, scope, id)?.ok_or(RegistryError::BadRecord { what: "index of keys" }));
    Ok(PageOf { items: found.collect::<Result<_, _>>()?, next: ids.next })
}

fn place(scope: &Scope, id: KeyId) -> KeyBuf {
    scope.key().fixed(&id.0)
}

fn id_in(rest: &[u8]) -> Result<KeyId, RegistryError> {
    KeyReader::new(rest).fixed().map(KeyId).map_err(RegistryError::bad_key("key's key"))
}
