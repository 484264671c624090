//! `/v1/access/tenants/{tenant}/teams/{team}/members`.

use axum::Json;
use axum::http::StatusCode;
use cairn_access::registry::UserId;
use cairn_wire::access::Members;

use super::part::Part;
use super::refused::{RefusedChange, RefusedLook};
use super::{change, look, named};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

/// Who belongs to a team
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/teams/{team}/members",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("team" = String, Path, description = "The team"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Users", body = Members), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Members>, ApiError> {
    let (team, part) = (named::team(&params)?, Part::of(&params)?);
    let found = look(&call, &params, move |engine, principal, tenant| {
        engine.members(principal, tenant, &team, part.page())
    });
    let found = found.await?;
    Ok(Json(Members { members: found.items.iter().map(UserId::to_string).collect(), next: found.next }))
}

/// Take a user into a team
#[utoipa::path(
    put,
    path = "/v1/access/tenants/{tenant}/teams/{team}/members/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("team" = String, Path, description = "The team"),
        ("user" = String, Path, description = "The user, percent-encoded"),
    ),
    responses(
        (status = 204, description = "It belongs to the team"),
        (status = 413, description = "It belongs to as many teams as it may", body = ErrorBody),
        RefusedChange,
    )
)]
pub(super) async fn add(call: Call, params: Params) -> Result<StatusCode, ApiError> {
    set(&call, &params, true).await
}

/// Take a user out of a team
#[utoipa::path(
    delete,
    path = "/v1/access/tenants/{tenant}/teams/{team}/members/{user}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("team" = String, Path, description = "The team"),
        ("user" = String, Path, description = "The user, percent-encoded"),
    ),
    responses((status = 204, description = "It does not belong to the team"), RefusedChange)
)]
pub(super) async fn remove(call: Call, params: Params) -> Result<StatusCode, ApiError> {
    set(&call, &params, false).await
}

async fn set(call: &Call, params: &Params, belongs: bool) -> Result<StatusCode, ApiError> {
    let (team, user) = (named::team(params)?, named::user(params)?);
    change(call, params, move |engine, principal, tenant| {
        engine.set_member(principal, tenant, &team, &user, belongs)
    })
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
