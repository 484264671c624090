//! Durations in fixed buckets.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds in microseconds: from a read in memory to a stuck disk, about three per decade.
const BOUNDS_US: [u64; 16] = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    5_000_000, 30_000_000,
];

/// How long things took: counts per bucket and the sum. Observing is two atomic additions.
#[derive(Debug)]
pub struct Histogram {
    /// One more than there are bounds: the last takes what is above them all.
    buckets: [AtomicU64; BOUNDS_US.len() + 1],
    sum_ns: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { buckets: [const { AtomicU64::new(0) }; BOUNDS_US.len() + 1], sum_ns: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// An empty one.
    pub fn new() -> Self {
        Histogram::default()
    }

    /// Notes how long something took.
    pub fn observe(&self, took: Duration) {
        let bucket = BOUNDS_US.partition_point(|bound_us| Duration::from_micros(*bound_us) < took);
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.sum_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// How many were observed.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    /// How long they took together.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum_ns.load(Ordering::Relaxed))
    }

    /// How many took how long, as of now.
    pub fn tally(&self) -> Tally {
        Tally { buckets: std::array::from_fn(|bucket| self.buckets[bucket].load(Ordering::Relaxed)) }
    }

    /// Upper bound in seconds (infinity for the last) and how many took at most that long.
    pub(super) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds =
            BOUNDS_US.iter().map(|us| Duration::from_micros(*us).as_secs_f64()).chain([f64::INFINITY]);
        let counts = self.buckets.iter().scan(0, |sum, bucket| {
            *sum += bucket.load(Ordering::Relaxed);
            Some(*sum)
        });
        bounds.zip(counts)
    }
}

/// What a [`Histogram`] held at some moment: what came since is one less the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    buckets: [u64; BOUNDS_US.len() + 1],
}

impl Tally {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: &Tally) -> Tally {
        Tally { buckets: std::array::from_fn(|bucket| self.buckets[bucket] + other.buckets[bucket]) }
    }

    /// What came after an earlier one of the same histogram.
    #[must_use]
    pub fn since(self, earlier: &Tally) -> Tally {
        let since = |bucket: usize| self.buckets[bucket].saturating_sub(earlier.buckets[bucket]);
        Tally { buckets: std::array::from_fn(since) }
    }

    /// How many were observed.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// A time that at least this part of them took at most: the bound of a bucket. `None` if there were
    /// none, or if it lies above all bounds.
    pub fn at_most(&self, part: f64) -> Option<Duration> {
        let count = self.count();
        let mut below = 0;
        let bucket = self.buckets.iter().position(|bucket| {
            below += bucket;
            count > 0 && below as f64 >= part * count as f64
        })?;
        BOUNDS_US.get(bucket).map(|us| Duration::from_micros(*us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket_and_the_last_bucket_takes_the_rest() {
        let histogram = Histogram::new();
        for took_us in [0, 50, 51, 100, 30_000_000, 30_000_001] {
            histogram.observe(Duration::from_micros(took_us));
        }
        let counts: Vec<_> = histogram.cumulative().map(|(_, count)| count).collect();
        assert_eq!(counts[..3], [2, 4, 4]);
        assert_eq!(counts[15..], [5, 6]);
        assert_eq!((histogram.count(), histogram.sum()), (6, Duration::from_micros(60_000_202)));
        assert!(BOUNDS_US.is_sorted());
    }

    #[test]
    fn a_tally_says_how_long_most_took_and_what_came_since() {
        let histogram = Histogram::new();
        assert_eq!(histogram.tally().at_most(0.5), None);
        (0..90).for_each(|_| histogram.observe(Duration::from_micros(60)));
        (0..10).for_each(|_| histogram.observe(Duration::from_millis(3)));
        let earlier = histogram.tally();
        let bounds = [0.5, 0.9, 0.91, 1.0].map(|part| earlier.at_most(part).expect("a bound").as_micros());
        assert_eq!(bounds, [100, 100, 5_000, 5_000]);

        histogram.observe(Duration::from_secs(60));
        let since = histogram.tally().since(&earlier);
        assert_eq!((since.count(), since.at_most(0.5)), (1, None), "nobody knows how long that took");
        assert_eq!(since.plus(&earlier), histogram.tally());
    }
}
