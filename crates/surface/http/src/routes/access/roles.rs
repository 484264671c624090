//! Roles as their names.

use cairn_access::{Role, Roles};

use super::named::parse;
use crate::ApiError;

/// The names of a set, the least role first.
pub(super) fn names(roles: Roles) -> Vec<String> {
    roles.iter().map(|role| Role::name(role).to_owned()).collect()
}

/// The set of these names.
pub(super) fn roles(names: &[String]) -> Result<Roles, ApiError> {
    names.iter().map(|name| parse::<Role>("roles", name)).collect()
}
