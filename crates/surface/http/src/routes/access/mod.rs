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
use utoipa_axum::routes;

use crate::ApiError;
use crate::call::Call;
use crate::params::Params;
use crate::route::Route;
use crate::routes::Routes;

pub(super) use refused::RefusedLook;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::READ, routes!(whoami::whoami))
        .with(Route::READ, routes!(tenants::list))
        .with(Route::WRITE, routes!(tenants::create))
        .with(Route::READ, routes!(tenants::get))
        .with(Route::WRITE, routes!(tenants::change))
        .with(Route::READ, routes!(users::list))
        .with(Route::READ, routes!(users::get))
        .with(Route::WRITE, routes!(users::put, users::set, users::disable))
        .with(Route::READ, routes!(teams::list))
        .with(Route::WRITE, routes!(teams::put, teams::remove))
        .with(Route::READ, routes!(members::list))
        .with(Route::WRITE, routes!(members::add, members::remove))
        .with(Route::READ, routes!(tokens::list))
        .with(Route::WRITE, routes!(tokens::issue))
        .with(Route::WRITE, routes!(tokens::revoke))
        .with(Route::READ, routes!(keys::list))
        .with(Route::WRITE, routes!(keys::add, keys::revoke))
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
