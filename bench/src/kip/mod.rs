//! `kip`: the graph memory through the engine's door, one thread, beside what others need; and over HTTP with many clients.

mod clients;
mod compare;
mod graph;
pub(crate) mod large;
mod questions;
#[cfg(feature = "oxigraph")]
mod rdf;
#[cfg(not(feature = "oxigraph"))]
#[path = "without_rdf.rs"]
mod rdf;
mod rounds;
mod same;
mod small;
mod upserts;
pub(crate) mod workload;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("small", "10,000 concepts and 50,000 propositions, beside the reference engine", small::run),
    row("graph", "100,000 concepts and 500,000 propositions, beside oxigraph with the same", compare::run),
    row("clients", "UPSERT with 64 HTTP clients at once, on each --program in alternation", clients::run),
    row("large", "1,000,000 concepts and 5,000,000 propositions: memory, opening, growth", large::run),
];
