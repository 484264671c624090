//! Spending a bounded number of bytes per second, evenly.

use std::num::NonZeroU64;
use std::time::Duration;

/// Credit that time without work earns at most: a pause is never followed by a burst.
const CREDIT: Duration = Duration::from_millis(100);

/// A token bucket over bytes, kept as the time at which everything spent so far is paid for without credit.
///
/// It reads no clock: the caller names the time, so a test can hold it still.
#[derive(Debug, Clone)]
pub struct Pacer {
    rate: NonZeroU64,
    paid_at: Duration,
}

impl Pacer {
    /// A pacer of so many bytes per second, with nothing spent yet.
    pub fn new(rate: NonZeroU64) -> Self {
        Pacer { rate, paid_at: Duration::ZERO }
    }

    /// Bytes per second.
    pub fn rate(&self) -> NonZeroU64 {
        self.rate
    }

    /// Changes the rate. Debt of the old one stays.
    pub fn set_rate(&mut self, rate: NonZeroU64) {
        self.rate = rate;
    }

    /// Spends bytes at a time; returns how long to wait before more are spent.
    pub fn spend(&mut self, bytes: u64, now: Duration) -> Duration {
        let nanos = (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(self.rate.get()));
        let cost = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        self.paid_at = self.paid_at.max(now).saturating_add(cost);
        self.wait(now)
    }

    /// How long to wait before more bytes are spent; zero when that is now.
    pub fn wait(&self, now: Duration) -> Duration {
        self.paid_at.saturating_sub(now.saturating_add(CREDIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    fn pacer(rate: u64) -> Pacer {
        Pacer::new(NonZeroU64::new(rate).expect("a rate"))
    }

    #[test]
    fn any_second_has_about_the_rate_whatever_the_pieces() {
        for piece in [1, 700, 64 * KIB, 300 * KIB] {
            let mut pacer = pacer(1 << 20);
            let (mut now, mut spent) = (Duration::from_secs(7), Vec::new());
            while now < Duration::from_secs(12) {
                spent.push((now, piece));
                now += pacer.spend(piece, now);
            }
            for second in 7..12 {
                let from = Duration::from_secs(second);
                let within =
                    spent.iter().filter(|(at, _)| (from..from + Duration::from_secs(1)).contains(at));
                let bytes: u64 = within.map(|(_, bytes)| bytes).sum();
                let most = (1 << 20) + (1 << 20) / 10 + 2 * piece;
                assert!(bytes <= most, "{bytes} bytes in second {second} with pieces of {piece}");
                assert!(
                    bytes + 2 * piece >= (1 << 20) / 100 * 99,
                    "{bytes} bytes in second {second}, pieces of {piece}"
                );
            }
        }
    }

    #[test]
    fn a_pause_is_not_followed_by_a_burst() {
        let mut pacer = pacer(1000);
        assert_eq!(pacer.spend(100, Duration::from_secs(3600)), Duration::ZERO);
        assert_eq!(pacer.spend(100, Duration::from_secs(3600)), Duration::from_millis(100));
        assert_eq!(pacer.wait(Duration::from_millis(3_600_040)), Duration::from_millis(60));
        pacer.set_rate(NonZeroU64::MAX);
        assert_eq!(pacer.spend(u64::MAX, Duration::from_secs(3700)), Duration::from_millis(900));
    }
}
