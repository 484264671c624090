//! The seam through which time comes in.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// A source of time.
///
/// Product code never asks the operating system itself, so that a test can hold time still.
pub trait Clock: Send + Sync + Debug {
    /// Milliseconds since the Unix epoch. May jump when the machine's clock is set.
    fn now_ms(&self) -> u64;

    /// Time since an arbitrary start. Never goes back; measures durations and deadlines.
    fn monotonic(&self) -> Duration;
}

/// The operating system's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        // A clock set before 1970 reads as 1970: a wrong time stamp, but no reason to stop.
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic(&self) -> Duration {
        // One start for the process, so that values of different instances can be compared.
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }
}

/// A clock that moves only when told. Clones show the same time.
#[derive(Debug, Clone, Default)]
pub struct ManualClock {
    time: Arc<Mutex<Time>>,
}

#[derive(Debug, Default)]
struct Time {
    start_ms: u64,
    elapsed: Duration,
}

impl ManualClock {
    /// A clock that stands at `now_ms` until it is advanced.
    pub fn new(now_ms: u64) -> Self {
        ManualClock { time: Arc::new(Mutex::new(Time { start_ms: now_ms, elapsed: Duration::ZERO })) }
    }

    /// Lets time pass, on the wall and monotonically.
    pub fn advance(&self, by: Duration) {
        let mut time = self.time.lock();
        time.elapsed = time.elapsed.saturating_add(by);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        let time = self.time.lock();
        let elapsed_ms = u64::try_from(time.elapsed.as_millis()).unwrap_or(u64::MAX);
        time.start_ms.saturating_add(elapsed_ms)
    }

    fn monotonic(&self) -> Duration {
        self.time.lock().elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told_and_its_clones_with_it() {
        let clock = ManualClock::new(1_000);
        let clone = clock.clone();
        assert_eq!((clone.now_ms(), clone.monotonic()), (1_000, Duration::ZERO));
        clock.advance(Duration::from_micros(600));
        assert_eq!(clone.now_ms(), 1_000);
        clock.advance(Duration::from_micros(600));
        assert_eq!((clone.now_ms(), clone.monotonic()), (1_001, Duration::from_micros(1_200)));
        clock.advance(Duration::MAX);
        assert_eq!((clone.now_ms(), clone.monotonic()), (u64::MAX, Duration::MAX));
    }

    #[test]
    fn the_system_clock_is_of_this_century_and_never_goes_back() {
        assert!(SystemClock.now_ms() > 946_684_800_000);
        let before = SystemClock.monotonic();
        assert!(SystemClock.monotonic() >= before);
    }
}
