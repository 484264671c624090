//! `trust`: what it costs to notice damage, and to live with it.

mod scrub;

use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] =
    &[row("scrub", "verifying all files in the background: how fast, and what it costs appends", scrub::run)];
