//! Figures for dashboards: counters, gauges and histograms, and Prometheus' text format.

mod engine;
mod histogram;
mod number;
mod scrub;
mod store;
mod text;

pub(crate) use engine::{Metrics, Outcome};
pub use histogram::{Histogram, Tally};
pub use number::{Counter, Gauge};
pub(crate) use scrub::write_scrub;
pub(crate) use store::{serialize_store, write_store};
pub use text::{Family, MetricKind, PrometheusText};
