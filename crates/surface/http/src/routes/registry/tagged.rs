//! JSON that a client may have already.

use axum::Json;
use axum::http::header::{CACHE_CONTROL, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_base::ContentHash;
use serde_json::Value;

use crate::routes::blobs::is_known;

/// Answers JSON under a name that follows from it, or that it has not changed.
pub(super) fn tagged(headers: &HeaderMap, value: Value) -> Response {
    let etag = format!("\"{}\"", ContentHash::of(value.to_string().as_bytes()));
    let mut answer = if is_known(headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Json(value).into_response()
    };
    let etag = HeaderValue::from_str(&etag).expect("a hash is a header");
    answer
        .headers_mut()
        .extend([(ETAG, etag), (CACHE_CONTROL, HeaderValue::from_static("private, no-cache"))]);
    answer
}
