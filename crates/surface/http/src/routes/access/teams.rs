//! `/v1/access/tenants/{tenant}/teams`: for administrators of the tenant.

use axum::Json;
use axum::http::StatusCode;
use cairn_access::registry::Team;
use cairn_wire::access::{ShownTeam, Teams};

use super::part::Part;
use super::refused::{RefusedChange, RefusedLook};
use super::{change, look, named};
use crate::call::Call;
use crate::params::Params;
use crate::{ApiError, IntoWire};

impl IntoWire for Team {
    type Wire = ShownTeam;

    fn into_wire(self) -> ShownTeam {
        ShownTeam { team: self.name.to_string(), created_at_ms: self.created_at_ms }
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
    Ok(Json(Teams { teams: found.items.into_iter().map(IntoWire::into_wire).collect(), next: found.next }))
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
    Ok(Json(work.await?.into_wire()))
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
