//! `GET /v1/access/whoami`.

use axum::Json;
use cairn_access::Principal;
use cairn_wire::access::WhoAmI;

use super::roles;
use crate::ApiError;
use crate::call::Asking;
use crate::error::ErrorBody;

fn to_wire(principal: &Principal) -> WhoAmI {
    WhoAmI {
        user_id: principal.user_id().to_owned(),
        tenant: principal.tenant_name().to_owned(),
        teams: principal.teams().map(str::to_owned).collect(),
        roles: roles::names(principal.roles()),
        is_local_owner: principal.is_local_owner(),
    }
}

/// Who the caller is
#[utoipa::path(
    get,
    path = "/v1/access/whoami",
    tag = "access",
    responses(
        (status = 200, description = "The caller", body = WhoAmI),
        (status = 401, description = "The caller did not say who it is, or what it showed does not hold", body = ErrorBody),
        (status = 503, description = "Too much is going on; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn whoami(asking: Asking) -> Result<Json<WhoAmI>, ApiError> {
    Ok(Json(to_wire(&asking.principal())))
}
