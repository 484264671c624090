//! The engine's own figures.

use std::array;
use std::time::Duration;

use cairn_access::Action;

use super::{Counter, Histogram, MetricKind, PrometheusText, Tally};

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Failed,
    Refused,
}

impl Outcome {
    const ALL: [Outcome; 3] = [Outcome::Done, Outcome::Failed, Outcome::Refused];

    fn name(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Failed => "failed",
            Outcome::Refused => "refused",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Metrics {
    operations: [[Counter; Outcome::ALL.len()]; Action::COUNT],
    seconds: [Histogram; Action::COUNT],
    pub(crate) refusals_unrecorded: Counter,
    pub(crate) upkeep_runs: Counter,
    pub(crate) upkeep_failures: Counter,
    pub(crate) upkeep_seconds: Histogram,
}

impl Default for Metrics {
    fn default() -> Self {
        Metrics {
            operations: array::from_fn(|_| array::from_fn(|_| Counter::new())),
            seconds: array::from_fn(|_| Histogram::new()),
            refusals_unrecorded: Counter::new(),
            upkeep_runs: Counter::new(),
            upkeep_failures: Counter::new(),
            upkeep_seconds: Histogram::new(),
        }
    }
}

impl Metrics {
    pub(crate) fn count(&self, action: Action, outcome: Outcome) {
        self.operations[action.index()][outcome as usize].add(1);
    }

    pub(crate) fn time(&self, action: Action, took: Duration) {
        self.seconds[action.index()].observe(took);
    }

    /// How long operations of an action took.
    pub(crate) fn tally(&self, action: Action) -> Tally {
        self.seconds[action.index()].tally()
    }

    pub(crate) fn write(&self, text: &mut PrometheusText) {
        let mut family =
            text.family("cairn_operations_total", MetricKind::Counter, "Operations by action and outcome.");
        for action in Action::all() {
            for outcome in Outcome::ALL {
                let count = self.operations[action.index()][outcome as usize].get();
                family.integer(&[("action", action.name()), ("outcome", outcome.name())], count);
            }
        }
        let mut family = text.family(
            "cairn_operation_seconds",
            MetricKind::Histogram,
            "Time an operation took, refused ones aside; an action appears with its first.",
        );
        for action in Action::all() {
            let seconds = &self.seconds[action.index()];
            if seconds.count() > 0 {
                family.histogram(&[("action", action.name())], seconds);
            }
        }
        let mut counter = |name, help, counter: &Counter| {
            text.family(name, MetricKind::Counter, help).integer(&[], counter.get());
        };
        counter(
            "cairn_audit_refusals_unrecorded_total",
            "Refusals that left no audit line of their own.",
            &self.refusals_unrecorded,
        );
        counter("cairn_upkeep_runs_total", "Steps of background upkeep.", &self.upkeep_runs);
        counter(
            "cairn_upkeep_failures_total",
            "Steps of background upkeep that failed.",
            &self.upkeep_failures,
        );
        text.family("cairn_upkeep_seconds", MetricKind::Histogram, "Time a step of background upkeep took.")
            .histogram(&[], &self.upkeep_seconds);
    }
}
