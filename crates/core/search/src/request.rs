//! What is asked for.

use crate::document::Partition;
use crate::query::Parsed;

/// A question to the index.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where to look. Each is ranked by itself; then the best of all count.
    pub partitions: Vec<Partition>,
    /// What to look for.
    pub query: Parsed,
    /// What else has to hold.
    pub filter: Filter,
    /// How many of the best to return.
    pub limit: usize,
    /// Whether newer is better.
    pub recency: Recency,
}

/// What has to hold for a document, whatever its words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// One of these kinds; any if empty.
    pub kinds: Vec<String>,
    /// All of these tags, at most [`SEARCH_TAGS_MAX`](crate::limits::SEARCH_TAGS_MAX).
    pub tags: Vec<String>,
    /// When it came to be.
    pub times: Times,
    /// Only what belongs to this group.
    pub group: Option<u64>,
    /// Who asks: only documents that one of these, or everybody, may see. `None` sees all.
    pub visible_to: Option<Vec<String>>,
}

/// What documents are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// What they belong to.
    Group,
    /// The smaller group inside of that.
    Subgroup,
}

impl Grouping {
    pub(crate) fn place(self) -> usize {
        match self {
            Grouping::Group => 0,
            Grouping::Subgroup => 1,
        }
    }
}

/// A range of times in Unix milliseconds; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// Not before.
    pub since_ms: Option<u64>,
    /// Not after.
    pub until_ms: Option<u64>,
}

impl Times {
    pub(crate) fn admits(self, time_ms: impl FnOnce() -> u64) -> bool {
        if self.since_ms.is_none() && self.until_ms.is_none() {
            return true;
        }
        let time = time_ms();
        self.since_ms.is_none_or(|since| time >= since) && self.until_ms.is_none_or(|until| time <= until)
    }
}

/// How much newer documents are preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recency {
    /// After this long a document keeps three quarters of its worth, after twice as long five eighths, and
    /// never less than half. Zero: age does not count.
    pub half_life_ms: u64,
    /// Now.
    pub now_ms: u64,
}

impl Recency {
    pub(crate) fn apply(self, worth: u32, time_ms: impl FnOnce() -> u64) -> u32 {
        if self.half_life_ms == 0 {
            return worth;
        }
        let age = self.now_ms.saturating_sub(time_ms()) as f64 / self.half_life_ms as f64;
        ((f64::from(worth) * (0.5 + 0.5 * (-age).exp2())) as u32).max(1)
    }
}
