//! Names in paths and bodies.

use std::fmt::Display;
use std::str::FromStr;

use cairn_access::registry::{TeamName, UserId};

use crate::ApiError;
use crate::params::{Params, invalid};

/// The part `user` of the path.
pub(super) fn user(params: &Params) -> Result<UserId, ApiError> {
    parse("user", params.in_path("user"))
}

/// The part `team` of the path.
pub(super) fn team(params: &Params) -> Result<TeamName, ApiError> {
    parse("team", params.in_path("team"))
}

/// The user to whom a list is narrowed down.
pub(super) fn only_user(params: &Params) -> Result<Option<UserId>, ApiError> {
    params.text("user")?.map(|name| parse("user", name)).transpose()
}

/// Something that is written as text; what is wrong says of which field.
pub(super) fn parse<T: FromStr<Err: Display>>(field: &str, text: &str) -> Result<T, ApiError> {
    text.parse().map_err(|error: T::Err| invalid(error.to_string()).detail("field", field))
}
