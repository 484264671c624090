//! Figures of commands.

use std::array;
use std::time::Duration;

use super::kind::Kind;
use crate::metrics::{Counter, Histogram, MetricKind, PrometheusText};

/// How many commands there were of each kind, and how long they took.
pub(crate) struct KipMetrics {
    /// Those that were answered, and those that failed.
    commands: [[Counter; 2]; Kind::ALL.len()],
    seconds: [Histogram; Kind::ALL.len()],
}

impl Default for KipMetrics {
    fn default() -> Self {
        KipMetrics {
            commands: array::from_fn(|_| array::from_fn(|_| Counter::new())),
            seconds: array::from_fn(|_| Histogram::new()),
        }
    }
}

impl KipMetrics {
    pub(super) fn count(&self, kind: Kind, is_ok: bool, took: Duration) {
        self.commands[kind as usize][usize::from(!is_ok)].add(1);
        self.seconds[kind as usize].observe(took);
    }

    pub(crate) fn write(&self, text: &mut PrometheusText) {
        let help = "Commands of KIP by what they begin with and whether they failed.";
        let mut family = text.family("cairn_kip_commands_total", MetricKind::Counter, help);
        for kind in Kind::ALL {
            for (outcome, count) in ["ok", "error"].iter().zip(&self.commands[kind as usize]) {
                family.integer(&[("command", kind.name()), ("outcome", outcome)], count.get());
            }
        }
        let help = "Time a command of KIP took; a kind appears with its first.";
        let mut family = text.family("cairn_kip_seconds", MetricKind::Histogram, help);
        for kind in Kind::ALL {
            let seconds = &self.seconds[kind as usize];
            if seconds.count() > 0 {
                family.histogram(&[("command", kind.name())], seconds);
            }
        }
    }
}
