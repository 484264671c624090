//! `/v1/access/tenants/{tenant}/keys`: for administrators of the tenant.

use axum::Json;
use cairn_access::KeyId;
use cairn_access::registry::Key;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::named::{only_user, parse};
use super::part::Part;
use super::refused::{RefusedBody, RefusedChange, RefusedLook};
use super::{change, look};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;
use crate::{ApiError, ApiJson};

/// The public half of a key.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShownKey {
    /// The key: 64 hexadecimal digits.
    public_key: String,
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    user: String,
    /// When it was registered, in Unix milliseconds.
    created_at_ms: u64,
    /// Whether it is revoked.
    revoked: bool,
    /// Since when.
    revoked_at_ms: Option<u64>,
}

/// Part of the keys, in their own order.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Keys {
    /// The keys; revoked ones too.
    keys: Vec<ShownKey>,
    /// What to pass as `after` to go on; null at the end.
    next: Option<String>,
}

/// For whom a key is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyOwner {
    /// The user.
    #[schema(example = "ada@example.org")]
    user: String,
}

impl From<Key> for ShownKey {
    fn from(key: Key) -> Self {
        ShownKey {
            public_key: key.id.to_string(),
            user: key.user.to_string(),
            created_at_ms: key.created_at_ms,
            revoked: key.revoked_at_ms.is_some(),
            revoked_at_ms: key.revoked_at_ms,
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
    Ok(Json(Keys { keys: found.items.into_iter().map(Into::into).collect(), next: found.next }))
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
    Ok(Json(work.await?.into()))
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
    Ok(Json(work.await?.into()))
}

fn key(params: &Params) -> Result<KeyId, ApiError> {
    parse("public_key", params.in_path("public_key"))
}
