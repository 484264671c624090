//! The gate's figures.

use std::sync::atomic::{AtomicUsize, Ordering};

use cairn_engine::{Counter, MetricKind, PrometheusText};

use crate::{Counted, Whose};

#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) admitted: Counter,
    pub(crate) overloaded: Counter,
    pub(crate) draining: Counter,
    pub(crate) limited: Limited,
    pub(crate) read_deadlines: Counter,
    pub(crate) write_deadlines: Counter,
    pub(crate) panics: Counter,
    /// Not a [`cairn_engine::Gauge`], because the bound on it must be exact.
    pub(crate) waiting: AtomicUsize,
}

/// Requests and connections over somebody's limit. Whose it was is for nobody who reads metrics.
#[derive(Debug, Default)]
pub(crate) struct Limited([[Counter; Counted::ALL.len()]; Whose::ALL.len()]);

impl Limited {
    pub(crate) fn add(&self, whose: Whose, counted: Counted) {
        self.0[whose as usize][counted as usize].add(1);
    }

    fn write(&self, text: &mut PrometheusText) {
        let help = "Requests and connections over a limit of their user or tenant.";
        let mut family = text.family("cairn_gate_limited_total", MetricKind::Counter, help);
        for whose in Whose::ALL {
            for counted in Counted::ALL {
                let labels = [("whose", whose.name()), ("limit", counted.name())];
                family.integer(&labels, self.0[whose as usize][counted as usize].get());
            }
        }
    }
}

impl Figures {
    pub(crate) fn write(&self, text: &mut PrometheusText, in_flight: usize, reading: usize, queries: usize) {
        let mut gauge = |name, help, value: usize| {
            text.family(name, MetricKind::Gauge, help).integer(&[], value as u64);
        };
        gauge("cairn_gate_in_flight", "Requests that run.", in_flight);
        gauge(
            "cairn_gate_waiting",
            "Requests that wait for their turn.",
            self.waiting.load(Ordering::Relaxed),
        );
        gauge("cairn_gate_reading", "Reads that run on a thread of their own.", reading);
        gauge("cairn_gate_queries", "Queries that run on a thread of their own.", queries);
        text.family("cairn_gate_admitted_total", MetricKind::Counter, "Requests let in.")
            .integer(&[], self.admitted.get());
        text.family("cairn_gate_refused_total", MetricKind::Counter, "Requests not let in.")
            .integer(&[("reason", "overloaded")], self.overloaded.get())
            .integer(&[("reason", "draining")], self.draining.get());
        self.limited.write(text);
        text.family(
            "cairn_gate_deadline_total",
            MetricKind::Counter,
            "Requests not done within their deadline.",
        )
        .integer(&[("kind", "read")], self.read_deadlines.get())
        .integer(&[("kind", "write")], self.write_deadlines.get());
        text.family("cairn_gate_panics_total", MetricKind::Counter, "Reads and long work that panicked.")
            .integer(&[], self.panics.get());
    }
}
