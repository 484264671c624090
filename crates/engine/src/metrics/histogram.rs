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
}
