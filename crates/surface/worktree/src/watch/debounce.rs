//! When to act on events: a state machine without a clock of its own.

use std::time::Duration;

/// Decides when a burst of events is over. Times are durations since any moment, and never go back.
///
/// A burst is over when there was no event for a while, or when it has lasted for long: a program that never stops
/// writing must not keep the others waiting. After a failure it is due again, each time later.
#[derive(Debug, Clone)]
pub struct Debounce {
    quiet: Duration,
    longest: Duration,
    burst: Option<Burst>,
    failures: u32,
    retry_at: Option<Duration>,
}

#[derive(Debug, Clone, Copy)]
struct Burst {
    first: Duration,
    last: Duration,
}

impl Debounce {
    /// How many times the quiet time a burst lasts at most.
    pub const LONGEST: u32 = 20;
    /// Pause after the first failure; each later one is twice as long.
    pub const RETRY_AFTER: Duration = Duration::from_secs(1);
    /// Most doublings of the pause.
    pub const DOUBLINGS_MAX: u32 = 5;

    /// Waits for `quiet` without events.
    pub fn new(quiet: Duration) -> Debounce {
        let longest = quiet.saturating_mul(Debounce::LONGEST);
        Debounce { quiet, longest, burst: None, failures: 0, retry_at: None }
    }

    /// Notes an event.
    pub fn note(&mut self, now: Duration) {
        let first = self.burst.map_or(now, |burst| burst.first);
        self.burst = Some(Burst { first, last: now });
    }

    /// Returns the moment to act at; `None` if there is no reason to.
    pub fn due(&self) -> Option<Duration> {
        let burst = self.burst.map(|Burst { first, last }| (last + self.quiet).min(first + self.longest));
        match (burst, self.retry_at) {
            // A new event is a reason to try at once.
            (Some(burst), _) => Some(burst),
            (None, retry_at) => retry_at,
        }
    }

    /// Returns true if it is time to act; then everything noted so far is dealt with.
    pub fn take(&mut self, now: Duration) -> bool {
        let is_due = self.due().is_some_and(|due| due <= now);
        if is_due {
            self.burst = None;
            self.retry_at = None;
        }
        is_due
    }

    /// Notes that acting succeeded.
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Notes that acting failed: it is due again after a pause.
    pub fn failed(&mut self, now: Duration) {
        let pause = Debounce::RETRY_AFTER * 2_u32.pow(self.failures.min(Debounce::DOUBLINGS_MAX));
        self.failures = self.failures.saturating_add(1);
        self.retry_at = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn debounce() -> Debounce {
        Debounce::new(ms(300))
    }

    /// Notes events, and returns the moments at which it acts when asked every 10 ms.
    fn acts(events: &[u64], until: u64) -> Vec<u64> {
        let mut debounce = debounce();
        let mut acts = Vec::new();
        for now in (0..=until).step_by(10) {
            events.iter().filter(|at| **at == now).for_each(|at| debounce.note(ms(*at)));
            if debounce.take(ms(now)) {
                acts.push(now);
            }
        }
        acts
    }

    #[test]
    fn a_burst_is_one_act() {
        assert_eq!(acts(&[], 5_000), [0; 0]);
        assert_eq!(acts(&[0], 5_000), [300]);
        assert_eq!(acts(&[0, 10, 290, 500], 5_000), [800]);
        assert_eq!(acts(&[0, 10, 310], 5_000), [610]);
        assert_eq!(acts(&[0, 10, 320], 5_000), [310, 620]);
    }

    #[test]
    fn an_endless_burst_is_cut() {
        let endless: Vec<u64> = (0..2_000).map(|n| n * 10).collect();
        let acts = acts(&endless, 19_990);
        assert_eq!(acts, [6_000, 12_010, 18_020]);
    }

    #[test]
    fn a_failure_is_tried_again_later_each_time() {
        let mut debounce = debounce();
        debounce.note(ms(0));
        assert!(debounce.take(ms(300)));
        let mut now = ms(300);
        for pause in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000] {
            debounce.failed(now);
            assert_eq!(debounce.due(), Some(now + ms(pause)));
            now += ms(pause);
            assert!(!debounce.take(now - ms(1)));
            assert!(debounce.take(now));
        }
        debounce.succeeded();
        assert_eq!(debounce.due(), None);
        debounce.failed(now);
        assert_eq!(debounce.due(), Some(now + ms(1_000)));
        // An event goes before the pause.
        debounce.note(now);
        assert_eq!(debounce.due(), Some(now + ms(300)));
        assert!(debounce.take(now + ms(300)));
        assert_eq!(debounce.due(), None);
    }

    #[test]
    fn events_while_acting_are_not_lost() {
        let mut debounce = debounce();
        debounce.note(ms(0));
        assert!(debounce.take(ms(300)));
        debounce.note(ms(310));
        debounce.succeeded();
        assert!(!debounce.take(ms(320)));
        assert!(debounce.take(ms(610)));
    }
}
