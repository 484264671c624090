//! The answers of a batch, and how much of them there may be.

use std::time::Duration;

use cairn_base::Value;
use cairn_kip::{KipCode, KipError};
use cairn_query::Found;

use super::answer::{response, weight};
use crate::limits;

/// What was answered so far.
pub(super) struct Answers {
    pub(super) list: Vec<Value>,
    bytes: usize,
    /// Bytes of JSON that are left for all pages.
    page_bytes: Option<usize>,
    commands_left: usize,
}

impl Answers {
    pub(super) fn new(page_bytes: Option<usize>, commands: usize) -> Self {
        Answers { list: Vec::with_capacity(commands), bytes: 0, page_bytes, commands_left: commands }
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// None, where these were given before.
    pub(super) fn after(before: &Answers) -> Self {
        let Answers { bytes, page_bytes, commands_left, .. } = *before;
        Answers { list: Vec::new(), bytes, page_bytes, commands_left }
    }

    /// Takes what was answered [after](Answers::after) it.
    pub(super) fn extend(&mut self, more: Answers) {
        let list = std::mem::take(&mut self.list);
        *self = Answers { list: list.into_iter().chain(more.list).collect(), ..more };
    }

    /// Bytes of JSON that the next page may have: what earlier ones leave is for all that follow.
    pub(super) fn share(&self) -> Option<usize> {
        Some(self.page_bytes? / self.commands_left.max(1))
    }

    pub(super) fn add(&mut self, outcome: Result<Found, KipError>, text: &str) {
        self.bytes += outcome.as_ref().map_or(0, |found| weight(&found.result));
        let answer = response(outcome, text);
        self.commands_left = self.commands_left.saturating_sub(1);
        // The last answer leaves nothing to others.
        if self.commands_left > 0 {
            self.page_bytes = self.page_bytes.map(|left| left.saturating_sub(answer.to_json().len()));
        }
        self.list.push(answer);
    }

    /// Why nothing more is done.
    pub(super) fn too_much(&self, taken: Duration) -> Option<KipError> {
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
            let answers = Answers { bytes, ..Answers::new(None, 1) };
            answers.too_much(taken).map(|error| error.code)
        };
        let (time, room) = (limits::KIP_BATCH_TIME_MAX, limits::KIP_BATCH_BYTES_MAX);
        assert_eq!(code(room, time), None);
        assert_eq!(code(room, time + Duration::from_millis(1)), Some(KipCode::ExecutionTimeout));
        assert_eq!(code(room + 1, time), Some(KipCode::ResourceExhausted));
    }

    #[test]
    fn pages_share_their_bytes_and_leave_what_they_do_not_need() {
        let mut answers = Answers::new(Some(1_000), 4);
        assert_eq!(answers.share(), Some(250));
        answers.add(Ok(Value::Null.into()), "");
        assert_eq!(answers.share(), Some((1_000 - r#"{"result":null}"#.len()) / 3));
        answers.add(Ok(Value::String("x".repeat(2_000)).into()), "");
        assert_eq!(answers.share(), Some(0));
        assert_eq!(Answers::new(None, 4).share(), None);
    }
}
