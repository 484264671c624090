//! Every request has an id: the client's own, or a new one. It is in the answer and in the log.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::AppState;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

pub(crate) async fn request_id(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    let theirs = request.headers().get(HEADER).and_then(|value| value.to_str().ok());
    let id = app.gate.request_id(theirs);
    let header = HeaderValue::from_str(id.as_str()).expect("an id is visible ASCII");
    request.extensions_mut().insert(id);
    let mut response = next.run(request).await;
    response.headers_mut().insert(HEADER, header);
    response
}
