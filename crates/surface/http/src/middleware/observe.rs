//! One log line and one count per request.

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use cairn_gate::RequestId;
use tokio::time::Instant;

use crate::app::AppState;
use crate::error::AnsweredCode;
use crate::metrics::Up;

/// Stands in the extensions of a response whose request is not worth a line in the log.
#[derive(Debug, Clone, Copy)]
struct Quiet;

/// Marks the responses of a route whose requests are logged for debugging only.
pub(crate) async fn quiet(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    response.extensions_mut().insert(Quiet);
    response
}

/// The route of a request that matched none.
const NO_ROUTE: &str = "none";

pub(crate) async fn observe(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let _up = Up::new(&app.metrics.in_flight);
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let id = request.extensions().get::<RequestId>().cloned();

    let response = next.run(request).await;

    let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
    let status = response.status();
    let took = started.elapsed();
    let code = response.extensions().get::<AnsweredCode>().map(|answered| answered.0);
    app.metrics.answered(&method, route, status, code, took);
    let id = id.as_ref().map_or("", RequestId::as_str);
    let (status, ms, code) = (status.as_u16(), took.as_secs_f64() * 1e3, code.map(|code| code.name()));
    if code.is_none() && response.extensions().get::<Quiet>().is_some() {
        tracing::debug!(%method, route, status, ms, id, "request");
    } else {
        tracing::info!(%method, route, status, ms, id, code, "request");
    }
    response
}
