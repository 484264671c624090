//! Where in the order of activity a page goes on.

use std::fmt;
use std::str::FromStr;

use cairn_base::ContextId;

/// A place in the order: a context, and when it was last active. The greatest comes first in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActivityCursor {
    pub(super) at_ms: u64,
    pub(super) context: ContextId,
}

/// The text is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid cursor; pass the next_cursor of a page, or omit it to start with the most recently active")]
pub struct BadActivityCursor;

impl fmt::Display for ActivityCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.at_ms, self.context)
    }
}

impl FromStr for ActivityCursor {
    type Err = BadActivityCursor;

    fn from_str(text: &str) -> Result<Self, BadActivityCursor> {
        let number = |digits: &str| {
            let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| all_digits).ok_or(BadActivityCursor)
        };
        let (at_ms, context) = text.split_once('-').ok_or(BadActivityCursor)?;
        Ok(ActivityCursor { at_ms: number(at_ms)?, context: ContextId(number(context)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_back_and_nothing_else_is() {
        for (at_ms, context) in [(0, 0), (1_700_000_000_000, 42), (u64::MAX, u64::MAX)] {
            let cursor = ActivityCursor { at_ms, context: ContextId(context) };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for bad in ["", "-", "1-", "-1", "1", "+1-2", "1-+2", "1-2-3", "a-1", "18446744073709551616-1", "٧-1"]
        {
            assert_eq!(bad.parse::<ActivityCursor>(), Err(BadActivityCursor), "{bad}");
        }
    }
}
