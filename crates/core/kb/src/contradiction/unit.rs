//! Units, and those that convert into each other by a fixed ratio.

/// A measure within which numbers compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Measure<'a> {
    /// Time, in nanoseconds.
    Time,
    /// Size, in bytes.
    Size,
    /// Ratios, in basis points.
    Share,
    /// A unit that converts into no other, as it is written; empty if there is none.
    Unit(&'a str),
}

/// Units with a fixed ratio to the first unit of their measure: spelling, measure, ratio. Spellings are exact. Absent
/// on purpose, because their ratio varies or their spelling has two readings: month, year, `m`, `M`, `d`, `w`, `kb`,
/// `KB`, `Mb`, `bps`.
const UNITS: &[(&str, Measure<'static>, u64)] = &[
    ("ns", Measure::Time, 1),
    ("nanosecond", Measure::Time, 1),
    ("nanoseconds", Measure::Time, 1),
    ("us", Measure::Time, 1_000),
    // The micro sign and the Greek letter look alike.
    ("\u{b5}s", Measure::Time, 1_000),
    ("\u{3bc}s", Measure::Time, 1_000),
    ("microsecond", Measure::Time, 1_000),
    ("microseconds", Measure::Time, 1_000),
    ("ms", Measure::Time, 1_000_000),
    ("millisecond", Measure::Time, 1_000_000),
    ("milliseconds", Measure::Time, 1_000_000),
    ("s", Measure::Time, 1_000_000_000),
    ("sec", Measure::Time, 1_000_000_000),
    ("second", Measure::Time, 1_000_000_000),
    ("seconds", Measure::Time, 1_000_000_000),
    ("min", Measure::Time, 60_000_000_000),
    ("minute", Measure::Time, 60_000_000_000),
    ("minutes", Measure::Time, 60_000_000_000),
    ("h", Measure::Time, 3_600_000_000_000),
    ("hour", Measure::Time, 3_600_000_000_000),
    ("hours", Measure::Time, 3_600_000_000_000),
    ("day", Measure::Time, 86_400_000_000_000),
    ("days", Measure::Time, 86_400_000_000_000),
    ("week", Measure::Time, 604_800_000_000_000),
    ("weeks", Measure::Time, 604_800_000_000_000),
    ("B", Measure::Size, 1),
    ("byte", Measure::Size, 1),
    ("bytes", Measure::Size, 1),
    ("kB", Measure::Size, 1_000),
    ("MB", Measure::Size, 1_000_000),
    ("GB", Measure::Size, 1_000_000_000),
    ("TB", Measure::Size, 1_000_000_000_000),
    ("KiB", Measure::Size, 1 << 10),
    ("MiB", Measure::Size, 1 << 20),
    ("GiB", Measure::Size, 1 << 30),
    ("TiB", Measure::Size, 1 << 40),
    ("bp", Measure::Share, 1),
    ("basis point", Measure::Share, 1),
    ("basis points", Measure::Share, 1),
    ("%", Measure::Share, 100),
    ("percent", Measure::Share, 100),
];

impl<'a> Measure<'a> {
    /// Returns the measure of a unit and its ratio to the first unit of the measure.
    pub(crate) fn of(unit: &'a str) -> (Self, u64) {
        let row = UNITS.iter().find(|(spelling, ..)| *spelling == unit);
        row.map_or((Measure::Unit(unit), 1), |(_, measure, ratio)| (*measure, *ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_compared_whole_and_ratios_fit_a_decimal() {
        for (at, (spelling, measure, ratio)) in UNITS.iter().enumerate() {
            assert_eq!(Measure::of(spelling), (*measure, *ratio));
            assert!(*ratio < 1 << 50, "{spelling} would overflow a decimal");
            assert!(UNITS[..at].iter().all(|(other, ..)| other != spelling), "{spelling} twice");
        }
        for unit in
            ["", "m", "M", "kb", "KB", "month", "months", "year", "years", "req/s", "MS", " ms", "bps"]
        {
            assert_eq!(Measure::of(unit), (Measure::Unit(unit), 1));
        }
    }
}
