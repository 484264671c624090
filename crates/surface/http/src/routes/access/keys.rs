//! `/v1/access/tenants/{tenant}/keys`: for administrators of the tenant.

use axum::Json;
use cairn_access::KeyId;
use cairn_access::registry::Key;
use cairn_wire::access::{KeyOwner, Keys, ShownKey};

use super::named::{only_user, parse};
use super::part::Part;
use super::refused::{RefusedBody, RefusedChange, RefusedLook};
use super::{change, look};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;
use crate::{ApiError, ApiJson, IntoWire};

impl IntoWire for Key {
    type Wire = ShownKey;

    fn into_wire(self) -> ShownKey {
        ShownKey {
            public_key: self.id.to_string(),
            user: self.user.to_string(),
            created_at_ms: self.created_at_ms,
            revoked: self.revoked_at_ms.is_some(),
            revoked_at_ms: self.revoked_at_ms,
        }
    }
}

/// Keys of a tenant, or of one user
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/keys",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = Option<String>, Query, description = "Only those of this user"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Keys", body = Keys), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Keys>, ApiError> {
    let (user, part) = (only_user(&params)?, Part::of(&params)?);
    let found = look(&call, &params, move |engine, principal, tenant| {
        engine.keys(principal, tenant, user.as_ref(), part.page())
    });
    let found = found.await?;
    Ok(Json(Keys { keys: found.items.into_iter().map(IntoWire::into_wire).collect(), next: found.next }))
}

/// Register a key for a user
///
/// With the same user again it changes nothing. A revoked key never comes back.
#[utoipa::path(
    put,
    path = "/v1/access/tenants/{tenant}/keys/{public_key}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("public_key" = String, Path, description = "An Ed25519 public key: 64 hexadecimal digits"),
    ),
    request_body = KeyOwner,
    responses(
        (status = 200, description = "The key", body = ShownKey),
        (status = 409, description = "It is another user's, or was revoked", body = ErrorBody),
        RefusedBody,
    )
)]
pub(super) async fn add(
    call: Call,
    params: Params,
    ApiJson(owner): ApiJson<KeyOwner>,
) -> Result<Json<ShownKey>, ApiError> {
    let (id, user) = (key(&params)?, parse("user", &owner.user)?);
    let work =
        change(&call, &params, move |engine, principal, tenant| engine.add_key(principal, tenant, id, &user));
    Ok(Json(work.await?.into_wire()))
}

/// Revoke a key
///
/// From now on and for ever. It stays in the list: what it signed before stays signed.
#[utoipa::path(
    delete,
    path = "/v1/access/tenants/{tenant}/keys/{public_key}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("public_key" = String, Path, description = "The key: 64 hexadecimal digits"),
    ),
    responses((status = 200, description = "The key, which is revoked now", body = ShownKey), RefusedChange)
)]
pub(super) async fn revoke(call: Call, params: Params) -> Result<Json<ShownKey>, ApiError> {
    let id = key(&params)?;
    let work =
        change(&call, &params, move |engine, principal, tenant| engine.revoke_key(principal, tenant, id));
    Ok(Json(work.await?.into_wire()))
}

fn key(params: &Params) -> Result<KeyId, ApiError> {
    parse("public_key", params.in_path("public_key"))
}
