//! One page out of everything that was found.

use super::cursor::Position;

/// A row or group and its place in the order.
#[derive(Debug)]
pub(super) struct Entry {
    /// Compares as the places do; no two are equal.
    pub(super) place: Vec<u8>,
    /// Which row or group it is.
    pub(super) at: usize,
}

/// What is shown.
#[derive(Debug)]
pub(super) struct Page {
    /// Rows or groups, in order.
    pub(super) entries: Vec<Entry>,
    /// Whether more follow.
    pub(super) has_more: bool,
}

impl Page {
    /// The place of the last entry, if more follow.
    pub(super) fn last(&self) -> Option<&[u8]> {
        self.entries.last().filter(|_| self.has_more).map(|entry| entry.place.as_slice())
    }

    /// Ends the page after so many entries.
    pub(super) fn end_after(&mut self, entries: usize) {
        self.has_more |= entries < self.entries.len();
        self.entries.truncate(entries);
    }
}

/// The first entries after a position.
pub(super) fn page(mut entries: Vec<Entry>, after: Option<&Position>, limit: usize) -> Page {
    if let Some(after) = after {
        let after = after.among(&entries);
        entries.retain(|entry| after.is_before(&entry.place));
    }
    let has_more = limit > 0 && entries.len() > limit;
    if entries.len() > limit {
        // Only what is shown has to be sorted.
        entries.select_nth_unstable_by(limit, |a, b| a.place.cmp(&b.place));
        entries.truncate(limit);
    }
    entries.sort_unstable_by(|a, b| a.place.cmp(&b.place));
    Page { entries, has_more }
}
