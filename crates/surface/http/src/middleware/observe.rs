//! One log line and one count per request.

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::response::Response;
use cairn_gate::RequestId;
use tokio::time::Instant;

use crate::app::AppState;
use crate::error::AnsweredCode;
use crate::metrics::Up;

/// Stands in the extensions of a response whose request is not worth a line in the log.
#[derive(Debug, Clone, Copy)]
struct Quiet;

/// Marks the response of a route whose requests are logged for debugging only.
pub(super) fn quiet(response: &mut Response) {
    response.extensions_mut().insert(Quiet);
}

/// The route of a request that matched none.
const NO_ROUTE: &str = "none";

/// A request that is under way, and counted as such until it is dropped.
pub(super) struct Observed<'a> {
    app: &'a AppState,
    started: Instant,
    method: Method,
    route: Option<MatchedPath>,
    id: RequestId,
    _up: Up<'a>,
}

impl<'a> Observed<'a> {
    pub(super) fn new(app: &'a AppState, request: &Request, id: RequestId) -> Self {
        Observed {
            app,
            started: Instant::now(),
            method: request.method().clone(),
            route: request.extensions().get::<MatchedPath>().cloned(),
            id,
            _up: Up::new(&app.metrics.in_flight),
        }
    }

    /// Logs and counts the response.
    pub(super) fn answered(&self, response: &Response) {
        let Observed { app, started, method, .. } = self;
        let route = self.route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
        let status = response.status();
        let took = started.elapsed();
        let code = response.extensions().get::<AnsweredCode>().map(|answered| answered.0);
        app.metrics.answered(method, route, status, code, took);
        let id = self.id.as_str();
        let (status, ms, code) = (status.as_u16(), took.as_secs_f64() * 1e3, code.map(|code| code.name()));
        if code.is_none() && response.extensions().get::<Quiet>().is_some() {
            tracing::debug!(%method, route, status, ms, id, "request");
        } else {
            tracing::info!(%method, route, status, ms, id, code, "request");
        }
    }
}
