//! `GET /kcp/v1/artifacts/{id}/content` and `GET /kcp/v1/content/{sha256}`.

use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_access::Principal;
use cairn_artifacts::ArtifactId;
use cairn_artifacts::limits::CONTENT_INLINE_BYTES_MAX;
use cairn_base::{Base64, ErrorCode, TenantId};
use cairn_engine::{Engine, EngineError, OpenContent};
use serde::Serialize;

use super::format::Format;
use super::{id_in, sha256_in};
use crate::ApiError;
use crate::call::Call;
use crate::content::{Asked, Content, Etag, Opened, read_part};
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Content as JSON.
#[derive(Serialize)]
struct InBase64 {
    content: String,
}

/// Read the content of an artifact
///
/// The bytes, with the media type of the artifact's `format`. Supports `Range` with one range, `If-Range` and
/// `If-None-Match`; the `ETag` is the SHA-256. Nothing in it runs in a browser with the rights of this server.
/// `encoding=base64` is an object with `content`, up to 8 MiB.
#[utoipa::path(
    get,
    path = "/kcp/v1/artifacts/{id}/content",
    tag = "artifacts",
    params(
        ("id" = String, Path, example = "550e8400-e29b-41d4-a716-446655440000", description = "The id of the artifact"),
        ("encoding" = Option<String>, Query, pattern = "^(raw|base64)$", description = "`base64` for JSON; defaults to `raw`"),
    ),
    responses(
        (status = 200, description = "The content", body = RawBytes, content_type = "application/octet-stream"),
        (status = 206, description = "A part of the content", body = RawBytes, content_type = "application/octet-stream"),
        (status = 304, description = "The client has it already"),
        (status = 403, description = "The artifact is of the caller's tenant, and not shared with the caller", body = ErrorBody),
        (status = 404, description = "No such artifact; or its content is not stored here, and `details.content_url` says where it is", body = ErrorBody),
        (status = 413, description = "The content is too large for base64", body = ErrorBody),
        (status = 416, description = "The content has no such range", body = ErrorBody),
    )
)]
pub(super) async fn content(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let as_json = encoding_in(&params)?;
    let id = id_in(&params)?;
    let open = move |engine: &Engine, principal: &Principal| engine.artifact_content(principal, id);
    let name = id.to_string();
    answer(&call, &method, &headers, as_json, &name, open).await
}

/// Read content by its hash
///
/// As the content of an artifact, for every caller who may read an artifact that has it.
#[utoipa::path(
    get,
    path = "/kcp/v1/content/{sha256}",
    tag = "artifacts",
    params(
        ("sha256" = String, Path, pattern = "^[0-9a-fA-F]{64}$", description = "SHA-256 of the content, 64 hexadecimal digits"),
        ("encoding" = Option<String>, Query, pattern = "^(raw|base64)$", description = "`base64` for JSON; defaults to `raw`"),
    ),
    responses(
        (status = 200, description = "The content", body = RawBytes, content_type = "application/octet-stream"),
        (status = 206, description = "A part of the content", body = RawBytes, content_type = "application/octet-stream"),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "No artifact that the caller may read has this content", body = ErrorBody),
        (status = 413, description = "The content is too large for base64", body = ErrorBody),
        (status = 416, description = "The content has no such range", body = ErrorBody),
    )
)]
pub(super) async fn content_by_hash(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let as_json = encoding_in(&params)?;
    let sha256 = sha256_in(&params)?;
    let open = move |engine: &Engine, principal: &Principal| engine.content_by_hash(principal, sha256);
    answer(&call, &method, &headers, as_json, &format!("{sha256:?}"), open).await
}

fn encoding_in(params: &Params) -> Result<bool, ApiError> {
    params.only(&["encoding"])?;
    params.choice("encoding", &[("raw", false), ("base64", true)])
}

async fn answer(
    call: &Call,
    method: &Method,
    headers: &HeaderMap,
    as_json: bool,
    name: &str,
    open: impl FnOnce(&Engine, &Principal) -> Result<OpenContent, EngineError> + Send + 'static,
) -> Result<Response, ApiError> {
    if as_json {
        return in_base64(call, method, open).await;
    }
    let asked = Asked::of(method, headers);
    let (found, opened): (OpenContent, Opened) = call
        .read(move |engine, principal| {
            let found = open(engine, principal)?;
            let opened = asked.open(found.reader.clone())?;
            Ok((found, opened))
        })
        .await?;
    let format = Format::named(&found.payload.format);
    let etag = Etag::of_name(format!("{:?}", found.artifact.sha256));
    let answer = Content::of_named(etag, format.media_type)
        .header("content-disposition", &format.disposition(name))
        .answer(call, method, headers, opened)
        .await?;
    count(call, method, &answer, found.tenant, found.artifact.id);
    Ok(answer)
}

/// Counts a download if the response transfers content: a client that has it already, and one that asks for its length,
/// download nothing.
pub(super) fn count(call: &Call, method: &Method, answer: &Response, tenant: TenantId, id: ArtifactId) {
    let has_content = matches!(answer.status(), StatusCode::OK | StatusCode::PARTIAL_CONTENT);
    if method == Method::GET && has_content {
        call.app.gate.engine().count_download(tenant, id);
    }
}

async fn in_base64(
    call: &Call,
    method: &Method,
    open: impl FnOnce(&Engine, &Principal) -> Result<OpenContent, EngineError> + Send + 'static,
) -> Result<Response, ApiError> {
    let memory = call.app.memory.clone();
    let answer = call.read(move |engine, principal| {
        let found = open(engine, principal)?;
        if found.reader.len() > CONTENT_INLINE_BYTES_MAX as u64 {
            return Ok(None);
        }
        let mut share = None;
        // As it is read, as base64, and as JSON.
        memory.grow(&mut share, found.reader.len() * 4)?;
        let content = read_part(&*found.reader, 0..found.reader.len())?;
        let content = InBase64 { content: Base64(&content).to_string() };
        Ok(Some((HeldJson::new(&content, share), found.tenant, found.artifact.id)))
    });
    let (answer, tenant, id) = answer.await?.ok_or_else(|| {
        let max = CONTENT_INLINE_BYTES_MAX;
        let message = format!("the content has more than {max} bytes; read it without `encoding`");
        ApiError::new(ErrorCode::TooLarge, message).detail("bytes_max", max)
    })?;
    let answer = answer.into_response();
    count(call, method, &answer, tenant, id);
    Ok(answer)
}
