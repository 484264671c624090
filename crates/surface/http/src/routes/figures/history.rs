//! What happened in the last minutes: samples of what is counted anyway, taken at fixed times, so that
//! asking changes nothing.

use std::collections::VecDeque;
use std::time::Duration;

use cairn_engine::{Figures, Tally};

use crate::limits;
use crate::metrics::HttpTotals;

/// Less time than this says nothing about a rate.
const SHORTEST: Duration = Duration::from_secs(1);

/// What was counted up to a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    /// When, in the engine's monotonic time.
    at: Duration,
    appends: u64,
    bundles: u64,
    writes: Tally,
    windows: Tally,
    blobs: Tally,
    http: HttpTotals,
}

/// One of the things that are counted.
pub(super) type Counted = fn(&Sample) -> u64;
/// One of the things that are timed.
pub(super) type Timed = fn(&Sample) -> Tally;

pub(super) const APPENDS: Counted = |sample| sample.appends;
pub(super) const BUNDLES: Counted = |sample| sample.bundles;
pub(super) const WINDOWS: Counted = |sample| sample.windows.count();
pub(super) const BLOBS: Counted = |sample| sample.blobs.count();
pub(super) const ANSWERS: Counted = |sample| sample.http.answers;
pub(super) const ERRORS: Counted = |sample| sample.http.errors;
pub(super) const WRITE_TIMES: Timed = |sample| sample.writes;
pub(super) const WINDOW_TIMES: Timed = |sample| sample.windows;
pub(super) const BLOB_TIMES: Timed = |sample| sample.blobs;
pub(super) const HTTP_TIMES: Timed = |sample| sample.http.took;

impl Sample {
    pub(super) fn new(at: Duration, figures: &Figures, http: HttpTotals) -> Self {
        Sample {
            at,
            // Numbers of turns are given one after the other, and never again.
            appends: figures.counters.turn,
            bundles: figures.bundles,
            writes: figures.writes,
            windows: figures.windows,
            blobs: figures.blobs,
            http,
        }
    }
}

/// Samples of the last five minutes, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct History(VecDeque<Sample>);

impl History {
    /// Takes in a sample.
    pub(super) fn push(&mut self, sample: Sample) {
        if self.0.len() == limits::RATE_SAMPLES_MAX {
            self.0.pop_front();
        }
        self.0.push_back(sample);
    }

    /// How many a second there were lately: over this time, or since the start if that is less.
    pub(super) fn rate(&self, now: &Sample, window: Duration, counted: Counted) -> Option<f64> {
        between(self.before(now, window)?, now, counted)
    }

    /// How many a second there were from each sample to the next, the oldest first.
    pub(super) fn rates(&self, counted: Counted) -> Vec<f64> {
        self.0.iter().zip(self.0.iter().skip(1)).filter_map(|(from, to)| between(from, to, counted)).collect()
    }

    /// How long it took, over all of this history.
    pub(super) fn times(&self, now: &Sample, timed: Timed) -> Tally {
        let now = timed(now);
        self.0.front().map_or(now, |oldest| now.since(&timed(oldest)))
    }

    /// The newest sample that is at least that old, or the oldest.
    fn before(&self, now: &Sample, window: Duration) -> Option<&Sample> {
        let is_old = |sample: &&Sample| now.at.saturating_sub(sample.at) >= window;
        self.0.iter().rev().find(is_old).or_else(|| self.0.front())
    }
}

fn between(from: &Sample, to: &Sample, counted: Counted) -> Option<f64> {
    let time = to.at.saturating_sub(from.at);
    (time >= SHORTEST).then(|| counted(to).saturating_sub(counted(from)) as f64 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sample(at: u64, appends: u64) -> Sample {
        let none = Tally::default();
        let (at, http) = (Duration::from_secs(at), HttpTotals::default());
        Sample { at, appends, bundles: 0, writes: none, windows: none, blobs: none, http }
    }

    #[test]
    fn rates_are_those_of_their_time_and_asking_changes_none() {
        let mut history = History::default();
        assert_eq!(history.rate(&sample(5, 50), MINUTE, APPENDS), None, "nothing is known yet");
        // Ten a second for five minutes, and then nothing.
        (0..=40).for_each(|ten| history.push(sample(ten * 10, (ten * 100).min(3000))));
        assert_eq!(history.0.len(), limits::RATE_SAMPLES_MAX);
        for _ in 0..3 {
            let now = sample(405, 3000);
            assert_eq!(history.rate(&now, MINUTE, APPENDS), Some(0.0));
            let lately = history.rate(&now, 5 * MINUTE, APPENDS).expect("a rate");
            // From second 100 to second 405, of which 200 were busy.
            assert!((lately - 2000.0 / 305.0).abs() < 1e-9, "{lately}");
        }
        let rates = history.rates(APPENDS);
        assert_eq!((rates.len(), rates[0], rates[29]), (30, 10.0, 0.0));
    }

    #[test]
    fn a_young_server_has_rates_since_its_start() {
        let mut history = History::default();
        history.push(sample(100, 7));
        assert_eq!(history.rate(&sample(104, 27), MINUTE, APPENDS), Some(5.0));
        assert_eq!(history.rate(&sample(100, 27), MINUTE, APPENDS), None, "no time has passed");
        assert_eq!(history.rates(APPENDS), [0.0; 0]);
    }
}
