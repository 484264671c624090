//! What a run found out: figures with their targets, and results that were wrong.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A share of the reference.
    Ratio,
    /// A share of the reference, in hundredths.
    Percent,
    /// So many times something.
    Times,
    /// Per second.
    PerSecond,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
    /// Microseconds.
    Micros,
    /// Megabytes per second.
    MegabytesPerSecond,
    /// Mebibytes.
    Mebibytes,
    /// Things.
    Count,
}

/// What a figure is to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// Less than this.
    Below(f64),
}

/// One line of the table.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: Unit,
    target: Option<Target>,
    compared_with: String,
}

impl Figure {
    /// A figure that is shown and not judged.
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: Unit) -> Self {
        Figure { name: name.into(), value, unit, target: None, compared_with: String::new() }
    }

    /// The same figure, judged.
    #[must_use]
    pub(crate) fn target(self, target: Target) -> Self {
        Figure { target: Some(target), ..self }
    }

    /// The same figure, with what it is to be read beside.
    #[must_use]
    pub(crate) fn beside(self, compared_with: impl Into<String>) -> Self {
        Figure { compared_with: compared_with.into(), ..self }
    }

    fn verdict(&self) -> &'static str {
        let reached = match self.target {
            None => return "",
            Some(Target::AtLeast(least)) => self.value >= least,
            Some(Target::AtMost(most)) => self.value <= most,
            Some(Target::Below(limit)) => self.value < limit,
        };
        if reached { "pass" } else { "miss" }
    }

    fn target_shown(&self) -> String {
        match self.target {
            None => String::new(),
            Some(Target::AtLeast(least)) => format!(">= {}", shown(least, self.unit)),
            Some(Target::AtMost(most)) => format!("<= {}", shown(most, self.unit)),
            Some(Target::Below(limit)) => format!("< {}", shown(limit, self.unit)),
        }
    }
}

/// Everything a run found out.
#[derive(Debug, Default)]
pub(crate) struct Report {
    figures: Vec<(&'static str, Figure)>,
    measurement: &'static str,
    wrong: Vec<String>,
}

impl Report {
    /// What is added from now on belongs to this measurement.
    pub(crate) fn begin(&mut self, measurement: &'static str) {
        self.measurement = measurement;
        eprintln!("== {measurement}");
    }

    /// Adds a figure, and shows it at once: a run takes minutes.
    pub(crate) fn add(&mut self, figure: Figure) {
        let Figure { name, value, unit, compared_with, .. } = &figure;
        eprintln!("   {name}: {} {} {compared_with}", shown(*value, *unit), figure.verdict());
        self.figures.push((self.measurement, figure));
    }

    /// Notes a result that must not be: the run fails.
    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        let what = format!("{}: {}", self.measurement, what.into());
        eprintln!("   WRONG {what}");
        self.wrong.push(what);
    }

    /// Whether nothing wrong was found.
    pub(crate) fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// The table people read.
    pub(crate) fn to_table(&self) -> String {
        let head = ["measurement", "figure", "measured", "target", "", "compared with"].map(String::from);
        let mut rows = vec![head];
        for (measurement, figure) in &self.figures {
            rows.push([
                (*measurement).to_owned(),
                figure.name.clone(),
                shown(figure.value, figure.unit),
                figure.target_shown(),
                figure.verdict().to_owned(),
                figure.compared_with.clone(),
            ]);
        }
        let mut widths = [0; 6];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut table = String::new();
        for row in &rows {
            let mut line = String::new();
            for (width, cell) in widths.iter().zip(row) {
                let _ = write!(line, "{cell:<width$}  ");
            }
            table.push_str(line.trim_end());
            table.push('\n');
        }
        for what in &self.wrong {
            let _ = writeln!(table, "WRONG {what}");
        }
        table
    }

    /// The same for programs.
    pub(crate) fn to_json(&self) -> Value {
        let figure = |(measurement, figure): &(&'static str, Figure)| {
            json!({
                "measurement": measurement,
                "figure": figure.name,
                "value": figure.value,
                "unit": unit_name(figure.unit),
                "target": figure.target_shown(),
                "verdict": figure.verdict(),
                "compared_with": figure.compared_with,
            })
        };
        json!({ "figures": self.figures.iter().map(figure).collect::<Vec<_>>(), "wrong": self.wrong })
    }
}

/// A number as people read it in its unit.
pub(crate) fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio => format!("{value:.2}"),
        Unit::Percent => format!("{value:.1} %"),
        Unit::Times => format!("{value:.2}x"),
        Unit::PerSecond => format!("{}/s", grouped(value)),
        Unit::Millis if value < 10.0 => format!("{value:.2} ms"),
        Unit::Millis => format!("{value:.0} ms"),
        Unit::Seconds => format!("{value:.1} s"),
        Unit::Micros if value < 1.0 => format!("{value:.3} µs"),
        Unit::Micros => format!("{value:.2} µs"),
        Unit::MegabytesPerSecond => format!("{} MB/s", grouped(value)),
        Unit::Mebibytes => format!("{value:.1} MiB"),
        Unit::Count => grouped(value),
    }
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Ratio => "ratio",
        Unit::Percent => "percent",
        Unit::Times => "times",
        Unit::PerSecond => "per second",
        Unit::Millis => "ms",
        Unit::Seconds => "s",
        Unit::Micros => "µs",
        Unit::MegabytesPerSecond => "MB/s",
        Unit::Mebibytes => "MiB",
        Unit::Count => "count",
    }
}

fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes as mebibytes.
pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
