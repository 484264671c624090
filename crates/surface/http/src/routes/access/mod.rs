//! `/v1/access`: who is known here, and what they may do.
//!
//! The path names the tenant. One that is not there for the caller answers like one that is not there.

mod keys;
mod members;
mod named;
mod part;
mod refused;
mod roles;
mod teams;
mod tenants;
mod tokens;
mod users;
mod valid_for;
mod whoami;

use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_engine::{Engine, EngineError};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::ApiError;
use crate::app::AppState;
use crate::call::Call;
use crate::params::Params;

pub(super) use refused::RefusedLook;

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(whoami::whoami))
        .routes(routes!(tenants::list, tenants::create))
        .routes(routes!(tenants::get, tenants::change))
        .routes(routes!(users::list))
        .routes(routes!(users::get, users::put, users::set, users::disable))
        .routes(routes!(teams::list))
        .routes(routes!(teams::put, teams::remove))
        .routes(routes!(members::list))
        .routes(routes!(members::add, members::remove))
        .routes(routes!(tokens::list, tokens::issue))
        .routes(routes!(tokens::revoke))
        .routes(routes!(keys::list))
        .routes(routes!(keys::add, keys::revoke))
}

/// Looks at something of the tenant that the path names.
async fn look<T: Send + 'static>(
    call: &Call,
    params: &Params,
    body: impl FnOnce(&Engine, &Principal, TenantId) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, ApiError> {
    let name = params.in_path("tenant").to_owned();
    call.read(move |engine, principal| body(engine, principal, engine.tenant_named(principal, &name)?)).await
}

/// Changes something of the tenant that the path names.
async fn change<T: Send + 'static>(
    call: &Call,
    params: &Params,
    body: impl FnOnce(&Engine, &Principal, TenantId) -> Result<T, EngineError> + Send + 'static,
) -> Result<T, ApiError> {
    let name = params.in_path("tenant").to_owned();
    call.change(move |engine, principal| body(engine, principal, engine.tenant_named(principal, &name)?))
        .await
}
