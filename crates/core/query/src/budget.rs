//! How much one command may do, and what it is told when that is not enough.

use std::time::Duration;

use cairn_base::Clock;
pub use cairn_graph::Allowance;
use cairn_graph::OverBudget;
use cairn_kip::{KipCode, KipError};

/// The rest of an [`Allowance`], in the words of the protocol.
#[derive(Debug)]
pub struct Budget<'a>(cairn_graph::Budget<'a>);

impl<'a> From<cairn_graph::Budget<'a>> for Budget<'a> {
    fn from(budget: cairn_graph::Budget<'a>) -> Self {
        Budget(budget)
    }
}

impl<'a> Budget<'a> {
    /// All of an allowance; time runs from now on.
    pub fn new(clock: &'a dyn Clock, allowance: Allowance) -> Self {
        Budget(cairn_graph::Budget::new(clock, allowance))
    }

    /// What one command may use, in no more than this time.
    pub fn within(clock: &'a dyn Clock, time: Duration) -> Self {
        Budget::new(clock, Allowance { time, ..Allowance::default() })
    }

    /// Rows that were made so far.
    pub fn rows(&self) -> u64 {
        self.0.rows()
    }

    /// When it is, on the clock that the budget is measured with.
    pub(crate) fn now(&self) -> Duration {
        self.0.now()
    }

    /// Something was looked at.
    pub(crate) fn step(&mut self) -> Result<(), KipError> {
        self.steps(1)
    }

    /// So many things were looked at.
    pub(crate) fn steps(&mut self, count: u32) -> Result<(), KipError> {
        self.0.steps(count).map_err(over)
    }

    /// A row is made that takes so many bytes, or a path came by a node.
    pub(crate) fn row(&mut self, bytes: usize) -> Result<(), KipError> {
        self.0.row(bytes).map_err(over)
    }

    /// So many bytes are held from now on.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), KipError> {
        self.0.hold(bytes).map_err(over)
    }

    /// So many bytes are held no longer.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.0.release(bytes);
    }
}

#[cold]
fn over(bound: OverBudget) -> KipError {
    match bound {
        OverBudget::Time(time) => {
            let message = format!("the command took longer than {} ms", time.as_millis());
            KipError::new(KipCode::ExecutionTimeout, message).hint(NARROWER)
        }
        OverBudget::Rows(rows) => {
            let message = format!("the command needs more than {rows} intermediate rows");
            KipError::new(KipCode::ResourceExhausted, message).hint(NARROWER)
        }
        OverBudget::Bytes(bytes) => {
            let message = format!("the command needs more than {bytes} bytes at once");
            KipError::new(KipCode::ResourceExhausted, message).hint(SMALLER)
        }
    }
}

const NARROWER: &str = "ground an end of a pattern with {type, name}, connect patterns by a common variable, \
                        give paths an upper bound, or filter by type";
const SMALLER: &str = "ask for single fields instead of whole elements, lower LIMIT, or ground an end of a \
                       pattern with {type, name}";

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::ManualClock;

    #[test]
    fn every_bound_has_its_code_and_says_what_to_do() {
        let clock = ManualClock::new(0);
        let mut budget =
            Budget::new(&clock, Allowance { rows: 1, bytes: 10, time: Duration::from_millis(10) });
        let code =
            |result: Result<(), KipError>| result.err().map(|error| (error.code, error.hint.is_some()));
        assert_eq!(code(budget.row(1)), None);
        assert_eq!(code(budget.row(1)), Some((KipCode::ResourceExhausted, true)));
        assert_eq!(code(budget.hold(10)), Some((KipCode::ResourceExhausted, true)));
        clock.advance(Duration::from_millis(11));
        let late = (0..1_000).find_map(|_| budget.step().err());
        assert_eq!(late.map(|error| error.code), Some(KipCode::ExecutionTimeout));
    }
}
