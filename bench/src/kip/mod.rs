//! `kip`: the graph memory through the engine's door, one thread, beside what the reference engine needs.

mod graph;
mod queries;
mod workload;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] =
    &[row("small", "10,000 concepts and 50,000 propositions: loading, asking, writing", queries::run)];
