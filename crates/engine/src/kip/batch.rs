//! Batches: one command after the other, each a transaction of its own.
//!
//! What fails is answered in its place, and the batch goes on; a change that fails ends it. A batch that has
//! taken too long, or whose answers have grown too large, does nothing more, and says so in the place of each
//! command that is left.

use std::time::Duration;

use cairn_base::{Value, limits};
use cairn_kip::{KipCode, KipCommand, KipError};

use super::Asking;
use super::answer::{failed, response, weight};
use crate::EngineError;

impl Asking<'_> {
    pub(super) fn batch(&self, commands: &[KipCommand]) -> Result<Value, EngineError> {
        let mut answers = Answers { list: Vec::with_capacity(commands.len()), bytes: 0 };
        let started = self.engine.clock().monotonic();
        for command in commands {
            let taken = self.engine.clock().monotonic().saturating_sub(started);
            if let Some(error) = answers.too_much(taken) {
                answers.list.push(response(Err(error), &command.text));
                continue;
            }
            match self.command(command) {
                Ok(done) => {
                    answers.bytes += done.outcome.as_ref().map_or(0, |found| weight(&found.result));
                    answers.list.push(response(done.outcome, &command.text));
                    if done.ends {
                        break;
                    }
                }
                // Nothing was written: whoever may not write is told so at the first try.
                Err(error @ EngineError::Refused(_)) => return Err(error),
                Err(error) if answers.list.is_empty() => return Err(error),
                // What was done before is answered for all that.
                Err(error) => {
                    answers.list.push(response(Err(failed(&error)), &command.text));
                    break;
                }
            }
        }
        Ok(cairn_kip::response::batch(answers.list))
    }
}

/// What was answered so far.
struct Answers {
    list: Vec<Value>,
    bytes: usize,
}

impl Answers {
    /// Why nothing more is done.
    fn too_much(&self, taken: Duration) -> Option<KipError> {
        if taken > limits::KIP_BATCH_TIME_MAX {
            let message = format!("the batch took longer than {} s", limits::KIP_BATCH_TIME_MAX.as_secs());
            let hint = "this command was not carried out; send it again, in a batch of its own";
            return Some(KipError::new(KipCode::ExecutionTimeout, message).hint(hint));
        }
        if self.bytes > limits::KIP_BATCH_BYTES_MAX {
            let message =
                format!("the answers of the batch have more than {} bytes", limits::KIP_BATCH_BYTES_MAX);
            let hint = "this command was not carried out; send it again, in a batch of its own";
            return Some(KipError::new(KipCode::ResourceExhausted, message).hint(hint));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_after_its_time_and_after_its_bytes() {
        let code = |bytes, taken| {
            let answers = Answers { list: Vec::new(), bytes };
            answers.too_much(taken).map(|error| error.code)
        };
        let (time, room) = (limits::KIP_BATCH_TIME_MAX, limits::KIP_BATCH_BYTES_MAX);
        assert_eq!(code(room, time), None);
        assert_eq!(code(room, time + Duration::from_millis(1)), Some(KipCode::ExecutionTimeout));
        assert_eq!(code(room + 1, time), Some(KipCode::ResourceExhausted));
    }
}
