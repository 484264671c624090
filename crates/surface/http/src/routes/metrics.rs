//! `GET /metrics`: figures for Prometheus.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use cairn_engine::{MetricKind, PrometheusText};

use crate::app::AppState;

/// Figures for dashboards
///
/// Counters, gauges and histograms of store, engine, gate and HTTP, in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "health",
    responses((status = 200, description = "The figures", body = String, content_type = "text/plain"))
)]
pub(super) async fn metrics(State(app): State<AppState>) -> ([(HeaderName, &'static str); 1], String) {
    let mut text = PrometheusText::new();
    app.gate.engine().write_metrics(&mut text);
    app.gate.write_metrics(&mut text);
    app.metrics.write(&mut text);
    text.family("cairn_http_event_streams", MetricKind::Gauge, "Open streams of events.")
        .integer(&[], app.streams.count() as u64);
    ([(CONTENT_TYPE, PrometheusText::CONTENT_TYPE)], text.finish())
}
