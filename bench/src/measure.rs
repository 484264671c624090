//! What is measured, where, and for how long.

use std::path::PathBuf;

use anyhow::Result;

use crate::figure::Report;
use crate::host::Ticks;

/// A measurement.
pub(crate) struct Measurement {
    /// What `--only` takes.
    pub(crate) name: &'static str,
    /// One line for the list.
    pub(crate) about: &'static str,
    /// Whether it runs when nothing is named.
    pub(crate) by_default: bool,
    pub(crate) run: fn(&Setting, &mut Report) -> Result<()>,
}

/// A measurement that runs by default.
pub(crate) const fn row(
    name: &'static str,
    about: &'static str,
    run: fn(&Setting, &mut Report) -> Result<()>,
) -> Measurement {
    Measurement { name, about, by_default: true, run }
}

/// Names of measurements.
pub(crate) fn names(measurements: &[Measurement]) -> Vec<&'static str> {
    measurements.iter().map(|measurement| measurement.name).collect()
}

/// Where and how long to measure.
#[derive(Debug)]
pub(crate) struct Setting {
    /// Data goes in here.
    pub(crate) dir: PathBuf,
    /// Short runs.
    pub(crate) quick: bool,
    /// Where data that takes long to make stays for the next run.
    pub(crate) keep: Option<PathBuf>,
    /// Builds of `cairn` to measure instead of the server that is built with the benchmarks.
    pub(crate) programs: Vec<PathBuf>,
    /// Checkouts to build instead of the one that the benchmarks belong to.
    pub(crate) trees: Vec<PathBuf>,
}

impl Setting {
    /// One of two sizes.
    pub(crate) fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// Runs what is named, or what runs by default. A measurement that fails does not end the others.
pub(crate) fn run(measurements: &[Measurement], setting: &Setting, only: &[String], report: &mut Report) {
    for measurement in measurements {
        let named = only.iter().any(|name| name == measurement.name);
        if named || (only.is_empty() && measurement.by_default) {
            report.begin(measurement.name);
            let before = Ticks::now();
            if let Err(error) = (measurement.run)(setting, report) {
                report.wrong(format!("{error:#}"));
            }
            if let Some(before) = before {
                before.report_since(report);
            }
        }
    }
}
