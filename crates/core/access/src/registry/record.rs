//! The shapes that are stored: a version byte, then the same tuples that keys are made of.

use cairn_base::{KeyBuf, KeyDecodeError, KeyReader, TenantId};

use super::{Key, KeyId, RegistryError, Team, TeamName, Tenant, TenantName, TokenRecord, User, UserId};
use crate::{Roles, TokenHash, TokenId};

const VERSION: u8 = 1;

fn fresh() -> KeyBuf {
    KeyBuf::new().u8(VERSION)
}

/// version | created_at_ms | disabled_at_ms (0: it is not) | name
pub(crate) fn encode_tenant(tenant: &Tenant) -> Vec<u8> {
    fresh().u64(tenant.created_at_ms).u64(time(tenant.disabled_at_ms)).str(tenant.name.as_str()).into_vec()
}

pub(crate) fn decode_tenant(id: TenantId, bytes: &[u8]) -> Result<Tenant, RegistryError> {
    decode("tenant", bytes, |parts| {
        let (created_at_ms, disabled_at_ms) = (parts.u64()?, some_time(parts.u64()?));
        let name = TenantName::parse(&parts.str()?).ok();
        Ok(name.map(|name| Tenant { id, name, created_at_ms, disabled_at_ms }))
    })
}

/// version | roles | created_at_ms | disabled_at_ms
pub(super) fn encode_user(user: &User) -> Vec<u8> {
    fresh().u8(user.roles.number()).u64(user.created_at_ms).u64(time(user.disabled_at_ms)).into_vec()
}

pub(super) fn decode_user(id: UserId, bytes: &[u8]) -> Result<User, RegistryError> {
    decode("user", bytes, |parts| {
        let roles = Roles::from_number(parts.u8()?);
        let (created_at_ms, disabled_at_ms) = (parts.u64()?, some_time(parts.u64()?));
        Ok(roles.map(|roles| User { id, roles, created_at_ms, disabled_at_ms }))
    })
}

/// version | created_at_ms
pub(super) fn encode_team(team: &Team) -> Vec<u8> {
    fresh().u64(team.created_at_ms).into_vec()
}

pub(super) fn decode_team(name: TeamName, bytes: &[u8]) -> Result<Team, RegistryError> {
    decode("team", bytes, |parts| Ok(Some(Team { name, created_at_ms: parts.u64()? })))
}

/// version | hash (32) | scope | created_at_ms | expires_at_ms (0: never) | revoked_at_ms | user | label
pub(super) fn encode_token(token: &TokenRecord) -> Vec<u8> {
    fresh()
        .fixed(&token.hash.0)
        .u8(token.scope.number())
        .u64(token.created_at_ms)
        .u64(time(token.expires_at_ms))
        .u64(time(token.revoked_at_ms))
        .str(token.user.as_str())
        .str(&token.label)
        .into_vec()
}

pub(crate) fn decode_token(id: TokenId, bytes: &[u8]) -> Result<TokenRecord, RegistryError> {
    decode("token", bytes, |parts| {
        let hash = TokenHash(parts.fixed()?);
        let scope = Roles::from_number(parts.u8()?);
        let created_at_ms = parts.u64()?;
        let (expires_at_ms, revoked_at_ms) = (some_time(parts.u64()?), some_time(parts.u64()?));
        let (user, label) = (UserId::parse(&parts.str()?).ok(), parts.str()?.into());
        Ok(user.zip(scope).map(|(user, scope)| TokenRecord {
            id,
            user,
            label,
            scope,
            hash,
            created_at_ms,
            expires_at_ms,
            revoked_at_ms,
        }))
    })
}

/// version | created_at_ms | revoked_at_ms | user
pub(super) fn encode_key(key: &Key) -> Vec<u8> {
    fresh().u64(key.created_at_ms).u64(time(key.revoked_at_ms)).str(key.user.as_str()).into_vec()
}

pub(crate) fn decode_key(id: KeyId, bytes: &[u8]) -> Result<Key, RegistryError> {
    decode("key", bytes, |parts| {
        let (created_at_ms, revoked_at_ms) = (parts.u64()?, some_time(parts.u64()?));
        let user = UserId::parse(&parts.str()?).ok();
        Ok(user.map(|user| Key { id, user, created_at_ms, revoked_at_ms }))
    })
}

/// A time that may not have come: no clock of ours shows 0.
fn time(time: Option<u64>) -> u64 {
    time.unwrap_or(0)
}

fn some_time(time: u64) -> Option<u64> {
    (time != 0).then_some(time)
}

/// Checks version and end; `None` from `body` is something that no version wrote.
fn decode<T>(
    what: &'static str,
    bytes: &[u8],
    body: impl FnOnce(&mut KeyReader<'_>) -> Result<Option<T>, KeyDecodeError>,
) -> Result<T, RegistryError> {
    let mut parts = KeyReader::new(bytes);
    if !matches!(parts.u8(), Ok(VERSION)) {
        return Err(RegistryError::BadRecord { what });
    }
    let value = body(&mut parts).map_err(RegistryError::bad_key(what))?;
    parts.finish().map_err(RegistryError::bad_key(what))?;
    value.ok_or(RegistryError::BadRecord { what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    #[test]
    fn what_is_written_comes_back_and_a_cut_record_is_damaged() {
        let user = UserId::parse("ada").expect("a name");
        let tenant = Tenant {
            id: TenantId(7),
            name: TenantName::parse("acme").expect("a name"),
            created_at_ms: 1,
            disabled_at_ms: Some(2),
        };
        let someone = User {
            id: user.clone(),
            roles: Roles::NONE.with(Role::Admin),
            created_at_ms: 3,
            disabled_at_ms: None,
        };
        let team = Team { name: TeamName::parse("core").expect("a name"), created_at_ms: 4 };
        let key = Key { id: KeyId([5; 32]), user: user.clone(), created_at_ms: 6, revoked_at_ms: Some(7) };
        let token = TokenRecord {
            id: TokenId([8; 8]),
            user,
            label: "laptop".into(),
            scope: Roles::NONE.with(Role::Reader),
            hash: TokenHash([9; 32]),
            created_at_ms: 10,
            expires_at_ms: Some(11),
            revoked_at_ms: None,
        };
        let shown = |text: String| text;
        type Decode<'a> = Box<dyn Fn(&[u8]) -> Option<String> + 'a>;
        let cases: [(Vec<u8>, String, Decode<'_>); 5] = [
            (
                encode_tenant(&tenant),
                format!("{tenant:?}"),
                Box::new(|bytes| decode_tenant(TenantId(7), bytes).ok().map(|found| format!("{found:?}"))),
            ),
            (
                encode_user(&someone),
                format!("{someone:?}"),
                Box::new(|bytes| {
                    decode_user(someone.id.clone(), bytes).ok().map(|found| format!("{found:?}"))
                }),
            ),
            (
                encode_team(&team),
                format!("{team:?}"),
                Box::new(|bytes| {
                    decode_team(team.name.clone(), bytes).ok().map(|found| format!("{found:?}"))
                }),
            ),
            (
                encode_key(&key),
                format!("{key:?}"),
                Box::new(|bytes| decode_key(key.id, bytes).ok().map(|found| format!("{found:?}"))),
            ),
            (
                encode_token(&token),
                format!("{token:?}"),
                Box::new(|bytes| decode_token(token.id, bytes).ok().map(|found| format!("{found:?}"))),
            ),
        ];
        for (bytes, expected, decode) in cases {
            assert_eq!(decode(&bytes).map(shown), Some(expected));
            assert!((0..bytes.len()).all(|cut| decode(&bytes[..cut]).is_none()));
            assert_eq!(decode(&[&bytes[..], &[0]].concat()), None);
        }
    }
}
