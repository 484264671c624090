//! Pages of reports.

use crate::limits::PAGE_MAX;
use crate::{KbError, Result};

/// A part of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    offset: u32,
    limit: u32,
}

impl Page {
    /// Returns the page of a request. Fails if its limit is out of bounds.
    pub(super) fn parse(limit: Option<u32>, offset: Option<u32>, default: u32) -> Result<Self> {
        let limit = limit.unwrap_or(default);
        if (1..=PAGE_MAX).contains(&limit) {
            return Ok(Page { offset: offset.unwrap_or(0), limit });
        }
        Err(KbError::argument("limit", format!("{limit} is not from 1 to {PAGE_MAX}; page with `offset`")))
    }

    /// The rows to skip.
    pub(super) fn offset(self) -> u32 {
        self.offset
    }

    /// Returns the rows of the page and the number of all rows.
    pub(super) fn of<T>(self, rows: impl Iterator<Item = T>) -> (Vec<T>, u64) {
        let start = u64::from(self.offset);
        let end = start + u64::from(self.limit);
        let (mut page, mut count) = (Vec::new(), 0);
        for row in rows {
            if (start..end).contains(&count) {
                page.push(row);
            }
            count += 1;
        }
        (page, count)
    }
}
