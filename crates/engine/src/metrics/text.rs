//! Prometheus' text format, version 0.0.4.

use std::fmt::Write;

use super::Histogram;

/// What kind of figures a family holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts per bucket.
    Histogram,
}

impl MetricKind {
    fn name(self) -> &'static str {
        match self {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        }
    }
}

/// Metrics being written. Families stand in the order they are added.
#[derive(Debug, Default)]
pub struct PrometheusText {
    out: String,
}

impl PrometheusText {
    /// The media type to answer with.
    pub const CONTENT_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// Nothing yet.
    pub fn new() -> Self {
        PrometheusText::default()
    }

    /// Begins a family; its samples follow. A name may be used once.
    pub fn family<'a>(&'a mut self, name: &'a str, kind: MetricKind, help: &str) -> Family<'a> {
        debug_assert!(is_name(name), "{name} is not a metric's name");
        debug_assert!(!self.out.contains(&format!("# TYPE {name} ")), "{name} was written already");
        let _ = writeln!(self.out, "# HELP {name} {}", escape(help, false));
        let _ = writeln!(self.out, "# TYPE {name} {}", kind.name());
        Family { out: &mut self.out, name }
    }

    /// The finished text.
    pub fn finish(self) -> String {
        self.out
    }
}

/// A family whose samples are being written.
#[derive(Debug)]
pub struct Family<'a> {
    out: &'a mut String,
    name: &'a str,
}

impl Family<'_> {
    /// Adds a whole number.
    pub fn integer(&mut self, labels: &[(&str, &str)], value: u64) -> &mut Self {
        self.line("", labels, None, &value.to_string())
    }

    /// Adds a real number.
    pub fn float(&mut self, labels: &[(&str, &str)], value: f64) -> &mut Self {
        self.line("", labels, None, &float(value))
    }

    /// Adds a histogram, in seconds.
    pub fn histogram(&mut self, labels: &[(&str, &str)], histogram: &Histogram) -> &mut Self {
        let mut count = 0;
        for (bound, cumulative) in histogram.cumulative() {
            count = cumulative;
            self.line("_bucket", labels, Some(("le", &float(bound))), &cumulative.to_string());
        }
        self.line("_sum", labels, None, &float(histogram.sum().as_secs_f64()));
        // From the same pass as the buckets, so that it equals the last of them.
        self.line("_count", labels, None, &count.to_string())
    }

    fn line(
        &mut self,
        suffix: &str,
        labels: &[(&str, &str)],
        last: Option<(&str, &str)>,
        value: &str,
    ) -> &mut Self {
        let _ = write!(self.out, "{}{suffix}", self.name);
        let mut before = '{';
        for (name, value) in labels.iter().copied().chain(last) {
            debug_assert!(is_name(name) && !name.contains(':'), "{name} is not a label's name");
            let _ = write!(self.out, "{before}{name}=\"{}\"", escape(value, true));
            before = ',';
        }
        if before == ',' {
            self.out.push('}');
        }
        let _ = writeln!(self.out, " {value}");
        self
    }
}

fn is_name(name: &str) -> bool {
    let first_ok = name.starts_with(|first: char| !first.is_ascii_digit());
    first_ok && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':')
}

/// Quotes are escaped in label values only.
fn escape(text: &str, quotes: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '"' if quotes => escaped.push_str("\\\""),
            c => escaped.push(c),
        }
    }
    escaped
}

fn float(value: f64) -> String {
    if value.is_infinite() {
        if value > 0.0 { "+Inf".into() } else { "-Inf".into() }
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_kind_of_line() {
        let mut text = PrometheusText::new();
        text.family("requests_total", MetricKind::Counter, "Requests, \"all\" of them,\nin C:\\.")
            .integer(&[], u64::MAX)
            .integer(&[("path", "a\"b\\c\nd"), ("code", "200")], 0);
        let mut family = text.family("level", MetricKind::Gauge, "");
        for value in [0.5, 1e21, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            family.float(&[], value);
        }
        let histogram = Histogram::new();
        histogram.observe(Duration::from_micros(70));
        histogram.observe(Duration::from_secs(60));
        text.family("took_seconds", MetricKind::Histogram, "Time taken.")
            .histogram(&[("op", "read")], &histogram);
        insta::assert_snapshot!(text.finish());
    }
}
