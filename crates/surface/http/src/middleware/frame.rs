//! The frame around every request, also around one that matches no route.

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::catch_panic::catch_panic;
use super::observe::Observed;
use super::{host, origin, request_id, route_frame, security_headers, single};
use crate::app::AppState;
use crate::dialect::Dialect;
use crate::error::translated;
use crate::route::Route;

/// State of the frame.
#[derive(Debug, Clone)]
pub(crate) struct Framed {
    pub(crate) app: AppState,
    /// The route that a request matched, or `None` if it matched none.
    pub(crate) route: Option<Route>,
}

/// Observes a request, checks where it comes from, and completes the headers of its response.
///
/// The order matters: a refusal and a panic are logged and counted as well, and every response has its request
/// id and the security headers.
pub(crate) async fn frame(State(framed): State<Framed>, mut request: Request, next: Next) -> Response {
    let Framed { app, route } = framed;
    let (id, id_header) = request_id::of(&app, request.headers());
    let observed = Observed::new(&app, &request, id);
    // `read_body` has the limits, and has read every body before a handler asks for it.
    DefaultBodyLimit::disable().apply(&mut request);
    let dialect = Dialect::of(request.uri().path());
    let mut response = catch_panic(checked(&app, route, request, next)).await;
    if dialect == Dialect::Kcp {
        response = translated(response, dialect);
    }
    security_headers::add_missing(response.headers_mut());
    observed.answered(&response);
    request_id::insert(response.headers_mut(), id_header);
    response
}

async fn checked(app: &AppState, route: Option<Route>, request: Request, next: Next) -> Response {
    if let Err(error) = host::check(app, &request) {
        return error.into_response();
    }
    let origin = origin::of(app, &request);
    let mut response = match origin.answer(&request) {
        Some(response) => response,
        None => match (single::check(request.headers()), route) {
            (Ok(()), Some(route)) => route_frame::run(app, route, request, next).await,
            (Ok(()), None) => next.run(request).await,
            (Err(error), _) => error.into_response(),
        },
    };
    origin.add_headers(app, response.headers_mut());
    response
}
