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

/// The same with everything owned, for acts that outlive the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedSharing {
    /// The name of its tenant.
    pub tenant_name: String,
    /// Its author, a user of that tenant.
    pub author: String,
    /// Its tier.
    pub visibility: Visibility,
    /// The team of the tier; empty for none.
    pub team: String,
    /// The list that replaces the tier.
    pub acl: Acl,
}

impl OwnedSharing {
    /// Borrows it.
    pub fn as_sharing(&self) -> Sharing<'_> {
        let OwnedSharing { tenant_name, author, visibility, team, acl } = self;
        Sharing { tenant_name, author, visibility: *visibility, team, acl }
    }
}

impl Sharing<'_> {
    /// Returns an owned copy.
    pub fn to_owned(&self) -> OwnedSharing {
        OwnedSharing {
            tenant_name: self.tenant_name.to_owned(),
            author: self.author.to_owned(),
            visibility: self.visibility,
            team: self.team.to_owned(),
            acl: self.acl.clone(),
        }
    }

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

    /// Readers as marks: a principal may read if one of [`Principal::marks`] is among them. Sorted, each once.
    ///
    /// Marks can be stored and looked up, so that lists, searches and counts filter by permission before they rank,
    /// count or page. They decide as [`authorize`](crate::authorize) does for everyone but the local owner.
    pub fn marks(&self) -> Vec<String> {
        let home = self.tenant_name;
        if self.visibility == Visibility::Public && self.acl.is_empty() {
            return vec![mark::EVERYONE.to_owned()];
        }
        let mut marks = vec![mark::user(home, self.author)];
        if self.acl.is_empty() {
            match self.visibility {
                Visibility::Org => marks.push(mark::tenant(home)),
                Visibility::Team => marks.push(mark::team(home, team_name(self.team))),
                Visibility::Public | Visibility::Private => {}
            }
        }
        marks.extend(self.acl.tenants.iter().map(|name| mark::tenant(name)));
        let mut named = |entry: &str, mark: fn(&str, &str) -> String| {
            marks.push(mark(home, entry));
            marks.extend(entry.split_once('/').map(|(tenant, name)| mark(tenant, name)));
        };
        self.acl.users.iter().for_each(|entry| named(entry, mark::user));
        self.acl.teams.iter().for_each(|entry| named(team_name(entry), mark::team));
        marks.sort_unstable();
        marks.dedup();
        marks
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

impl Principal {
    /// The marks of a principal, for [`Sharing::marks`].
    pub fn marks(&self) -> Vec<String> {
        let mut marks = vec![mark::EVERYONE.to_owned()];
        if self.roles().suffice_for(Role::Reader) {
            let tenant = self.tenant_name();
            marks.push(mark::tenant(tenant));
            marks.push(mark::user(tenant, self.user_id()));
            marks.extend(self.teams().map(|team| mark::team(tenant, team)));
        }
        marks
    }
}

/// Marks of readers. Names of tenants hold no `/`, so no two readers have the same mark.
pub mod mark {
    /// The mark of everyone, also of callers without credentials.
    pub const EVERYONE: &str = "*";

    /// The mark of a whole tenant.
    pub fn tenant(name: &str) -> String {
        format!("t:{name}")
    }

    /// The mark of one user.
    pub fn user(tenant: &str, user: &str) -> String {
        format!("u:{tenant}/{user}")
    }

    /// The mark of one team.
    pub fn team(tenant: &str, team: &str) -> String {
        format!("m:{tenant}/{team}")
    }

    /// The tenant that a mark names; `None` for everyone.
    pub fn tenant_of(mark: &str) -> Option<&str> {
        let (kind, named) = mark.split_once(':')?;
        Some(if kind == "t" { named } else { named.split_once('/')?.0 })
    }
}

/// A team as it is named, without what lists may put before it.
fn team_name(entry: &str) -> &str {
    entry.strip_prefix("team:").unwrap_or(entry)
}
