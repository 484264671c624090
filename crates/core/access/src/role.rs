//! What somebody may be trusted with.

use std::fmt;
use std::str::FromStr;

/// A role. The first three are inside a tenant, and each of them includes those before it.
///
/// The number is stored: it is chosen once and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// Reads what its tenant shares.
    Reader = 1,
    /// Adds and changes; also reads.
    Writer = 2,
    /// Administers its tenant; also reads and writes.
    Admin = 4,
    /// Administers the node, and nothing inside a tenant.
    Operator = 8,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 4] = [Role::Reader, Role::Writer, Role::Admin, Role::Operator];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Writer => "writer",
            Role::Admin => "admin",
            Role::Operator => "operator",
        }
    }

    /// Roles that include this one, and itself.
    const fn sufficient(self) -> u8 {
        match self {
            Role::Reader => Role::Reader as u8 | Role::Writer as u8 | Role::Admin as u8,
            Role::Writer => Role::Writer as u8 | Role::Admin as u8,
            Role::Admin => Role::Admin as u8,
            Role::Operator => Role::Operator as u8,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no role {0:?}; roles are reader, writer, admin and operator")]
pub struct UnknownRole(pub String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(name: &str) -> Result<Self, UnknownRole> {
        let found = Role::ALL.into_iter().find(|role| role.name() == name);
        found.ok_or_else(|| UnknownRole(name.chars().take(64).collect()))
    }
}

/// A set of roles.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u8);

impl Roles {
    /// No role at all.
    pub const NONE: Roles = Roles(0);

    /// The same set and one role more.
    #[must_use]
    pub const fn with(self, role: Role) -> Roles {
        Roles(self.0 | role as u8)
    }

    /// Whether a role is in the set.
    pub const fn has(self, role: Role) -> bool {
        self.0 & role as u8 != 0
    }

    /// Whether the set has a role, or one that includes it.
    pub const fn suffice_for(self, role: Role) -> bool {
        self.0 & role.sufficient() != 0
    }

    /// What is left of these roles where no more than `scope` may be used.
    ///
    /// An administrator whose scope is reading can read: the scope names what is lent, and each role of
    /// it counts if it is one's own or included in one's own.
    #[must_use]
    pub fn within(self, scope: Roles) -> Roles {
        let lent = Role::ALL.into_iter().filter(|role| scope.has(*role) && self.suffice_for(*role));
        lent.fold(Roles::NONE, Roles::with)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The roles of the set, the least first.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.has(*role))
    }

    /// The number that is stored.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The set a stored number means.
    pub fn from_number(number: u8) -> Option<Roles> {
        let all = Role::ALL.into_iter().fold(Roles::NONE, Roles::with);
        (number & !all.0 == 0).then_some(Roles(number))
    }
}

impl FromIterator<Role> for Roles {
    fn from_iter<I: IntoIterator<Item = Role>>(roles: I) -> Self {
        roles.into_iter().fold(Roles::NONE, Roles::with)
    }
}

impl fmt::Debug for Roles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Role::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_back() {
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(role));
        }
        assert!("Reader".parse::<Role>().is_err(), "names are exact");
        for number in 0..=u8::MAX {
            assert_eq!(Roles::from_number(number).map(Roles::number), (number < 16).then_some(number));
        }
    }

    #[test]
    fn a_scope_lends_what_one_has_and_nothing_more() {
        let set =
            |names: &str| -> Roles { names.split_whitespace().map(|name| name.parse().unwrap()).collect() };
        for (own, scope, left) in [
            ("admin", "reader", "reader"),
            ("reader", "admin", ""),
            ("reader", "reader writer", "reader"),
            ("admin operator", "writer operator", "writer operator"),
            ("operator", "reader", ""),
            ("writer", "reader writer admin operator", "reader writer"),
        ] {
            assert_eq!(set(own).within(set(scope)), set(left), "{own} within {scope}");
        }
    }
}
