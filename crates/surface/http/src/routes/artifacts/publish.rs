//! `POST /kcp/v1/artifacts`.

use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_artifacts::PayloadAt;
use cairn_engine::PublishStep;

use super::shown::json_of;
use crate::call::Call;
use crate::content_type::{RawBytes, is_json, media_type};
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;
use crate::{ApiError, HttpCode};

/// Publish an artifact
///
/// The body is a payload that its author has signed: `signature` over the canonical JSON of everything else, verified
/// with a registered key of `user_id` in `tenant_id`. Without `signature` the node fills in what is missing, and signs
/// for the caller; `title` is then all that a payload needs. Content comes as base64 in `_content_b64`, in a payload
/// without signature also as text in `content`; or it was uploaded before, or is only named by `content_url`. The same
/// signed bytes again change nothing. The response is the artifact, with what this node knows of it under `_cairn`.
#[utoipa::path(
    post,
    path = "/kcp/v1/artifacts",
    tag = "artifacts",
    request_body(content = Object, content_type = "application/json", description = "At most 12 MiB: 256 KiB of payload, and 8 MiB of content as base64"),
    responses(
        (status = 201, description = "The artifact was published", body = Object, headers(("Location" = String, description = "The address of the artifact"))),
        (status = 200, description = "The same bytes were published before", body = Object, headers(("Location" = String, description = "The address of the artifact"))),
        (status = 400, description = "A field is missing, invalid or over a limit, or the content has another hash", body = ErrorBody),
        (status = 401, description = "The signature does not verify, its key is unknown, or the timestamp is more than five minutes off", body = ErrorBody),
        (status = 403, description = "The payload is of another tenant or user, or the caller may not publish", body = ErrorBody),
        (status = 409, description = "The id is taken", body = ErrorBody),
    )
)]
pub(super) async fn publish(
    call: Call,
    params: Params,
    headers: HeaderMap,
    RawBytes(body): RawBytes,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    expect_json(&headers)?;
    let step = call.read(move |engine, principal| engine.publish_artifact(principal, &body)).await?;
    let published = match step {
        PublishStep::Done(published) => *published,
        PublishStep::Write(prepared) => call.write(|_, _| prepared).await?,
    };
    let status = if published.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let is_inline = matches!(published.artifact.payload, PayloadAt::Inline(_));
    let shown = if is_inline {
        call.look_up(|engine, principal| engine.published_artifact(principal, published))?
    } else {
        call.read(move |engine, principal| engine.published_artifact(principal, published)).await?
    };
    let location = format!("/kcp/v1/artifacts/{}", shown.artifact.id);
    Ok((status, [(LOCATION, location)], HeldJson::of_text(json_of(&shown), None)).into_response())
}

/// Refuses a body that is not said to be JSON: pages of other sites send such bodies without being asked.
pub(super) fn expect_json(headers: &HeaderMap) -> Result<(), ApiError> {
    if is_json(&media_type(headers)) {
        return Ok(());
    }
    Err(ApiError::new(HttpCode::UnsupportedMediaType, "the content type must be application/json"))
}
