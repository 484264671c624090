//! Bounds on the work of one read or write: rows, memory and time.

use std::time::Duration;

use cairn_base::Clock;

use crate::limits;

/// How often the clock is asked: reading it costs more than a step does.
const STEPS_PER_LOOK: u32 = 256;

/// The work that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Maximum rows of intermediate results, all together, and of nodes that paths come by.
    pub rows: u64,
    /// Maximum bytes held at once: rows, values that were read, the result.
    pub bytes: u64,
    /// Maximum time from when the budget was made.
    pub time: Duration,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance {
            rows: limits::GRAPH_WORK_ROWS_MAX,
            bytes: limits::GRAPH_WORK_BYTES_MAX,
            time: limits::GRAPH_WORK_TIME_MAX,
        }
    }
}

/// The bound that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OverBudget {
    /// It took too long.
    #[error("it took longer than {} ms", .0.as_millis())]
    Time(Duration),
    /// It made too many rows.
    #[error("it needs more than {0} intermediate rows")]
    Rows(u64),
    /// It holds too much memory.
    #[error("it needs more than {0} bytes at once")]
    Bytes(u64),
}

/// The rest of an [`Allowance`].
///
/// Every loop over rows, links or nodes takes a step of it, so that no work outlives its time by more than
/// a few hundred steps.
#[derive(Debug)]
pub struct Budget<'a> {
    clock: &'a dyn Clock,
    started: Duration,
    allowance: Allowance,
    rows: u64,
    bytes: u64,
    steps: u32,
}

impl<'a> Budget<'a> {
    /// All of an allowance; time runs from now on.
    pub fn new(clock: &'a dyn Clock, allowance: Allowance) -> Self {
        // Rows are numbered with 32 bits.
        let rows = allowance.rows.min(u64::from(u32::MAX));
        let allowance = Allowance { rows, ..allowance };
        Budget { clock, started: clock.monotonic(), allowance, rows: 0, bytes: 0, steps: 0 }
    }

    /// Returns how many rows were made so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the time on the clock that the budget is measured with.
    pub fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    /// Counts things that were looked at. Fails if the time is over.
    pub fn steps(&mut self, count: u32) -> Result<(), OverBudget> {
        self.steps = self.steps.saturating_add(count);
        if self.steps < STEPS_PER_LOOK {
            return Ok(());
        }
        self.steps = 0;
        let taken = self.clock.monotonic().saturating_sub(self.started);
        if taken <= self.allowance.time { Ok(()) } else { Err(OverBudget::Time(self.allowance.time)) }
    }

    /// Counts a row of so many bytes, or a node that a path came by.
    pub fn row(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.rows += 1;
        if self.rows > self.allowance.rows {
            return Err(OverBudget::Rows(self.allowance.rows));
        }
        self.hold(bytes)?;
        self.steps(1)
    }

    /// Counts bytes that are held from now on.
    pub fn hold(&mut self, bytes: usize) -> Result<(), OverBudget> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.allowance.bytes { Err(OverBudget::Bytes(self.allowance.bytes)) } else { Ok(()) }
    }

    /// Counts bytes that are held no longer.
    pub fn release(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::ManualClock;

    const ALLOWANCE: Allowance = Allowance { rows: 3, bytes: 100, time: Duration::from_millis(10) };

    #[test]
    fn each_measure_holds_up_to_its_bound_and_no_further() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, ALLOWANCE);
        assert_eq!((0..3).map(|_| budget.row(1)).collect::<Vec<_>>(), [Ok(()); 3]);
        assert_eq!(budget.row(1), Err(OverBudget::Rows(3)));
        budget.release(2);
        // The row that was refused holds nothing.
        assert_eq!(budget.hold(99), Ok(()));
        assert_eq!(budget.hold(1), Err(OverBudget::Bytes(100)));
    }

    #[test]
    fn time_that_ran_out_is_noticed_within_a_few_hundred_steps() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, ALLOWANCE);
        clock.advance(Duration::from_millis(10));
        assert!((0..1_000).all(|_| budget.steps(1).is_ok()));
        clock.advance(Duration::from_millis(1));
        let found = (0..STEPS_PER_LOOK).find_map(|_| budget.steps(1).err());
        assert_eq!(found, Some(OverBudget::Time(Duration::from_millis(10))));
    }
}
