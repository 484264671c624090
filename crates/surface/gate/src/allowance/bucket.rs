//! One token bucket.

use std::num::NonZeroU64;

/// A minute in nanoseconds.
const MINUTE_NS: u128 = 60_000_000_000;

/// A bucket, full at first. It holds what comes in a minute, and fills all the time.
///
/// One number says how full it is: when it will be, in nanoseconds times its rate. What is taken puts that
/// off by a minute a unit. So nothing is ever divided, nothing is rounded, and nobody has to fill it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    full_at: u128,
}

impl Bucket {
    /// How long until so much can be taken, in nanoseconds; 0 is now.
    ///
    /// More than a bucket holds can be taken when it is full; what comes next waits for that much longer.
    pub(super) fn wait_ns(self, per_minute: NonZeroU64, units: u64, now_ns: u64) -> u64 {
        let held = u128::from(per_minute.get()) * MINUTE_NS;
        let wanted = u128::from(units.min(per_minute.get())) * MINUTE_NS;
        let over = self.missing(per_minute, now_ns).saturating_add(wanted).saturating_sub(held);
        in_ns(over, per_minute)
    }

    /// Takes so much, whether or not it is there.
    pub(super) fn take(&mut self, per_minute: NonZeroU64, units: u64, now_ns: u64) {
        let missing = self.missing(per_minute, now_ns);
        let missing = missing.saturating_add(u128::from(units) * MINUTE_NS);
        self.full_at = scaled(per_minute, now_ns).saturating_add(missing);
    }

    /// How long until it is full, in nanoseconds.
    pub(super) fn full_in_ns(self, per_minute: NonZeroU64, now_ns: u64) -> u64 {
        in_ns(self.missing(per_minute, now_ns), per_minute)
    }

    fn missing(self, per_minute: NonZeroU64, now_ns: u64) -> u128 {
        self.full_at.saturating_sub(scaled(per_minute, now_ns))
    }
}

fn scaled(per_minute: NonZeroU64, now_ns: u64) -> u128 {
    u128::from(per_minute.get()) * u128::from(now_ns)
}

fn in_ns(missing: u128, per_minute: NonZeroU64) -> u64 {
    if missing == 0 {
        return 0;
    }
    u64::try_from(missing.div_ceil(u128::from(per_minute.get()))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn rate(per_minute: u64) -> NonZeroU64 {
        NonZeroU64::new(per_minute).expect("a rate")
    }

    #[test]
    fn a_minutes_worth_at_once_and_then_one_at_a_time() {
        let (mut bucket, rate) = (Bucket::default(), rate(600));
        for _ in 0..600 {
            assert_eq!(bucket.wait_ns(rate, 1, 0), 0);
            bucket.take(rate, 1, 0);
        }
        assert_eq!(bucket.wait_ns(rate, 1, 0), SECOND_NS / 10);
        assert_eq!(bucket.wait_ns(rate, 1, SECOND_NS / 10 - 1), 1);
        assert_eq!(bucket.wait_ns(rate, 1, SECOND_NS / 10), 0);
        assert_eq!(bucket.full_in_ns(rate, 0), 60 * SECOND_NS);
        assert_eq!(bucket.wait_ns(rate, 600, 3600 * SECOND_NS), 0);
        bucket.take(rate, 600, 3600 * SECOND_NS);
        assert_eq!(bucket.wait_ns(rate, 1, 3600 * SECOND_NS), SECOND_NS / 10, "no more for having waited");
    }

    #[test]
    fn more_than_it_holds_is_taken_when_it_is_full() {
        let (mut bucket, rate) = (Bucket::default(), rate(60));
        bucket.take(rate, 1, 0);
        assert_eq!(bucket.wait_ns(rate, 150, 0), SECOND_NS);
        assert_eq!(bucket.wait_ns(rate, 150, SECOND_NS), 0);
        bucket.take(rate, 150, SECOND_NS);
        assert_eq!(bucket.wait_ns(rate, 1, SECOND_NS), 91 * SECOND_NS);
    }

    #[test]
    fn nothing_is_too_large() {
        for (rate, now_ns) in [(rate(u64::MAX), u64::MAX), (rate(1 << 60), 1 << 63), (rate(1), u64::MAX)] {
            let mut bucket = Bucket::default();
            bucket.take(rate, u64::MAX, now_ns);
            bucket.take(rate, u64::MAX, now_ns);
            assert!(bucket.wait_ns(rate, 1, 0) > 60 * SECOND_NS, "{rate}");
        }
    }

    proptest! {
        /// Against a bucket that is filled a millisecond at a time, in fractions of a unit.
        #[test]
        fn it_equals_one_that_somebody_fills(
            per_minute in 1_u64..5_000,
            steps in prop::collection::vec((0_u64..40_000, 1_u64..6_000), 1..40),
        ) {
            let rate = rate(per_minute);
            let (mut bucket, mut now_ms) = (Bucket::default(), 0);
            // In units of a 60,000th: what one a minute brings in a millisecond.
            let (held, mut level) = (i128::from(per_minute) * 60_000, i128::from(per_minute) * 60_000);
            for (pause_ms, units) in steps {
                now_ms += pause_ms;
                level = held.min(level + i128::from(pause_ms) * i128::from(per_minute));
                let wanted = i128::from(units.min(per_minute)) * 60_000;
                let wait_ns = bucket.wait_ns(rate, units, now_ms * 1_000_000);
                prop_assert_eq!(wait_ns == 0, level >= wanted);
                let missing = (wanted - level).max(0) * 1_000_000;
                let expected = missing / i128::from(per_minute) + i128::from(missing % i128::from(per_minute) != 0);
                prop_assert_eq!(i128::from(wait_ns), expected);
                if wait_ns == 0 {
                    bucket.take(rate, units, now_ms * 1_000_000);
                    level -= i128::from(units) * 60_000;
                }
            }
        }
    }
}
