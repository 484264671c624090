//! How measured times are spread.

use std::time::Duration;

/// Times, sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spread(Vec<Duration>);

impl Spread {
    /// Sorts times.
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Spread(times)
    }

    /// All times of several runs.
    pub(crate) fn together(runs: Vec<Spread>) -> Self {
        Spread::new(runs.into_iter().flat_map(|run| run.0).collect())
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// The time that a share of all (0 to 1) does not exceed, in milliseconds.
    pub(crate) fn quantile_ms(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let at = (last as f64 * share).ceil() as usize;
        self.0.get(at.min(last)).map_or(0.0, |time| ms(*time))
    }

    /// The longest, in milliseconds.
    pub(crate) fn max_ms(&self) -> f64 {
        self.0.last().map_or(0.0, |time| ms(*time))
    }

    /// The longest time between two neighbours, when these are points in time.
    pub(crate) fn longest_gap_ms(&self) -> f64 {
        let gaps = self.0.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.max().map_or(0.0, ms)
    }

    /// "p50 0.21 ms, p99 0.80 ms" for the last column.
    pub(crate) fn shown(&self) -> String {
        format!("p50 {:.2} ms, p99 {:.2} ms", self.quantile_ms(0.5), self.quantile_ms(0.99))
    }
}

/// A time in milliseconds.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The middle of some numbers.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
