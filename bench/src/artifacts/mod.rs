//! `artifacts`: the figures of published artifacts.

mod author;
mod lineage;
mod many;
mod publish;
mod search;
mod verify;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("publish", "signed artifacts of 1 KiB over HTTP, durable and searchable", publish::run),
    row(
        "search",
        "a common term, and the newest, among 100,000 artifacts with a permission filter",
        search::run,
    ),
    row("lineage", "a chain of 500 artifacts, and 10,000 children of one", lineage::run),
    row("verify", "a bundle of 10,000 artifacts, offline", verify::run),
];
