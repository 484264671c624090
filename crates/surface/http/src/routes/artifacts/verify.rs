//! `POST /kcp/v1/verify`.

use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use cairn_artifacts::ArtifactId;
use cairn_base::{CanonicalObject, to_iso_utc};
use cairn_engine::VerifiedArtifact;
use cairn_wire::artifacts::Verified;

use super::publish::expect_json;
use crate::ApiError;
use crate::call::Call;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// The keys of a question about a stored artifact; an object with others is a payload.
const QUESTION: [&str; 3] = ["id", "content_hash", "signature"];

/// Verify an artifact
///
/// With `id` and optionally `content_hash` and `signature`: whether the artifact of this id has them, and its signature
/// verifies. With a whole signed payload: whether its signature verifies with a key that this node knows of its author.
#[utoipa::path(
    post,
    path = "/kcp/v1/verify",
    tag = "artifacts",
    request_body(content = Object, content_type = "application/json", description = "`id`, `content_hash` and `signature`, or a signed payload"),
    responses(
        (status = 200, description = "It verifies", body = Verified),
        (status = 400, description = "It does not verify, and `reason` says why; or the body is invalid"),
        (status = 403, description = "The artifact is of the caller's tenant, and not shared with the caller", body = ErrorBody),
        (status = 404, description = "No such artifact", body = ErrorBody),
    )
)]
pub(super) async fn verify(
    call: Call,
    params: Params,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<(StatusCode, Json<Verified>), ApiError> {
    params.only(&[])?;
    expect_json(&headers)?;
    let object = CanonicalObject::parse(&body)
        .map_err(|error| invalid(format!("the body must be a JSON object: {error}")))?;
    let verified = if object.keys().all(|key| QUESTION.contains(&key)) {
        let id = id_in(&object)?;
        let text = |name: &'static str| -> Result<Option<String>, ApiError> {
            match object.get(name) {
                None | Some("null") => Ok(None),
                Some(_) => object.get_str(name).map(Some).ok_or_else(|| wrong(name, "must be a string")),
            }
        };
        let (content_hash, signature) = (text("content_hash")?, text("signature")?);
        call.read(move |engine, principal| {
            engine.verify_stored(principal, id, content_hash.as_deref(), signature.as_deref())
        })
        .await?
    } else {
        call.read(move |engine, principal| engine.verify_payload(principal, &body)).await?
    };
    let status = if verified.reason.is_none() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    Ok((status, Json(to_wire(verified, call.now_ms()))))
}

fn id_in(object: &CanonicalObject) -> Result<ArtifactId, ApiError> {
    let id = object.get_str("id").ok_or_else(|| wrong("id", "is missing"))?;
    id.parse().map_err(|error: cairn_artifacts::NotAnArtifactId| wrong("id", &error.to_string()))
}

fn wrong(field: &str, problem: &str) -> ApiError {
    invalid(format!("`{field}` {problem}")).detail("field", field)
}

fn to_wire(verified: VerifiedArtifact, now_ms: u64) -> Verified {
    Verified {
        valid: verified.reason.is_none(),
        reason: verified.reason,
        verified_at: to_iso_utc(now_ms),
        id: verified.id.to_string(),
        user_id: verified.user_id,
        tenant_id: verified.tenant_id,
        public_key: verified.public_key.map(|key| key.to_string()),
        attested_by: verified.attestation.name().to_owned(),
    }
}
