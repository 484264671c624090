//! How much one command may do: rows, memory and time.

use std::time::Duration;

use cairn_base::{Clock, limits};
use cairn_kip::{KipCode, KipError};

/// How often the clock is asked: reading it costs more than a step does.
const STEPS_PER_LOOK: u32 = 256;

/// What a command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Rows of intermediate results, all together, and nodes that paths come by.
    pub rows: u64,
    /// Bytes held at once: rows, values that were read, the answer.
    pub bytes: u64,
    /// Time from when the budget was made.
    pub time: Duration,
}

impl Default for Allowance {
    fn default() -> Self {
        Allowance {
            rows: limits::KIP_WORK_ROWS_MAX,
            bytes: limits::KIP_WORK_BYTES_MAX,
            time: limits::KIP_WORK_TIME_MAX,
        }
    }
}

/// What is left of an [`Allowance`].
///
/// Every loop over rows, links or nodes takes a step of it, so that no command outlives its time by more than
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

    /// Rows that were made so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// When it is, on the clock that the budget is measured with.
    pub(crate) fn now(&self) -> Duration {
        self.clock.monotonic()
    }

    /// Something was looked at.
    pub(crate) fn step(&mut self) -> Result<(), KipError> {
        self.steps(1)
    }

    /// So many things were looked at.
    pub(crate) fn steps(&mut self, count: u32) -> Result<(), KipError> {
        self.steps = self.steps.saturating_add(count);
        if self.steps < STEPS_PER_LOOK {
            return Ok(());
        }
        self.steps = 0;
        self.look_at_clock()
    }

    /// A row is made that takes so many bytes, or a path came by a node.
    pub(crate) fn row(&mut self, bytes: usize) -> Result<(), KipError> {
        self.rows += 1;
        if self.rows > self.allowance.rows {
            return Err(self.too_many_rows());
        }
        self.hold(bytes)?;
        self.step()
    }

    /// So many bytes are held from now on.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), KipError> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.allowance.bytes {
            return Err(self.too_many_bytes());
        }
        Ok(())
    }

    /// So many bytes are held no longer.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes as u64);
    }

    fn look_at_clock(&self) -> Result<(), KipError> {
        let taken = self.clock.monotonic().saturating_sub(self.started);
        if taken <= self.allowance.time {
            return Ok(());
        }
        let message = format!("the command took longer than {} ms", self.allowance.time.as_millis());
        Err(KipError::new(KipCode::ExecutionTimeout, message).hint(NARROWER))
    }

    fn too_many_rows(&self) -> KipError {
        let message = format!("the command needs more than {} intermediate rows", self.allowance.rows);
        KipError::new(KipCode::ResourceExhausted, message).hint(NARROWER)
    }

    fn too_many_bytes(&self) -> KipError {
        let message = format!("the command needs more than {} bytes at once", self.allowance.bytes);
        KipError::new(KipCode::ResourceExhausted, message).hint(
            "ask for single fields instead of whole elements, lower LIMIT, or ground an end of a pattern with \
             {type, name}",
        )
    }
}

const NARROWER: &str = "ground an end of a pattern with {type, name}, connect patterns by a common variable, \
                        give paths an upper bound, or filter by type";

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::ManualClock;

    fn allowance() -> Allowance {
        Allowance { rows: 3, bytes: 100, time: Duration::from_millis(10) }
    }

    fn code(result: Result<(), KipError>) -> Option<KipCode> {
        result.err().map(|error| error.code)
    }

    #[test]
    fn each_measure_holds_up_to_its_bound_and_no_further() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, allowance());
        assert_eq!((0..3).map(|_| code(budget.row(1))).collect::<Vec<_>>(), [None; 3]);
        assert_eq!(code(budget.row(1)), Some(KipCode::ResourceExhausted));
        budget.release(2);
        // One row too many was counted before it was refused: one byte is left of it.
        assert_eq!(code(budget.hold(99)), None);
        assert_eq!(code(budget.hold(1)), Some(KipCode::ResourceExhausted));
    }

    #[test]
    fn time_that_ran_out_is_noticed_within_a_few_hundred_steps() {
        let clock = ManualClock::new(0);
        let mut budget = Budget::new(&clock, allowance());
        clock.advance(Duration::from_millis(10));
        assert!((0..1_000).all(|_| budget.step().is_ok()));
        clock.advance(Duration::from_millis(1));
        let found = (0..STEPS_PER_LOOK).find_map(|_| budget.step().err());
        assert_eq!(found.map(|error| error.code), Some(KipCode::ExecutionTimeout));
    }
}
