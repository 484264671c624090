//! What HTTP adds to the metrics.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use cairn_base::ErrorCode;
use cairn_engine::{Counter, Gauge, Histogram, MetricKind, PrometheusText, Tally};
use parking_lot::Mutex;

/// Counters since the start. Their number is bounded: routes, known methods, statuses and codes.
#[derive(Debug, Default)]
pub(crate) struct HttpMetrics {
    requests: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
    seconds: Mutex<BTreeMap<String, Histogram>>,
    errors: Mutex<BTreeMap<ErrorCode, u64>>,
    /// Requests being worked on or waiting.
    pub(crate) in_flight: Gauge,
    /// Open connections.
    pub(crate) connections: Gauge,
    /// Connections turned away because there were too many.
    pub(crate) connections_refused: Counter,
}

/// What all routes came to together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct HttpTotals {
    /// Answers.
    pub(crate) answers: u64,
    /// Answers that were an error.
    pub(crate) errors: u64,
    /// How long they took.
    pub(crate) took: Tally,
}

impl HttpMetrics {
    /// Counts an answer.
    pub(crate) fn answered(
        &self,
        method: &Method,
        route: &str,
        status: StatusCode,
        code: Option<ErrorCode>,
        took: Duration,
    ) {
        let key = (method_name(method), route.to_owned(), status.as_u16());
        *self.requests.lock().entry(key).or_default() += 1;
        self.seconds.lock().entry(route.to_owned()).or_default().observe(took);
        if let Some(code) = code {
            *self.errors.lock().entry(code).or_default() += 1;
        }
    }

    /// Requests, errors and times of all routes but one: whoever asks for figures shall not change them.
    pub(crate) fn totals(&self, except: &str) -> HttpTotals {
        let counted = |route: &str| route != except;
        let requests = self.requests.lock();
        let requests = requests.iter().filter(|((_, route, _), _)| counted(route));
        let (mut answers, mut errors) = (0, 0);
        for ((_, _, status), count) in requests {
            answers += count;
            errors += if *status >= 400 { *count } else { 0 };
        }
        let seconds = self.seconds.lock();
        let seconds = seconds.iter().filter(|(route, _)| counted(route));
        let took = seconds.fold(Tally::default(), |sum, (_, seconds)| sum.plus(&seconds.tally()));
        HttpTotals { answers, errors, took }
    }

    /// Adds the families of HTTP.
    pub(crate) fn write(&self, text: &mut PrometheusText) {
        let mut family = text.family(
            "cairn_http_requests_total",
            MetricKind::Counter,
            "Answers by method, route and status.",
        );
        for ((method, route, status), count) in &*self.requests.lock() {
            family.integer(&[("method", method), ("route", route), ("status", &status.to_string())], *count);
        }
        let mut family = text.family(
            "cairn_http_request_seconds",
            MetricKind::Histogram,
            "Time from head to answer, by route.",
        );
        for (route, seconds) in &*self.seconds.lock() {
            family.histogram(&[("route", route)], seconds);
        }
        let mut family = text.family(
            "cairn_http_refused_total",
            MetricKind::Counter,
            "Answers that were an error, by its code.",
        );
        for (code, count) in &*self.errors.lock() {
            family.integer(&[("code", code.name())], *count);
        }
        text.family("cairn_http_in_flight", MetricKind::Gauge, "Requests being worked on or waiting.")
            .integer(&[], self.in_flight.get());
        text.family("cairn_http_connections", MetricKind::Gauge, "Open connections.")
            .integer(&[], self.connections.get());
        text.family("cairn_http_connections_refused_total", MetricKind::Counter, "Connections turned away.")
            .integer(&[], self.connections_refused.get());
    }
}

/// Clients choose the method freely, so that only known ones get a series of their own.
fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// Holds a gauge up by one.
#[derive(Debug)]
pub(crate) struct Up<'a>(&'a Gauge);

impl<'a> Up<'a> {
    /// Up, until dropped.
    pub(crate) fn new(gauge: &'a Gauge) -> Self {
        gauge.add(1);
        Up(gauge)
    }
}

impl Drop for Up<'_> {
    fn drop(&mut self) {
        self.0.sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_cannot_make_series() {
        let metrics = HttpMetrics::default();
        for method in ["GET", "BREW", "PROPFIND"] {
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            metrics.answered(
                &method,
                "none",
                StatusCode::NOT_FOUND,
                Some(ErrorCode::NotFound),
                Duration::ZERO,
            );
        }
        let mut text = PrometheusText::new();
        metrics.write(&mut text);
        let text = text.finish();
        assert!(
            text.contains(r#"cairn_http_requests_total{method="GET",route="none",status="404"} 1"#),
            "{text}"
        );
        assert!(
            text.contains(r#"cairn_http_requests_total{method="other",route="none",status="404"} 2"#),
            "{text}"
        );
        assert!(text.contains(r#"cairn_http_refused_total{code="NotFound"} 3"#), "{text}");
    }
}
