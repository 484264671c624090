//! `/v1/registry/bundles/{bundle_id}`: publishing bundles, and reading them as they were published.

use axum::Json;
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_access::Principal;
use cairn_base::ErrorCode;
use cairn_engine::Engine;
use cairn_seam::Blob;
use cairn_turns::TurnsError;
use cairn_turns::registry::{Bundle, Published};
use cairn_wire::registry::PublishedBundle;

use crate::call::Call;
use crate::content::{Content, Etag};
use crate::content_type::{RawBytes, is_json, is_msgpack, media_type};
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::{ApiError, HttpCode};

/// Publish a bundle of types
///
/// Whole or not at all. What was published before keeps its meaning for ever: a version its fields, a tag
/// what it holds, a number of an enum its label.
#[utoipa::path(
    put,
    path = "/v1/registry/bundles/{bundle_id}",
    tag = "registry",
    params(("bundle_id" = String, Path, example = "example-1", description = "The bundle's id, the same as in its body")),
    request_body(content((Object = "application/json", example = json!({"registry_version": 1, "bundle_id": "example-1", "types": {"com.example.Message": {"versions": {"1": {"fields": {"1": {"name": "text", "type": "string"}}}}}}, "enums": {}})), (RawBytes = "application/msgpack")), description = "The bundle, at most 1 MiB"),
    responses(
        (status = 201, description = "It is published", body = PublishedBundle),
        (status = 204, description = "The same bundle was published before"),
        (status = 400, description = "The query or the path cannot be read", body = ErrorBody),
        (status = 409, description = "It would change the meaning of what was published before", body = ErrorBody),
        (status = 413, description = "It is too large, or there is no room for more types", body = ErrorBody),
        (status = 415, description = "It is neither JSON nor MessagePack", body = ErrorBody),
        (status = 422, description = "It makes no sense, or names something that is not there", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn put(
    call: Call,
    params: Params,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Response, ApiError> {
    let media_type = media_type(&headers);
    // The content says itself which of the two it is: without a content type there is nothing to contradict.
    let is_said = headers.contains_key(CONTENT_TYPE);
    if is_said && !is_json(&media_type) && !is_msgpack(&media_type) {
        let message = "the content type must be application/json or application/msgpack";
        let hint = "send the bundle as application/json";
        return Err(ApiError::new(HttpCode::UnsupportedMediaType, message).detail("hint", hint));
    }
    let id = params.in_path("bundle_id").to_owned();
    let bundle = Bundle::parse_named(&id, &body).map_err(|wrong| {
        let at = wrong.at.clone();
        invalid(TurnsError::BadBundle(wrong).to_string()).detail("field", at)
    })?;
    let blob = Blob::new(Vec::from(body)).map_err(|error| ApiError::new(error.code(), error.to_string()))?;
    let etag = Etag::of(&blob.hash());
    let publish = |engine: &Engine, principal: &Principal| {
        engine.publish_bundle(principal, principal.tenant(), bundle, blob)
    };
    let published = call.write(publish).await?;
    let mut answer = match published {
        Published::New => (StatusCode::CREATED, Json(PublishedBundle { bundle_id: id })).into_response(),
        Published::Known => StatusCode::NO_CONTENT.into_response(),
    };
    answer.headers_mut().insert(ETAG, etag.to_header());
    Ok(answer)
}

/// Read a bundle as it was published
#[utoipa::path(
    get,
    path = "/v1/registry/bundles/{bundle_id}",
    tag = "registry",
    params(("bundle_id" = String, Path, example = "example-1", description = "The bundle's id")),
    responses(
        (status = 200, description = "The bundle", body = Object, content_type = "application/json"),
        (status = 206, description = "The part of it that was asked for", body = Object, content_type = "application/json"),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "There is no such bundle", body = ErrorBody),
        (status = 416, description = "The bundle has no such range", body = ErrorBody),
        (status = 503, description = "Too much is being sent; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = params.in_path("bundle_id");
    let found = call.look_up(|engine, principal| engine.bundle(principal, principal.tenant(), id))?;
    let hash =
        found.ok_or_else(|| ApiError::new(ErrorCode::NotFound, format!("there is no bundle `{id}`")))?;
    Content::of_file(hash, "application/json").answer_blob(hash, &call, &method, &headers).await
}
