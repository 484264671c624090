//! Putting the registry right after records were lost.
//!
//! Users, teams, tokens and keys that are left stay as they are; what they are found by is rebuilt from
//! them. What such an entry names and is not there is lost. A tenant that something belongs to and whose
//! own record is lost gets one, so that its number never means another; it is disabled until somebody
//! looks at it.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::{KeyReader, TenantId};
use cairn_seam::{Fix, Item, KeyRange, Keyspace, Reader, Rebuilt, Visit};

use crate::registry::{KeyId, UserId};
use crate::registry::{RegistryError, Tenant, TenantName, decode_key, decode_token, encode_tenant};
use crate::tables::{
    KEY_HOMES, KEYS, KEYS_OF_USERS, MEMBERS, TEAMS, TEAMS_OF_USERS, TENANT_NAMES, TENANTS, TOKENS,
    TOKENS_OF_USERS, USERS,
};
use crate::{LOCAL_TENANT, Scope, TokenId};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Rebuilds what is kept of a tenant's users, teams, tokens and keys.
pub fn rebuild(reader: &dyn Reader, scope: &Scope) -> Result<Rebuilt, RegistryError> {
    let mut out = Rebuilt::default();
    let users = names(reader, scope, USERS)?;
    let teams = names(reader, scope, TEAMS)?;
    let mut missing: BTreeSet<(&'static str, String)> = BTreeSet::new();
    let mut need_user = |user: &UserId| {
        if !users.contains(user.as_str()) {
            missing.insert(("user", user.to_string()));
        }
    };

    let mut owned = Rows::new();
    let mut verdict = Ok(());
    reader.multi_scan(TOKENS, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        let token = fixed_end::<8>(key).map(|id| decode_token(TokenId(id), value));
        match token {
            Some(Ok(token)) => {
                need_user(&token.user);
                owned.insert(scope.key().str(token.user.as_str()).fixed(&token.id.0).into_vec(), Vec::new());
            }
            Some(Err(error)) => verdict = Err(error),
            None => {}
        }
        Visit::Continue
    })?;
    verdict?;
    lost_behind(
        reader,
        scope,
        TOKENS_OF_USERS,
        TOKENS,
        |key| {
            fixed_end::<8>(key)
                .map(|id| ("token", TokenId(id).to_string(), scope.key().fixed(&id).into_vec()))
        },
        &mut out,
    )?;
    replace(reader, scope, TOKENS_OF_USERS, owned, &mut out)?;

    let mut owned = Rows::new();
    let mut verdict = Ok(());
    reader.multi_scan(KEYS, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        match fixed_end::<32>(key).map(|id| decode_key(KeyId(id), value)) {
            Some(Ok(known)) => {
                need_user(&known.user);
                owned.insert(scope.key().str(known.user.as_str()).fixed(&known.id.0).into_vec(), Vec::new());
            }
            Some(Err(error)) => verdict = Err(error),
            None => {}
        }
        Visit::Continue
    })?;
    verdict?;
    lost_behind(
        reader,
        scope,
        KEYS_OF_USERS,
        KEYS,
        |key| {
            fixed_end::<32>(key).map(|id| ("key", KeyId(id).to_string(), scope.key().fixed(&id).into_vec()))
        },
        &mut out,
    )?;
    replace(reader, scope, KEYS_OF_USERS, owned, &mut out)?;

    // Each of the two says all of it.
    let mut members = pairs(reader, scope, MEMBERS)?;
    members.extend(pairs(reader, scope, TEAMS_OF_USERS)?.into_iter().map(|(user, team)| (team, user)));
    for (team, user) in &members {
        if !users.contains(user) {
            missing.insert(("user", user.clone()));
        }
        if !teams.contains(team) {
            missing.insert(("team", team.clone()));
        }
    }
    members.retain(|(team, user)| users.contains(user) && teams.contains(team));
    let row = |first: &str, second: &str| (scope.key().str(first).str(second).into_vec(), Vec::new());
    let by_team = members.iter().map(|(team, user)| row(team, user)).collect();
    let by_user = members.iter().map(|(team, user)| row(user, team)).collect();
    replace(reader, scope, MEMBERS, by_team, &mut out)?;
    replace(reader, scope, TEAMS_OF_USERS, by_user, &mut out)?;
    out.lost.extend(missing.into_iter().map(|(kind, id)| item(scope.tenant(), kind, id, "")));
    Ok(out)
}

/// Rebuilds what the node knows of tenants. `seen`: tenants that anything belongs to, and the keys that
/// are registered in each.
pub fn rebuild_node(
    reader: &dyn Reader,
    node: &Scope,
    seen: &BTreeMap<TenantId, Vec<KeyId>>,
    now_ms: u64,
) -> Result<Rebuilt, RegistryError> {
    let mut out = Rebuilt::default();
    let mut known: BTreeMap<TenantId, String> = BTreeMap::new();
    reader.multi_scan(TENANTS, &[KeyRange::prefix(&node.key())], &mut |_, key, value| {
        let id = fixed_end::<4>(key).map_or(TenantId::NODE, |id| TenantId(u32::from_be_bytes(id)));
        let tenant = crate::registry::decode_tenant(id, value);
        known.insert(id, tenant.map_or_else(|_| String::new(), |tenant| tenant.name.to_string()));
        Visit::Continue
    })?;
    let mut names: BTreeMap<TenantId, String> = BTreeMap::new();
    reader.multi_scan(TENANT_NAMES, &[KeyRange::prefix(&node.key())], &mut |_, key, value| {
        let id = value.try_into().map_or(TenantId::NODE, |id| TenantId(u32::from_be_bytes(id)));
        if let Ok(name) = KeyReader::new(&key[node.key().len()..]).str() {
            names.insert(id, name.into());
        }
        Visit::Continue
    })?;
    // The tenant of whoever owns the directory is always there, and first.
    let seen_tenants = seen.keys().chain(names.keys()).copied().chain([TenantId::LOCAL]);
    let seen_tenants = seen_tenants.filter(|id| *id != TenantId::NODE);
    for id in seen_tenants.collect::<BTreeSet<_>>() {
        if known.get(&id).is_some_and(|name| !name.is_empty()) {
            continue;
        }
        let is_local = id == TenantId::LOCAL;
        let name = match names.get(&id) {
            _ if is_local => LOCAL_TENANT.to_owned(),
            Some(name) => name.clone(),
            None => format!("lost-{}", id.0),
        };
        let Ok(parsed) = TenantName::parse(&name) else { continue };
        let disabled_at_ms = (!is_local).then_some(now_ms);
        let tenant = Tenant { id, name: parsed, created_at_ms: now_ms, disabled_at_ms };
        out.fixes.push(Fix::Put(TENANTS, node.key().tenant(id).into_vec(), encode_tenant(&tenant)));
        let state = if is_local { "" } else { ", and disabled" };
        let detail = format!("it is called {name} now{state}");
        out.lost.push(item(TenantId::NODE, "tenant", id.0.to_string(), &detail));
        known.insert(id, name);
    }
    let rows = known.iter().filter(|(_, name)| !name.is_empty());
    let rows =
        rows.map(|(id, name)| (node.key().str(name).into_vec(), id.0.to_be_bytes().to_vec())).collect();
    replace(reader, node, TENANT_NAMES, rows, &mut out)?;
    for (tenant, keys) in seen {
        for id in keys {
            let key = node.key().fixed(&id.0).tenant(*tenant).into_vec();
            if cairn_seam::get(reader, KEY_HOMES, &key)?.is_none() {
                out.fixes.push(Fix::Put(KEY_HOMES, key, Vec::new()));
            }
        }
    }
    Ok(out)
}

/// Keys that are registered in a tenant.
pub fn keys_in(reader: &dyn Reader, scope: &Scope) -> Result<Vec<KeyId>, RegistryError> {
    let mut found = Vec::new();
    reader.multi_scan(KEYS, &[KeyRange::prefix(&scope.key())], &mut |_, key, _| {
        found.extend(fixed_end::<32>(key).map(KeyId));
        Visit::Continue
    })?;
    Ok(found)
}

fn names(reader: &dyn Reader, scope: &Scope, keyspace: Keyspace) -> Result<BTreeSet<String>, RegistryError> {
    let prefix = scope.key();
    let mut found = BTreeSet::new();
    reader.multi_scan(keyspace, &[KeyRange::prefix(&prefix)], &mut |_, key, _| {
        found.extend(KeyReader::new(&key[prefix.len()..]).str().map(Into::into));
        Visit::Continue
    })?;
    Ok(found)
}

fn pairs(
    reader: &dyn Reader,
    scope: &Scope,
    keyspace: Keyspace,
) -> Result<BTreeSet<(String, String)>, RegistryError> {
    let prefix = scope.key();
    let mut found = BTreeSet::new();
    reader.multi_scan(keyspace, &[KeyRange::prefix(&prefix)], &mut |_, key, _| {
        let mut parts = KeyReader::new(&key[prefix.len()..]);
        if let (Ok(first), Ok(second)) = (parts.str(), parts.str()) {
            found.insert((first.into(), second.into()));
        }
        Visit::Continue
    })?;
    Ok(found)
}

/// Lists what an index names and is not there.
fn lost_behind(
    reader: &dyn Reader,
    scope: &Scope,
    index: Keyspace,
    of: Keyspace,
    target: impl Fn(&[u8]) -> Option<(&'static str, String, Vec<u8>)>,
    out: &mut Rebuilt,
) -> Result<(), RegistryError> {
    let mut targets = Vec::new();
    reader.multi_scan(index, &[KeyRange::prefix(&scope.key())], &mut |_, key, _| {
        targets.extend(target(key));
        Visit::Continue
    })?;
    for (kind, id, key) in targets {
        if cairn_seam::get(reader, of, &key)?.is_none() {
            out.lost.push(item(scope.tenant(), kind, id, ""));
        }
    }
    Ok(())
}

/// Makes a keyspace hold these rows in a scope, and no others.
fn replace(
    reader: &dyn Reader,
    scope: &Scope,
    keyspace: Keyspace,
    mut wanted: Rows,
    out: &mut Rebuilt,
) -> Result<(), RegistryError> {
    reader.multi_scan(keyspace, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        match wanted.remove(key) {
            Some(right) if right == value => {}
            Some(right) => out.fixes.push(Fix::Put(keyspace, key.to_vec(), right)),
            None => out.fixes.push(Fix::Delete(keyspace, key.to_vec())),
        }
        Visit::Continue
    })?;
    out.fixes.extend(wanted.into_iter().map(|(key, value)| Fix::Put(keyspace, key, value)));
    Ok(())
}

fn fixed_end<const N: usize>(key: &[u8]) -> Option<[u8; N]> {
    key.last_chunk().copied()
}

fn item(tenant: TenantId, kind: &'static str, id: String, detail: &str) -> Item {
    Item { tenant, space: cairn_base::SpaceId::NONE, kind, id, detail: detail.to_owned() }
}
