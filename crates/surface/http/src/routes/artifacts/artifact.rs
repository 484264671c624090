//! `GET /kcp/v1/artifacts/{id}`.

use axum::http::{HeaderName, Method};
use axum::response::{IntoResponse, Response};
use cairn_base::Hex;

use super::id_in;
use super::shown::json_of;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

const SIGNATURE: HeaderName = HeaderName::from_static("x-kcp-signature");
const PUBLIC_KEY: HeaderName = HeaderName::from_static("x-kcp-public-key");

/// Read an artifact
///
/// The payload as it was signed, with `signature`, and with what this node knows of it under `_cairn`: verifiers leave
/// out keys that begin with `_`. `form=canonical` is exactly the bytes that were signed, with the signature and its key
/// in headers.
#[utoipa::path(
    get,
    path = "/kcp/v1/artifacts/{id}",
    tag = "artifacts",
    params(
        ("id" = String, Path, example = "550e8400-e29b-41d4-a716-446655440000", description = "The id of the artifact"),
        ("form" = Option<String>, Query, pattern = "^(full|canonical)$", description = "`canonical` for the signed bytes alone; defaults to `full`"),
    ),
    responses(
        (status = 200, description = "The artifact", body = Object, headers(
            ("X-KCP-Signature" = String, description = "The signature; only of the canonical form"),
            ("X-KCP-Public-Key" = String, description = "The key that verifies it; only of the canonical form"),
        )),
        (status = 403, description = "The artifact is of the caller's tenant, and not shared with the caller", body = ErrorBody),
        (status = 404, description = "No such artifact", body = ErrorBody),
    )
)]
pub(super) async fn artifact(call: Call, params: Params, method: Method) -> Result<Response, ApiError> {
    params.only(&["form"])?;
    let is_canonical = params.choice("form", &[("full", false), ("canonical", true)])?;
    let id = id_in(&params)?;
    // HEAD transfers nothing, so it is no read.
    let shown = call.read(move |engine, principal| match method == Method::HEAD {
        true => engine.artifact_uncounted(principal, id),
        false => engine.artifact(principal, id),
    });
    let shown = shown.await?;
    if !is_canonical {
        return Ok(HeldJson::of_text(json_of(&shown), None).into_response());
    }
    let headers = [
        (SIGNATURE, shown.artifact.signature.to_string()),
        (PUBLIC_KEY, Hex(&shown.artifact.public_key).to_string()),
    ];
    Ok((headers, HeldJson::of_text(shown.signed, None)).into_response())
}
