//! What stages came to, for EXPLAIN ANALYZE.

use std::time::Duration;

use super::Context;
use crate::rows::Rows;

/// What one stage came to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    /// Rows that it gave.
    pub(crate) rows: u64,
    /// How often it ran: once for each page of the first scan.
    pub(crate) runs: u64,
    /// How often it read all links of its predicates, because that was less than looking up.
    pub(crate) read_whole: u64,
    /// How long it took, everything inside it included; nothing unless it was timed.
    pub(crate) took: Duration,
}

impl Context<'_, '_, '_> {
    /// When it is, if that matters.
    pub(crate) fn now(&self) -> Duration {
        if self.is_timed { self.budget.now() } else { Duration::ZERO }
    }

    /// Everything begins once more, without an order.
    pub(crate) fn gave_up_order(&mut self) {
        self.has_given_up_order = true;
        self.measured.fill(Measured::default());
    }

    /// A stage gave rows.
    pub(crate) fn note(&mut self, stage: usize, rows: &Rows, began: Duration) {
        let took = self.now().saturating_sub(began);
        let measured = &mut self.measured[stage];
        measured.rows += rows.len() as u64;
        measured.runs += 1;
        measured.took += took;
    }
}
