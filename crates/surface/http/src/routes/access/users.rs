//! `/v1/access/tenants/{tenant}/users`: for administrators of the tenant.

use axum::Json;
use cairn_access::registry::{TeamName, User};
use cairn_wire::access::{ShownUser, UserAndTeams, UserChange, Users, WantedUser};

use super::part::Part;
use super::refused::{RefusedBody, RefusedChange, RefusedLook};
use super::{change, look, named, roles};
use crate::call::Call;
use crate::params::Params;
use crate::{ApiError, ApiJson, IntoWire};

impl IntoWire for User {
    type Wire = ShownUser;

    fn into_wire(self) -> ShownUser {
        ShownUser {
            user: self.id.to_string(),
            roles: roles::names(self.roles),
            created_at_ms: self.created_at_ms,
            disabled: self.disabled_at_ms.is_some(),
            disabled_at_ms: self.disabled_at_ms,
        }
    }
}

/// Users of a tenant
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/users",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Users", body = Users), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Users>, ApiError> {
    let part = Part::of(&params)?;
    let found =
        look(&call, &params, move |engine, principal, tenant| engine.users(principal, tenant, part.page()));
    let found = found.await?;
    Ok(Json(Users { users: found.items.into_iter().map(IntoWire::into_wire).collect(), next: found.next }))
}

/// One user, with its teams
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/users/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = String, Path, description = "The user, percent-encoded"),
    ),
    responses((status = 200, description = "The user", body = UserAndTeams), RefusedLook)
)]
pub(super) async fn get(call: Call, params: Params) -> Result<Json<UserAndTeams>, ApiError> {
    let id = named::user(&params)?;
    let found = look(&call, &params, move |engine, principal, tenant| engine.user(principal, tenant, &id));
    let (user, teams) = found.await?;
    Ok(Json(UserAndTeams { user: user.into_wire(), teams: teams.iter().map(TeamName::to_string).collect() }))
}

/// Make a user, or give one other roles
///
/// A user that was shut out stays so.
#[utoipa::path(
    put,
    path = "/v1/access/tenants/{tenant}/users/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = String, Path, description = "The user, percent-encoded: an address, a name, a DID, 1 to 256 bytes"),
    ),
    request_body = WantedUser,
    responses((status = 200, description = "The user as it is now", body = ShownUser), RefusedBody)
)]
pub(super) async fn put(
    call: Call,
    params: Params,
    ApiJson(wanted): ApiJson<WantedUser>,
) -> Result<Json<ShownUser>, ApiError> {
    let (id, roles) = (named::user(&params)?, roles::roles(&wanted.roles)?);
    let work = change(&call, &params, move |engine, principal, tenant| {
        engine.put_user(principal, tenant, &id, roles)
    });
    Ok(Json(work.await?.into_wire()))
}

/// Shut a user out, or let it in again
#[utoipa::path(
    patch,
    path = "/v1/access/tenants/{tenant}/users/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = String, Path, description = "The user, percent-encoded"),
    ),
    request_body = UserChange,
    responses((status = 200, description = "The user as it is now", body = ShownUser), RefusedBody)
)]
pub(super) async fn set(
    call: Call,
    params: Params,
    ApiJson(wanted): ApiJson<UserChange>,
) -> Result<Json<ShownUser>, ApiError> {
    let id = named::user(&params)?;
    let work = change(&call, &params, move |engine, principal, tenant| {
        engine.change_user(principal, tenant, &id, wanted.disabled)
    });
    Ok(Json(work.await?.into_wire()))
}

/// Shut a user out
///
/// With all of its tokens and keys, at once. It is not removed, because what it did stays its own; `PATCH`
/// lets it in again.
#[utoipa::path(
    delete,
    path = "/v1/access/tenants/{tenant}/users/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = String, Path, description = "The user, percent-encoded"),
    ),
    responses((status = 200, description = "The user, which is disabled now", body = ShownUser), RefusedChange)
)]
pub(super) async fn disable(call: Call, params: Params) -> Result<Json<ShownUser>, ApiError> {
    let id = named::user(&params)?;
    let work = change(&call, &params, move |engine, principal, tenant| {
        engine.change_user(principal, tenant, &id, true)
    });
    Ok(Json(work.await?.into_wire()))
}
