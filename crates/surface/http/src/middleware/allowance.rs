//! What a request costs, before anything of it is read but its head.
//!
//! The descriptor of the route names the rate limit. A body whose length is announced is counted with its
//! request, others as they come.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_gate::{Caller, GateError};
use hyper::body::Body as _;

use super::Framed;
use crate::ApiError;
use crate::app::AppState;
use crate::call::outside;
use crate::seat::ConnectionSeat;

/// Counts a request against the rate limits of its caller.
pub(crate) async fn limit(State(frame): State<Framed>, request: Request, next: Next) -> Response {
    let Framed { app, route } = frame;
    let Some(caller) = request.extensions().get::<Caller>() else { return outside().into_response() };
    if let Err(error) = sit_down(&app, &request, caller) {
        let mut response = ApiError::from(error).into_response();
        // It is one connection too many.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        return response;
    }
    // Longer bodies are refused unread; without a limit the route counts what it reads.
    let bytes_max = route.body_bytes_max(&app.config).unwrap_or(0);
    let bytes = announced(request.body()).filter(|bytes| *bytes <= bytes_max as u64);
    let Some(cost) = route.cost() else { return outside().into_response() };
    let cost = cost.with_bytes(bytes.unwrap_or(0));
    match app.gate.spend(caller.counted_as(), cost) {
        Ok(()) => next.run(request).await,
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// The length of a body that says it beforehand.
pub(super) fn announced(body: &Body) -> Option<u64> {
    body.size_hint().exact()
}

/// The connection is counted as its caller's.
fn sit_down(app: &AppState, request: &Request, caller: &Caller) -> Result<(), GateError> {
    match request.extensions().get::<ConnectionSeat>() {
        Some(seat) => seat.take(&app.gate, caller.counted_as()),
        // Whoever calls the router without a connection has none to count.
        None => Ok(()),
    }
}
