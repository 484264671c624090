//! `PUT /kcp/v1/content/{sha256}`.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use cairn_base::ErrorCode;
use cairn_engine::ContentUpload;
use cairn_seam::{Sha256, limits::BLOB_BYTES_MAX};
use cairn_wire::artifacts::ContentStored;
use hyper::body::Body as _;
use tokio::sync::OwnedSemaphorePermit;

use super::sha256_in;
use super::shown::cid_of;
use crate::app::AppState;
use crate::call::Asking;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::long_job::linger;
use crate::params::Params;
use crate::routes::bulk::{DataIn, PiecesIn};
use crate::{ApiError, limits};

/// Upload content
///
/// The body is the content of an artifact that is published afterwards, at most 1 GiB, whatever its content type. It is
/// stored as it comes, and only if it has this hash. Its uploader can name it in a payload for a day.
#[utoipa::path(
    put,
    path = "/kcp/v1/content/{sha256}",
    tag = "artifacts",
    params(("sha256" = String, Path, pattern = "^[0-9a-fA-F]{64}$", description = "SHA-256 of the content, 64 hexadecimal digits")),
    request_body(content = RawBytes, content_type = "application/octet-stream", description = "At most 1 GiB"),
    responses(
        (status = 201, description = "The content was stored", body = ContentStored),
        (status = 200, description = "The content was stored before", body = ContentStored),
        (status = 400, description = "The body has another hash, and nothing was stored", body = ErrorBody),
        (status = 429, description = "Too many uploads at once", body = ErrorBody),
    )
)]
pub(super) async fn upload(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    body: Body,
) -> Result<(StatusCode, Json<ContentStored>), ApiError> {
    params.only(&[])?;
    let sha256 = sha256_in(&params)?;
    let bytes_max = app.config.upload_bytes_max.min(BLOB_BYTES_MAX);
    if body.size_hint().lower() > bytes_max {
        return Err(too_large(bytes_max));
    }
    let place = place(&app)?;
    let mut pieces = PiecesIn::new(DataIn::new(body, caller, "send it again"));
    let outcome = take(&app, &mut pieces, sha256, bytes_max).await;
    drop(place);
    if outcome.is_err() {
        tokio::spawn(linger(pieces.into_body()));
    }
    let (bytes, was_new) = outcome?;
    let status = if was_new { StatusCode::CREATED } else { StatusCode::OK };
    let stored = ContentStored { content_hash: format!("{sha256:?}"), cid: cid_of(sha256), bytes, was_new };
    Ok((status, Json(stored)))
}

/// Reads the body to its end and stores it; returns its length, and whether it is new.
async fn take(
    app: &AppState,
    pieces: &mut PiecesIn,
    sha256: Sha256,
    bytes_max: u64,
) -> Result<(u64, bool), ApiError> {
    let principal = pieces.caller().principal().clone();
    let mut upload: ContentUpload =
        app.gate.read_on(move |engine| engine.begin_content(&principal, sha256)).await?;
    let mut bytes = 0;
    while let Some(piece) = pieces.next(app).await? {
        bytes += piece.len() as u64;
        if bytes > bytes_max {
            return Err(too_large(bytes_max));
        }
        let write = move |_: &_| upload.write(&piece).map(|()| upload);
        upload = app.gate.read_on(write).await?;
    }
    let blob = app.gate.read_on(move |_| upload.finish()).await?;
    // The caller may have been shut out while it sent.
    let caller = app.gate.identify_again(pieces.caller())?;
    let admission = app.gate.admit().await?;
    let kept = app.gate.engine().keep_content(caller.principal(), blob);
    Ok((bytes, app.gate.write(&admission, kept).await?.value))
}

/// A place among uploads, or a request to come back.
fn place(app: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    Arc::clone(&app.uploads).try_acquire_owned().map_err(|_| {
        let max = limits::CONTENT_UPLOADS_MAX;
        ApiError::new(ErrorCode::Overloaded, format!("{max} uploads are under way already"))
            .detail("uploads_max", max)
    })
}

fn too_large(bytes_max: u64) -> ApiError {
    let message = format!("the content has more than {bytes_max} bytes");
    ApiError::new(ErrorCode::TooLarge, message).detail("bytes_max", bytes_max)
}
