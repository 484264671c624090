//! What a command answers.

use cairn_base::Value;

/// A result, and where to read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was asked for.
    pub result: Value,
    /// What to put into CURSOR to read on; none at the end.
    pub next_cursor: Option<String>,
}
