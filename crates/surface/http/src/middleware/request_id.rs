//! Every request has an id: the client's own, or a new one. It is in the answer and in the log.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use cairn_gate::RequestId;

use crate::app::AppState;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Returns the id of a request, also as the header of its response.
pub(super) fn of(app: &AppState, headers: &HeaderMap) -> (RequestId, HeaderValue) {
    let theirs = headers.get(HEADER).and_then(|value| value.to_str().ok());
    let id = app.gate.request_id(theirs);
    let header = HeaderValue::from_str(id.as_str()).expect("an id is visible ASCII");
    (id, header)
}

/// Puts the id into a response.
pub(super) fn insert(headers: &mut HeaderMap, id: HeaderValue) {
    headers.insert(HEADER, id);
}
