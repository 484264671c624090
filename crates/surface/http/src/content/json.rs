//! JSON that a client may hold already.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_base::ContentHash;
use serde::Serialize;

use super::REVALIDATED;
use super::etag::Etag;

/// Returns a value as JSON with its entity tag, or 304 if `If-None-Match` names it.
pub(crate) fn json(headers: &HeaderMap, value: &impl Serialize) -> Response {
    let bytes = serde_json::to_vec(value).expect("an answer is plain data");
    let etag = Etag::of(&ContentHash::of(&bytes));
    let mut answer = if etag.is_known(headers) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(CONTENT_TYPE, "application/json")], Body::from(bytes)).into_response()
    };
    let cache = HeaderValue::from_static(REVALIDATED);
    answer.headers_mut().extend([(ETAG, etag.to_header()), (CACHE_CONTROL, cache)]);
    answer
}
