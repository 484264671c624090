//! What tenants, teams and users are called.

use std::fmt;
use std::str::FromStr;

use crate::limits;

/// A name that cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name of a {what} {problem}")]
pub struct BadName {
    /// Of what.
    pub what: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

/// Names are compared byte for byte, so what looks like nothing is refused.
fn check(what: &'static str, name: &str, bytes_max: usize, but: &[char]) -> Result<Box<str>, BadName> {
    let problem = if name.is_empty() {
        "is empty"
    } else if name.len() > bytes_max {
        if bytes_max == limits::USER_ID_BYTES_MAX {
            "has more than 256 bytes"
        } else {
            "has more than 128 bytes"
        }
    } else if name.trim() != name {
        "begins or ends with white space"
    } else if name.chars().any(char::is_control) {
        "has a control character"
    } else if name.contains(but) {
        "has a space, `/`, `,` or `:`"
    } else {
        return Ok(name.into());
    };
    Err(BadName { what, problem })
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $what:literal, $max:expr, $but:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Checks a name.
            pub fn parse(name: &str) -> Result<Self, BadName> {
                check($what, name, $max, $but).map($name)
            }

            /// As text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadName;

            fn from_str(name: &str) -> Result<Self, BadName> {
                $name::parse(name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    )*};
}

names! {
    /// A tenant's name: 1 to 128 bytes without white space, `/`, `,` and `:`, which stand beside names.
    TenantName: "tenant", limits::TENANT_NAME_BYTES_MAX, &[' ', '/', ',', ':'];
    /// A team's name: the same.
    TeamName: "team", limits::TENANT_NAME_BYTES_MAX, &[' ', '/', ',', ':'];
    /// A user's name: 1 to 256 bytes. An address of e-mail, a name, a DID, or a node's id.
    UserId: "user", limits::USER_ID_BYTES_MAX, &[];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_visible() {
        for good in ["a", "ada@example.org", "did:key:z6Mk", "Ada Lovelace", "a/b", &"x".repeat(256)] {
            assert_eq!(UserId::parse(good).as_ref().map(UserId::as_str), Ok(good));
        }
        for bad in ["", " a", "a ", "a\nb", "\u{7f}", &"x".repeat(257)] {
            assert!(UserId::parse(bad).is_err(), "{bad:?}");
        }
        for bad in ["", "a b", "a/b", "a,b", "team:a", "a\tb", &"x".repeat(129)] {
            assert!(TeamName::parse(bad).is_err() && TenantName::parse(bad).is_err(), "{bad:?}");
        }
    }
}
