//! `trust`: what it costs to notice damage, and to live with it.

mod damage;
mod salvage;
mod scrub;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("damage", "blocks of every kind of file changed, moved or lost: what that costs", damage::run),
    row("scrub", "verifying all files in the background: how fast, and what it costs appends", scrub::run),
    row(
        "salvage",
        "a new store of what a damaged one holds: how fast, and what is listed as lost",
        salvage::run,
    ),
];
