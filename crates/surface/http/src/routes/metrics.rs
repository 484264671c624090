//! `GET /metrics`: figures for Prometheus.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use cairn_engine::{MetricKind, PrometheusText};
use cairn_gate::GateError;

use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;

/// Figures for dashboards
///
/// Counters, gauges and histograms of store, engine, gate and HTTP, in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "health",
    responses(
        (status = 200, description = "The figures", body = String, content_type = "text/plain"),
        (status = 401, description = "The credentials are missing or not good", body = ErrorBody),
        (status = 403, description = "Only operators of the node may", body = ErrorBody),
    )
)]
pub(super) async fn metrics(
    State(app): State<AppState>,
    Asking(caller): Asking,
) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    // They are of all tenants together.
    app.gate.engine().permit_figures(caller.principal()).map_err(GateError::from)?;
    let mut text = PrometheusText::new();
    app.gate.engine().write_metrics(&mut text);
    app.gate.write_metrics(&mut text);
    app.metrics.write(&mut text);
    text.family("cairn_http_event_streams", MetricKind::Gauge, "Open streams of events.")
        .integer(&[], app.streams.count() as u64);
    Ok(([(CONTENT_TYPE, PrometheusText::CONTENT_TYPE)], text.finish()))
}
