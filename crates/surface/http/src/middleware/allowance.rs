//! What a request costs, before anything of it is read but its head.
//!
//! The descriptor of the route names the rate limit. A body whose length is announced is counted with its
//! request, others as they come.

use axum::body::Body;
use axum::extract::Request;
use cairn_gate::{Caller, Cost, GateError};
use hyper::body::Body as _;

use crate::ApiError;
use crate::app::AppState;
use crate::call::outside;
use crate::route::Route;
use crate::seat::ConnectionSeat;

/// Counts a request against the rate limits of its caller.
pub(super) fn limit(app: &AppState, route: Route, cost: Cost, request: &Request) -> Result<(), ApiError> {
    let caller = request.extensions().get::<Caller>().ok_or_else(outside)?;
    // It is one connection too many.
    sit_down(app, request, caller).map_err(|error| ApiError::from(error).closing())?;
    // Longer bodies are refused unread; without a limit the route counts what it reads.
    let bytes_max = route.body_bytes_max(&app.config).unwrap_or(0);
    let bytes = announced(request.body()).filter(|bytes| *bytes <= bytes_max as u64);
    Ok(app.gate.spend(caller.counted_as(), cost.with_bytes(bytes.unwrap_or(0)))?)
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
