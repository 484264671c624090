//! How answers are found. Whatever these say, the answers are the same.

use crate::Passes;
use crate::eval::PAGE_ROWS_MAX;

/// See [`Options::reads_per_lookup`].
const READS_PER_LOOKUP: u64 = 6;

/// Which ways to an answer may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What makes plans quicker.
    pub passes: Passes,
    /// Rows of the first scan that are worked on at once.
    pub page_rows: usize,
    /// As many concepts as are read in a row in the time that looking up one of them takes.
    pub reads_per_lookup: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { passes: Passes::ALL, page_rows: PAGE_ROWS_MAX, reads_per_lookup: READS_PER_LOOKUP }
    }
}
