//! `/v1/access/tenants/{tenant}/tokens`: for administrators of the tenant.

use axum::Json;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use cairn_access::TokenId;
use cairn_access::registry::TokenRecord;
use cairn_engine::NewToken;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use zeroize::Zeroizing;

use super::named::{only_user, parse};
use super::part::Part;
use super::refused::{RefusedBody, RefusedChange, RefusedLook};
use super::valid_for::expiry;
use super::{change, look, roles};
use crate::call::Call;
use crate::params::{Params, invalid};
use crate::{ApiError, ApiJson};

/// A token, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShownToken {
    /// What it is called.
    #[schema(example = "5f3a90c1d2e4b687")]
    id: String,
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    user: String,
    /// What it is for.
    label: String,
    /// What it may be used for, as far as its user may do that.
    #[schema(example = json!(["writer"]))]
    roles: Vec<&'static str>,
    /// When it was made, in Unix milliseconds.
    created_at_ms: u64,
    /// From when on it does not hold any more; null for one that never ends.
    expires_at_ms: Option<u64>,
    /// Since when it is revoked.
    revoked_at_ms: Option<u64>,
    /// `active`, `expired` or `revoked`.
    #[schema(example = "active")]
    state: &'static str,
}

/// A token that was made, and its secret.
#[derive(Serialize, ToSchema)]
pub(super) struct IssuedToken {
    /// The token, for `Authorization: Bearer`. It is never shown again.
    #[schema(value_type = String, example = "cairn_AAAAAV86kMHS5LaH…")]
    token: Revealed,
    #[serde(flatten)]
    about: ShownToken,
}

/// A secret on its way out, wiped after that.
struct Revealed(Zeroizing<String>);

impl Serialize for Revealed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Part of the tokens, by id.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Tokens {
    /// The tokens; those that do not hold any more too.
    tokens: Vec<ShownToken>,
    /// What to pass as `after` to go on; null at the end.
    next: Option<String>,
}

/// What a token is to be for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedToken {
    /// Whose it is.
    #[schema(example = "ada@example.org")]
    user: String,
    /// A note for people, at most 128 bytes.
    #[serde(default)]
    #[schema(example = "laptop")]
    label: String,
    /// What it may be used for; what its user may do now if nothing is said.
    roles: Option<Vec<String>>,
    /// How long it holds, such as `30d` or `12h`, or `never`; 90 days if nothing is said.
    #[schema(example = "30d")]
    expires_in: Option<String>,
    /// The same as a time in Unix milliseconds.
    expires_at_ms: Option<u64>,
}

impl ShownToken {
    fn of(token: TokenRecord, now_ms: u64) -> Self {
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
            state,
        }
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
    let tokens = found.items.into_iter().map(|token| ShownToken::of(token, now_ms)).collect();
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
    let issued = IssuedToken { token: Revealed(token.reveal()), about: ShownToken::of(record, now_ms) };
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
    Ok(Json(ShownToken::of(work.await?, call.now_ms())))
}
