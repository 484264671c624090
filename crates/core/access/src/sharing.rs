//! With whom an artifact is shared: its tier, or a list that replaces the tier.

use std::str::FromStr;

use crate::{Principal, Role};

/// Who may read what somebody published, if no list says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Visibility {
    /// Everyone, also who shows no credentials.
    Public = 1,
    /// Everyone of the tenant.
    Org = 2,
    /// Everyone of one team of the tenant.
    Team = 3,
    /// Its author.
    Private = 4,
}

impl Visibility {
    /// Every tier, the widest first.
    pub const ALL: [Visibility; 4] =
        [Visibility::Public, Visibility::Org, Visibility::Team, Visibility::Private];

    /// What people and payloads call it.
    pub const fn name(self) -> &'static str {
        match self {
            Visibility::Public => "public",
            Visibility::Org => "org",
            Visibility::Team => "team",
            Visibility::Private => "private",
        }
    }
}

/// The text names no tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("visibility is public, org, team or private")]
pub struct UnknownVisibility;

impl FromStr for Visibility {
    type Err = UnknownVisibility;

    fn from_str(name: &str) -> Result<Self, UnknownVisibility> {
        Visibility::ALL.into_iter().find(|tier| tier.name() == name).ok_or(UnknownVisibility)
    }
}

/// A list of who may read. With one entry it replaces the tier, to both sides: it opens what is private
/// and closes what is public. The author reads in any case.
///
/// Users and teams are those of the artifact's own tenant; `tenant/team` and `tenant/user` name others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acl {
    /// Whole tenants, by name.
    pub tenants: Vec<String>,
    /// Users.
    pub users: Vec<String>,
    /// Teams, with or without `team:` before the name.
    pub teams: Vec<String>,
}

impl Acl {
    /// Whether it says nothing, so that the tier counts.
    pub fn is_empty(&self) -> bool {
        self.tenants.is_empty() && self.users.is_empty() && self.teams.is_empty()
    }
}

/// With whom one artifact is shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sharing<'a> {
    /// What its tenant is called.
    pub tenant_name: &'a str,
    /// Who published it, a user of that tenant.
    pub author: &'a str,
    /// Its tier.
    pub visibility: Visibility,
    /// The team of the tier; none is no team.
    pub team: &'a str,
    /// The list that replaces the tier.
    pub acl: &'a Acl,
}

impl Sharing<'_> {
    /// Whether somebody is its author. `at_home`: whether the artifact is of the principal's own tenant.
    pub(crate) fn is_by(&self, principal: &Principal, at_home: bool) -> bool {
        at_home && principal.user_id() == self.author
    }

    /// Whether somebody may read it.
    pub(crate) fn is_with(&self, principal: &Principal, at_home: bool) -> bool {
        let reads = principal.roles().suffice_for(Role::Reader);
        if reads && self.is_by(principal, at_home) {
            return true;
        }
        if !self.acl.is_empty() {
            return reads && self.is_listed(principal, at_home);
        }
        match self.visibility {
            Visibility::Public => true,
            Visibility::Org => reads && at_home,
            Visibility::Team => reads && at_home && principal.is_in_team(team_name(self.team)),
            Visibility::Private => false,
        }
    }

    fn is_listed(&self, principal: &Principal, at_home: bool) -> bool {
        let tenant = principal.tenant_name();
        let named = |entry: &str, is_named: &dyn Fn(&str) -> bool| {
            // A user's id may have a slash of its own, so the whole entry is tried first.
            let in_tenant = entry.split_once('/').filter(|(of, _)| *of == tenant);
            at_home && is_named(entry) || in_tenant.is_some_and(|(_, name)| is_named(name))
        };
        self.acl.tenants.iter().any(|listed| *listed == tenant)
            || self.acl.users.iter().any(|entry| named(entry, &|user| user == principal.user_id()))
            || self.acl.teams.iter().any(|entry| named(team_name(entry), &|team| principal.is_in_team(team)))
    }
}

/// A team as it is named, without what lists may put before it.
fn team_name(entry: &str) -> &str {
    entry.strip_prefix("team:").unwrap_or(entry)
}
