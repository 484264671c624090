//! `/v1/blobs`: content by its hash.

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use cairn_base::ContentHash;
use cairn_seam::Blob;
use cairn_wire::blobs::Stored;
use utoipa_axum::routes;

use crate::ApiError;
use crate::call::Call;
use crate::content::Content;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::route::Route;
use crate::routes::Routes;

/// Content up to this length is hashed where the request is; more goes to a thread where it may take a while.
const IN_PLACE_BYTES: usize = 64 << 10;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::DOWNLOAD, routes!(get_blob))
        .with(Route::CONTENT, routes!(post_blob))
        .with(Route::CONTENT, routes!(put_blob))
}

/// Read a blob
///
/// Supports `Range` with one range, `If-Range` and `If-None-Match`. A blob never changes, so it may be
/// kept for as long as one likes.
#[utoipa::path(
    get,
    path = "/v1/blobs/{hash}",
    tag = "turns",
    params(("hash" = String, Path, pattern = "^[0-9a-fA-F]{64}$", description = "BLAKE3-256 of its bytes, 64 hexadecimal digits")),
    responses(
        (status = 200, description = "Its bytes", body = RawBytes, content_type = "application/octet-stream"),
        (status = 206, description = "The bytes that were asked for", body = RawBytes, content_type = "application/octet-stream"),
        (status = 304, description = "The client has it already"),
        (status = 404, description = "There is no such blob", body = ErrorBody),
        (status = 416, description = "The blob has no such range", body = ErrorBody),
        (status = 422, description = "That is no hash", body = ErrorBody),
        (status = 503, description = "Too much is being sent; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get_blob(
    call: Call,
    params: Params,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let hash = params.hash()?;
    Content::of_blob(hash).answer_blob(hash, &call, &method, &headers).await
}

/// Upload a blob
///
/// The body is the blob, whatever its content type. One that nothing refers to stays for at least a day.
#[utoipa::path(
    post,
    path = "/v1/blobs",
    tag = "turns",
    request_body(content = RawBytes, content_type = "application/octet-stream", description = "At most 63 MiB"),
    responses(
        (status = 201, description = "It is stored", body = Stored),
        (status = 200, description = "It was there already", body = Stored),
        (status = 413, description = "It is too large", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn post_blob(
    call: Call,
    RawBytes(body): RawBytes,
) -> Result<(StatusCode, Json<Stored>), ApiError> {
    let blob = blob(&call, body).await?;
    put(&call, blob).await
}

/// Upload a blob whose hash is known
#[utoipa::path(
    put,
    path = "/v1/blobs/{hash}",
    tag = "turns",
    params(("hash" = String, Path, pattern = "^[0-9a-fA-F]{64}$", description = "BLAKE3-256 of its bytes, 64 hexadecimal digits")),
    request_body(content = RawBytes, content_type = "application/octet-stream", description = "At most 63 MiB"),
    responses(
        (status = 201, description = "It is stored", body = Stored),
        (status = 200, description = "It was there already", body = Stored),
        (status = 413, description = "It is too large", body = ErrorBody),
        (status = 422, description = "The body has another hash", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn put_blob(
    call: Call,
    params: Params,
    RawBytes(body): RawBytes,
) -> Result<(StatusCode, Json<Stored>), ApiError> {
    let hash = params.hash()?;
    let blob = blob(&call, body).await?;
    check_hash(&blob, &hash)?;
    put(&call, blob).await
}

/// Makes a body a blob that a transaction can put.
pub(super) async fn blob(call: &Call, body: Bytes) -> Result<Blob, ApiError> {
    // The body is ours alone, so that nothing is copied.
    let bytes = Vec::from(body);
    if bytes.len() <= IN_PLACE_BYTES {
        return Blob::new(bytes).map_err(|error| ApiError::new(error.code(), error.to_string()));
    }
    call.read(move |engine, principal| engine.blob(principal, principal.tenant(), bytes)).await
}

/// Whether a blob is what the client says it is.
pub(super) fn check_hash(blob: &Blob, said: &ContentHash) -> Result<(), ApiError> {
    let found = blob.hash();
    if found == *said {
        return Ok(());
    }
    Err(invalid("the body does not have the hash that the request says").detail("hash", found.to_string()))
}

async fn put(call: &Call, blob: Blob) -> Result<(StatusCode, Json<Stored>), ApiError> {
    let (hash, bytes) = (blob.hash(), blob.len());
    let was_new =
        call.write(|engine, principal| engine.put_blob(principal, principal.tenant(), blob)).await?;
    let status = if was_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(Stored { hash: hash.to_string(), bytes, was_new })))
}
