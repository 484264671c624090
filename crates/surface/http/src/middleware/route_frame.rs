//! The frame around the requests of one route, as its descriptor demands.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::{admission, allowance, deadline, identify, observe, read_body};
use crate::ApiError;
use crate::app::AppState;
use crate::route::Route;

/// Identifies the caller, counts the request against its limits, reads the body, and runs the handler when the
/// gate admits the request and until its deadline.
///
/// Nothing but the head is read before the caller is known, and a client that sends slowly holds no admission.
pub(super) async fn run(app: &AppState, route: Route, request: Request, next: Next) -> Response {
    let mut response = admitted(app, route, request, next).await.unwrap_or_else(IntoResponse::into_response);
    if route.is_quiet() {
        observe::quiet(&mut response);
    }
    response
}

async fn admitted(
    app: &AppState,
    route: Route,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if route.is_identified() {
        identify::identify(app, route, &mut request)?;
    }
    if let Some(cost) = route.cost() {
        allowance::limit(app, route, cost, &request)?;
    }
    // Held until the response is there, like the admission.
    let _share;
    if let Some(bytes_max) = route.body_bytes_max(&app.config) {
        (request, _share) = read_body::read_body(app, bytes_max, request).await?;
    }
    if !route.is_admitted() {
        return Ok(next.run(request).await);
    }
    let admission = admission::admit(app, &mut request).await?;
    if !route.has_deadline() {
        return Ok(next.run(request).await);
    }
    deadline::within(&admission, next.run(request)).await
}
