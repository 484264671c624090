//! What a request costs, before anything of it is read but its head.
//!
//! A search is a search, GET and HEAD are reads, and everything else is a write. Commands are a read as long
//! as nobody has read them, and their route counts what they are beyond that. A body whose length is
//! announced is counted with its request, others as they come.

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_access::Principal;
use cairn_gate::{Caller, Cost, GateError};
use hyper::body::Body as _;

use crate::ApiError;
use crate::app::AppState;
use crate::call::outside;
use crate::seat::ConnectionSeat;

/// Routes that take commands, which read or write.
const COMMANDS: [&str; 2] = ["/v1/kip", "/kip"];
/// Routes that search.
const SEARCHES: [&str; 2] = ["/v1/contexts/search", "/v1/search"];

/// For bodies that say something.
pub(crate) async fn limit_body(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let bytes_max = app.config.body_bytes_max;
    limit(&app, bytes_max, request, next).await
}

/// For bodies that are a payload or a blob.
pub(crate) async fn limit_content(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let bytes_max = app.config.content_bytes_max;
    limit(&app, bytes_max, request, next).await
}

/// For bodies that are commands of KIP.
pub(crate) async fn limit_commands(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let bytes_max = app.config.commands_bytes_max;
    limit(&app, bytes_max, request, next).await
}

/// For bodies that their routes read and count piece by piece.
pub(crate) async fn limit_stream(State(app): State<AppState>, request: Request, next: Next) -> Response {
    limit(&app, 0, request, next).await
}

async fn limit(app: &AppState, bytes_max: usize, request: Request, next: Next) -> Response {
    let Some(caller) = request.extensions().get::<Caller>() else { return outside().into_response() };
    if let Err(error) = sit_down(app, &request, caller.principal()) {
        let mut response = ApiError::from(error).into_response();
        // It is one connection too many.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return response;
    }
    // What is longer is refused unread.
    let bytes = announced(request.body()).filter(|bytes| *bytes <= bytes_max as u64);
    let cost = kind(&request).with_bytes(bytes.unwrap_or(0));
    match app.gate.spend(caller.principal(), cost) {
        Ok(()) => next.run(request).await,
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// The length of a body that says it beforehand.
pub(super) fn announced(body: &Body) -> Option<u64> {
    body.size_hint().exact()
}

fn kind(request: &Request) -> Cost {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    match *request.method() {
        Method::GET | Method::HEAD if SEARCHES.contains(&route) => Cost::SEARCH,
        Method::GET | Method::HEAD => Cost::READ,
        Method::POST if COMMANDS.contains(&route) => Cost::READ,
        _ => Cost::WRITE,
    }
}

/// The connection is counted as its caller's.
fn sit_down(app: &AppState, request: &Request, principal: &Principal) -> Result<(), GateError> {
    match request.extensions().get::<ConnectionSeat>() {
        Some(seat) => seat.take(&app.gate, principal),
        // Whoever calls the router without a connection has none to count.
        None => Ok(()),
    }
}
