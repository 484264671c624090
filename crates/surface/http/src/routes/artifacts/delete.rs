//! `DELETE /kcp/v1/artifacts/{id}`.

use axum::Json;
use axum::http::HeaderMap;
use cairn_base::{CanonicalObject, to_iso_utc};
use cairn_engine::ArtifactDeletion;
use cairn_wire::artifacts::Deleted;
use serde::Deserialize;

use super::id_in;
use super::publish::expect_json;
use crate::ApiError;
use crate::call::Call;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::json::decode;
use crate::params::{Params, invalid};

/// The body of a deletion that the node signs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    #[serde(default)]
    reason: String,
}

/// Delete an artifact
///
/// By its author, or an administrator of its tenant. Reads and searches no longer show it, lineage shows that there was
/// one, and its id is never used again. The node signs the tombstone, unless the body is one that the author or an
/// administrator has signed: `{id, deleted_at, by, reason?, version, signature}`.
#[utoipa::path(
    delete,
    path = "/kcp/v1/artifacts/{id}",
    tag = "artifacts",
    params(("id" = String, Path, example = "550e8400-e29b-41d4-a716-446655440000", description = "The id of the artifact")),
    request_body(content = Option<Object>, content_type = "application/json", description = "Nothing, an object with `reason`, or a signed tombstone"),
    responses(
        (status = 200, description = "The artifact was deleted", body = Deleted),
        (status = 400, description = "The tombstone is invalid", body = ErrorBody),
        (status = 403, description = "The caller is neither its author nor an administrator", body = ErrorBody),
        (status = 404, description = "No such artifact", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    call: Call,
    params: Params,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Json<Deleted>, ApiError> {
    params.only(&[])?;
    let id = id_in(&params)?;
    let wanted = wanted(&headers, &body)?;
    let prepared = call.read(move |engine, principal| engine.delete_artifact(principal, id, &wanted)).await?;
    let deleted = call.write(|_, _| prepared).await?;
    Ok(Json(Deleted { id: deleted.id.to_string(), deleted_at: to_iso_utc(deleted.deleted_at_ms) }))
}

fn wanted(headers: &HeaderMap, body: &[u8]) -> Result<ArtifactDeletion, ApiError> {
    if body.is_empty() {
        return Ok(ArtifactDeletion::default());
    }
    expect_json(headers)?;
    let object = CanonicalObject::parse(body)
        .map_err(|error| invalid(format!("the body must be a JSON object: {error}")))?;
    if object.get("signature").is_some() {
        return Ok(ArtifactDeletion { tombstone: Some(object), reason: String::new() });
    }
    let Reason { reason } = decode(body)?;
    Ok(ArtifactDeletion { tombstone: None, reason })
}
