//! `GET /kcp/v1/keys`.

use axum::Json;
use cairn_base::{Hex, to_iso_utc};
use cairn_wire::artifacts::{AuthorKey, AuthorKeys};

use super::filter_in;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// The keys of an author
///
/// For every caller who may read an artifact of this author: with them it can verify signatures without this node.
/// Revoked keys are listed too, because they verify what was signed before.
#[utoipa::path(
    get,
    path = "/kcp/v1/keys",
    tag = "artifacts",
    params(
        ("tenant_id" = String, Query, example = "acme", description = "The author's tenant"),
        ("user_id" = String, Query, example = "alice@example.com", description = "The author"),
    ),
    responses(
        (status = 200, description = "The keys", body = AuthorKeys),
        (status = 404, description = "No artifact of this author that the caller may read", body = ErrorBody),
    )
)]
pub(super) async fn keys(call: Call, params: Params) -> Result<Json<AuthorKeys>, ApiError> {
    params.only(&["tenant_id", "user_id"])?;
    let (tenant, user) = (required(&params, "tenant_id")?, required(&params, "user_id")?);
    let found = call.read(move |engine, principal| engine.artifact_keys(principal, &tenant, &user)).await?;
    let keys = found.keys.into_iter().map(|key| AuthorKey {
        public_key: Hex(&key.id.0).to_string(),
        created_at: to_iso_utc(key.created_at_ms),
        revoked_at: key.revoked_at_ms.map(to_iso_utc),
    });
    Ok(Json(AuthorKeys { tenant_id: found.tenant, user_id: found.user, keys: keys.collect() }))
}

fn required(params: &Params, name: &str) -> Result<String, ApiError> {
    filter_in(params, name)?.ok_or_else(|| invalid(format!("{name} is missing")).detail("parameter", name))
}
