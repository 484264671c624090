//! `/v1/access/tenants/{tenant}/teams`: for administrators of the tenant.

use axum::Json;
use axum::http::StatusCode;
use cairn_access::registry::Team;
use serde::Serialize;
use utoipa::ToSchema;

use super::part::Part;
use super::refused::{RefusedChange, RefusedLook};
use super::{change, look, named};
use crate::ApiError;
use crate::call::Call;
use crate::params::Params;

/// A team.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShownTeam {
    /// What it is called.
    #[schema(example = "core")]
    team: String,
    /// When it was made, in Unix milliseconds.
    created_at_ms: u64,
}

/// Part of the teams, by name.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Teams {
    /// The teams.
    teams: Vec<ShownTeam>,
    /// What to pass as `after` to go on; null at the end.
    next: Option<String>,
}

impl From<Team> for ShownTeam {
    fn from(team: Team) -> Self {
        ShownTeam { team: team.name.to_string(), created_at_ms: team.created_at_ms }
    }
}

/// Teams of a tenant
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/teams",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Teams", body = Teams), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Teams>, ApiError> {
    let part = Part::of(&params)?;
    let found =
        look(&call, &params, move |engine, principal, tenant| engine.teams(principal, tenant, part.page()));
    let found = found.await?;
    Ok(Json(Teams { teams: found.items.into_iter().map(Into::into).collect(), next: found.next }))
}

/// Make a team
///
/// One that is there stays as it is.
#[utoipa::path(
    put,
    path = "/v1/access/tenants/{tenant}/teams/{team}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("team" = String, Path, description = "The team: 1 to 128 bytes without space, `/`, `,` and `:`"),
    ),
    responses((status = 200, description = "The team", body = ShownTeam), RefusedChange)
)]
pub(super) async fn put(call: Call, params: Params) -> Result<Json<ShownTeam>, ApiError> {
    let team = named::team(&params)?;
    let work =
        change(&call, &params, move |engine, principal, tenant| engine.create_team(principal, tenant, &team));
    Ok(Json(work.await?.into()))
}

/// Remove a team
///
/// Its members stay users.
#[utoipa::path(
    delete,
    path = "/v1/access/tenants/{tenant}/teams/{team}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("team" = String, Path, description = "The team"),
    ),
    responses((status = 204, description = "It is removed"), RefusedChange)
)]
pub(super) async fn remove(call: Call, params: Params) -> Result<StatusCode, ApiError> {
    let team = named::team(&params)?;
    change(&call, &params, move |engine, principal, tenant| engine.remove_team(principal, tenant, &team))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
