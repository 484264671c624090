//! `/v1/access/tenants`: for operators of the node.

use axum::Json;
use axum::http::StatusCode;
use cairn_access::registry::{Tenant, TenantName};
use cairn_wire::access::{NewTenant, ShownTenant, TenantChange, Tenants};

use super::named::parse;
use super::part::Part;
use super::refused::{RefusedBody, RefusedLook};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;
use crate::{ApiError, ApiJson, IntoWire};

impl IntoWire for Tenant {
    type Wire = ShownTenant;

    fn into_wire(self) -> ShownTenant {
        ShownTenant {
            tenant: self.name.to_string(),
            id: self.id.0,
            created_at_ms: self.created_at_ms,
            disabled: self.disabled_at_ms.is_some(),
            disabled_at_ms: self.disabled_at_ms,
        }
    }
}

/// Every tenant
#[utoipa::path(
    get,
    path = "/v1/access/tenants",
    tag = "access",
    params(
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Tenants", body = Tenants), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Tenants>, ApiError> {
    let part = Part::of(&params)?;
    let found = call.read(move |engine, principal| engine.tenants(principal, part.page())).await?;
    Ok(Json(Tenants {
        tenants: found.items.into_iter().map(IntoWire::into_wire).collect(),
        next: found.next,
    }))
}

/// Make a tenant
#[utoipa::path(
    post,
    path = "/v1/access/tenants",
    tag = "access",
    request_body = NewTenant,
    responses(
        (status = 201, description = "It is made", body = ShownTenant),
        (status = 409, description = "There is one of that name already", body = ErrorBody),
        RefusedBody,
    )
)]
pub(super) async fn create(
    call: Call,
    ApiJson(wanted): ApiJson<NewTenant>,
) -> Result<(StatusCode, Json<ShownTenant>), ApiError> {
    let name: TenantName = parse("tenant", &wanted.tenant)?;
    let made = call.change(move |engine, principal| engine.create_tenant(principal, &name)).await?;
    Ok((StatusCode::CREATED, Json(made.into_wire())))
}

/// One tenant
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}",
    tag = "access",
    params(("tenant" = String, Path, description = "The tenant")),
    responses((status = 200, description = "The tenant", body = ShownTenant), RefusedLook)
)]
pub(super) async fn get(call: Call, params: Params) -> Result<Json<ShownTenant>, ApiError> {
    let name: TenantName = parse("tenant", params.in_path("tenant"))?;
    let found = call.read(move |engine, principal| engine.tenant(principal, &name)).await?;
    Ok(Json(found.into_wire()))
}

/// Shut a tenant's users out, or let them in again
///
/// What the tenant has stays as it is.
#[utoipa::path(
    patch,
    path = "/v1/access/tenants/{tenant}",
    tag = "access",
    params(("tenant" = String, Path, description = "The tenant")),
    request_body = TenantChange,
    responses((status = 200, description = "The tenant as it is now", body = ShownTenant), RefusedBody)
)]
pub(super) async fn change(
    call: Call,
    params: Params,
    ApiJson(change): ApiJson<TenantChange>,
) -> Result<Json<ShownTenant>, ApiError> {
    let name: TenantName = parse("tenant", params.in_path("tenant"))?;
    let work = call.change(move |engine, principal| engine.change_tenant(principal, &name, change.disabled));
    Ok(Json(work.await?.into_wire()))
}
