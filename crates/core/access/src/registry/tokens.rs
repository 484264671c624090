//! Tokens of users.

use cairn_base::KeyReader;
use cairn_seam::{Reader, WriteTx};

use super::{Page, PageOf, RegistryError, UserId, find_user, page, record};
use crate::{Roles, Scope, TokenHash, TokenId, limits, tables};

/// What is kept of a token. It stays after it was revoked, so that whoever shows it is told so.
#[derive(Debug, Clone)]
pub struct TokenRecord {
    /// What it is called.
    pub id: TokenId,
    /// Whose it is.
    pub user: UserId,
    /// What it is for.
    pub label: Box<str>,
    /// What it may be used for, as far as its user may do that.
    pub scope: Roles,
    /// Of its secret.
    pub hash: TokenHash,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// From when on it does not hold any more.
    pub expires_at_ms: Option<u64>,
    /// Since when it is revoked.
    pub revoked_at_ms: Option<u64>,
}

/// Keeps a token that was made for a user.
pub fn add_token(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    record: TokenRecord,
) -> Result<TokenRecord, RegistryError> {
    if record.label.len() > limits::TOKEN_LABEL_BYTES_MAX || record.label.chars().any(char::is_control) {
        return Err(RegistryError::Label);
    }
    if record.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= record.created_at_ms) {
        return Err(RegistryError::InThePast);
    }
    let user = find_user(tx, scope, &record.user)?;
    if user.roles.within(record.scope).is_empty() {
        return Err(RegistryError::NoRoles { user: user.id.to_string() });
    }
    let owned = scope.key().str(record.user.as_str());
    let max = limits::CREDENTIALS_OF_USER_MAX;
    if page::count(tx, tables::TOKENS_OF_USERS, &owned, max)? >= max
        && forget_dead(tx, scope, &record.user, record.created_at_ms)? == 0
    {
        return Err(RegistryError::Full { what: "tokens of this user", max });
    }
    tx.put(tables::TOKENS, &key(scope, record.id), &record::encode_token(&record))?;
    tx.put(tables::TOKENS_OF_USERS, &owned.fixed(&record.id.0), &[])?;
    Ok(record)
}

/// Forgets tokens of a user that nobody can use any more; whoever shows one hears that it is not known.
fn forget_dead(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    user: &UserId,
    now_ms: u64,
) -> Result<usize, RegistryError> {
    let all = tokens(tx, scope, Some(user), Page::first(limits::CREDENTIALS_OF_USER_MAX))?;
    let is_over =
        |token: &&TokenRecord| token.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= now_ms);
    let dead: Vec<_> =
        all.items.iter().filter(|token| token.revoked_at_ms.is_some() || is_over(token)).collect();
    for token in &dead {
        tx.delete(tables::TOKENS, &key(scope, token.id))?;
        tx.delete(tables::TOKENS_OF_USERS, &scope.key().str(user.as_str()).fixed(&token.id.0))?;
    }
    Ok(dead.len())
}

/// Revokes a token, from now on and for ever.
pub fn revoke_token(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: TokenId,
    now_ms: u64,
) -> Result<TokenRecord, RegistryError> {
    let token = find_token(tx, scope, id)?.ok_or_else(|| RegistryError::missing("token", id))?;
    let token = TokenRecord { revoked_at_ms: Some(token.revoked_at_ms.unwrap_or(now_ms)), ..token };
    tx.put(tables::TOKENS, &key(scope, id), &record::encode_token(&token))?;
    Ok(token)
}

/// A token, if there is one.
pub fn find_token<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: TokenId,
) -> Result<Option<TokenRecord>, RegistryError> {
    let stored = cairn_seam::get(reader, tables::TOKENS, &key(scope, id))?;
    stored.map(|bytes| record::decode_token(id, &bytes)).transpose()
}

/// Tokens of one user or of all, in the order of their ids.
pub fn tokens<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    user: Option<&UserId>,
    wanted: Page<'_>,
) -> Result<PageOf<TokenRecord>, RegistryError> {
    let after: Option<TokenId> =
        wanted.after.map(|id| id.parse().map_err(|_| RegistryError::Cursor)).transpose()?;
    let next = |last: &TokenRecord| last.id.to_string();
    let Some(user) = user else {
        let after = after.map(|id| key(scope, id));
        let read = |rest: &[u8], value: &[u8]| record::decode_token(id_in(rest)?, value);
        return page::read(reader, tables::TOKENS, &scope.key(), after, wanted.limit, read, next);
    };
    let owned = scope.key().str(user.as_str());
    let after = after.map(|id| owned.clone().fixed(&id.0));
    let read = |rest: &[u8], _: &[u8]| id_in(rest);
    let ids =
        page::read(reader, tables::TOKENS_OF_USERS, &owned, after, wanted.limit, read, ToString::to_string)?;
    let found = ids
        .items
        .into_iter()
        .map(|id| find_token(reader, scope, id)?.ok_or(RegistryError::BadRecord { what: "index of tokens" }));
    Ok(PageOf { items: found.collect::<Result<_, _>>()?, next: ids.next })
}

fn key(scope: &Scope, id: TokenId) -> cairn_base::KeyBuf {
    scope.key().fixed(&id.0)
}

fn id_in(rest: &[u8]) -> Result<TokenId, RegistryError> {
    KeyReader::new(rest).fixed().map(TokenId).map_err(RegistryError::bad_key("token's key"))
}
