//! `/v1/access/tenants/{tenant}/tokens`: for administrators of the tenant.

use axum::Json;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use cairn_access::TokenId;
use cairn_access::registry::TokenRecord;
use cairn_engine::NewToken;
use cairn_wire::access::{IssuedToken, Revealed, ShownToken, Tokens, WantedToken};

use super::named::{only_user, parse};
use super::part::Part;
use super::refused::{RefusedBody, RefusedChange, RefusedLook};
use super::valid_for::expiry;
use super::{change, look, roles};
use crate::call::Call;
use crate::params::{Params, invalid};
use crate::{ApiError, ApiJson};

fn shown(token: TokenRecord, now_ms: u64) -> ShownToken {
    let is_over = token.expires_at_ms.is_some_and(|at_ms| at_ms <= now_ms);
    let state = match token.revoked_at_ms {
        Some(_) => "revoked",
        None if is_over => "expired",
        None => "active",
    };
    ShownToken {
        id: token.id.to_string(),
        user: token.user.to_string(),
        label: token.label.into(),
        roles: roles::names(token.scope),
        created_at_ms: token.created_at_ms,
        expires_at_ms: token.expires_at_ms,
        revoked_at_ms: token.revoked_at_ms,
        state: state.to_owned(),
    }
}

/// Tokens of a tenant, or of one user
#[utoipa::path(
    get,
    path = "/v1/access/tenants/{tenant}/tokens",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("user" = Option<String>, Query, description = "Only those of this user"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 1000, 100 if not said"),
    ),
    responses((status = 200, description = "Tokens, without their secrets", body = Tokens), RefusedLook)
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<Tokens>, ApiError> {
    let (user, part) = (only_user(&params)?, Part::of(&params)?);
    let found = look(&call, &params, move |engine, principal, tenant| {
        engine.tokens(principal, tenant, user.as_ref(), part.page())
    });
    let (found, now_ms) = (found.await?, call.now_ms());
    let tokens = found.items.into_iter().map(|token| shown(token, now_ms)).collect();
    Ok(Json(Tokens { tokens, next: found.next }))
}

/// Make a token
///
/// The answer is the only place where it ever stands: what is kept is a hash.
#[utoipa::path(
    post,
    path = "/v1/access/tenants/{tenant}/tokens",
    tag = "access",
    params(("tenant" = String, Path, description = "The tenant")),
    request_body = WantedToken,
    responses((status = 201, description = "The token, this once", body = IssuedToken), RefusedBody)
)]
pub(super) async fn issue(
    call: Call,
    params: Params,
    ApiJson(wanted): ApiJson<WantedToken>,
) -> Result<(StatusCode, [(HeaderName, HeaderValue); 1], Json<IssuedToken>), ApiError> {
    let (user, now_ms) = (parse("user", &wanted.user)?, call.now_ms());
    let scope = wanted.roles.as_deref().map(roles::roles).transpose()?;
    if scope.is_some_and(|scope| scope.is_empty()) {
        let message = "a token without roles allows nothing: leave roles out for those that the user has";
        return Err(invalid(message).detail("field", "roles"));
    }
    let expires_at_ms = expiry(wanted.expires_in.as_deref(), wanted.expires_at_ms, now_ms)?;
    let work = change(&call, &params, move |engine, principal, tenant| {
        let scope = match scope {
            Some(scope) => scope,
            None => engine.user(principal, tenant, &user)?.0.roles,
        };
        engine.issue_token(principal, tenant, NewToken { user, label: wanted.label, scope, expires_at_ms })
    });
    let (token, record) = work.await?;
    let issued = IssuedToken { token: Revealed(token.reveal()), about: shown(record, now_ms) };
    let headers = [(CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((StatusCode::CREATED, headers, Json(issued)))
}

/// Revoke a token
///
/// From now on and for ever. It stays in the list, so that whoever shows it is told so.
#[utoipa::path(
    delete,
    path = "/v1/access/tenants/{tenant}/tokens/{id}",
    tag = "access",
    params(
        ("tenant" = String, Path, description = "The tenant"),
        ("id" = String, Path, description = "The id of the token, and not the token: 16 hexadecimal digits"),
    ),
    responses((status = 200, description = "The token, which is revoked now", body = ShownToken), RefusedChange)
)]
pub(super) async fn revoke(call: Call, params: Params) -> Result<Json<ShownToken>, ApiError> {
    let id: TokenId = parse("id", params.in_path("id"))?;
    let work =
        change(&call, &params, move |engine, principal, tenant| engine.revoke_token(principal, tenant, id));
    Ok(Json(shown(work.await?, call.now_ms())))
}
