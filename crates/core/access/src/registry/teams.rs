//! Teams of a tenant, and who belongs to them.

use cairn_base::KeyReader;
use cairn_seam::{Reader, WriteTx};

use super::users::user_in;
use super::{Page, PageOf, RegistryError, TeamName, UserId, find_user, page, record};
use crate::{Scope, limits, tables};

/// A team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// What it is called.
    pub name: TeamName,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
}

/// Makes a team; one that is there stays as it is.
pub fn create_team(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    name: &TeamName,
    now_ms: u64,
) -> Result<Team, RegistryError> {
    if let Some(known) = load(tx, scope, name)? {
        return Ok(known);
    }
    let team = Team { name: name.clone(), created_at_ms: now_ms };
    tx.put(tables::TEAMS, &scope.key().str(name.as_str()), &record::encode_team(&team))?;
    Ok(team)
}

/// Removes a team. Members first, in steps of at most `members_max`; says whether all is gone.
pub fn remove_team(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    name: &TeamName,
    members_max: usize,
) -> Result<bool, RegistryError> {
    find(tx, scope, name)?;
    let gone = members(tx, scope, name, Page::first(members_max))?;
    for user in &gone.items {
        unlink(tx, scope, name, user)?;
    }
    if gone.next.is_none() {
        tx.delete(tables::TEAMS, &scope.key().str(name.as_str()))?;
    }
    Ok(gone.next.is_none())
}

/// Takes a user into a team.
pub fn add_member(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    team: &TeamName,
    user: &UserId,
) -> Result<(), RegistryError> {
    find(tx, scope, team)?;
    find_user(tx, scope, user)?;
    let prefix = scope.key().str(user.as_str());
    let max = limits::TEAMS_OF_USER_MAX;
    let is_new = cairn_seam::get(tx, tables::TEAMS_OF_USERS, &prefix.clone().str(team.as_str()))?.is_none();
    if is_new && page::count(tx, tables::TEAMS_OF_USERS, &prefix, max)? >= max {
        return Err(RegistryError::Full { what: "teams of this user", max });
    }
    tx.put(tables::TEAMS_OF_USERS, &prefix.str(team.as_str()), &[])?;
    Ok(tx.put(tables::MEMBERS, &scope.key().str(team.as_str()).str(user.as_str()), &[])?)
}

/// Takes a user out of a team; fine if it was not in it.
pub fn remove_member(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    team: &TeamName,
    user: &UserId,
) -> Result<(), RegistryError> {
    find(tx, scope, team)?;
    unlink(tx, scope, team, user)
}

fn unlink(tx: &mut dyn WriteTx, scope: &Scope, team: &TeamName, user: &UserId) -> Result<(), RegistryError> {
    tx.delete(tables::TEAMS_OF_USERS, &scope.key().str(user.as_str()).str(team.as_str()))?;
    Ok(tx.delete(tables::MEMBERS, &scope.key().str(team.as_str()).str(user.as_str()))?)
}

/// Teams, by name.
pub fn teams<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    wanted: Page<'_>,
) -> Result<PageOf<Team>, RegistryError> {
    let after = wanted.after.map(|name| scope.key().str(name));
    let read = |rest: &[u8], value: &[u8]| record::decode_team(team_in(rest)?, value);
    page::read(reader, tables::TEAMS, &scope.key(), after, wanted.limit, read, |last| last.name.to_string())
}

/// Who belongs to a team, by name.
pub fn members<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    team: &TeamName,
    wanted: Page<'_>,
) -> Result<PageOf<UserId>, RegistryError> {
    find(reader, scope, team)?;
    let prefix = scope.key().str(team.as_str());
    let after = wanted.after.map(|name| prefix.clone().str(name));
    let read = |rest: &[u8], _: &[u8]| user_in(rest);
    page::read(reader, tables::MEMBERS, &prefix, after, wanted.limit, read, ToString::to_string)
}

/// The teams a user belongs to, by name.
pub fn teams_of<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    user: &UserId,
) -> Result<Vec<TeamName>, RegistryError> {
    let prefix = scope.key().str(user.as_str());
    let read = |rest: &[u8], _: &[u8]| team_in(rest);
    let page =
        page::read(reader, tables::TEAMS_OF_USERS, &prefix, None, limits::TEAMS_OF_USER_MAX, read, |_| {
            String::new()
        });
    Ok(page?.items)
}

fn load<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    name: &TeamName,
) -> Result<Option<Team>, RegistryError> {
    let stored = cairn_seam::get(reader, tables::TEAMS, &scope.key().str(name.as_str()))?;
    stored.map(|bytes| record::decode_team(name.clone(), &bytes)).transpose()
}

fn find<R: Reader + ?Sized>(reader: &R, scope: &Scope, name: &TeamName) -> Result<Team, RegistryError> {
    load(reader, scope, name)?.ok_or_else(|| RegistryError::missing("team", name))
}

fn team_in(rest: &[u8]) -> Result<TeamName, RegistryError> {
    let name = KeyReader::new(rest).str().map_err(RegistryError::bad_key("team's key"))?;
    TeamName::parse(&name).map_err(|_| RegistryError::BadRecord { what: "team's key" })
}
