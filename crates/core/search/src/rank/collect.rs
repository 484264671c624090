//! What becomes of hits: the best of them, or the best groups.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use crate::SearchError;
use crate::index::generation::DocumentNumber;
use crate::index::segment::Segment;
use crate::request::Grouping;

/// Takes the hits of one segment after the other.
pub(crate) trait Collect<S> {
    /// The hits that follow are of this segment.
    fn begin(&mut self, _segment: &S) {}

    /// A document that the query admits.
    fn hit(&mut self, segment: &S, number: usize, document: DocumentNumber, worth: u32);

    /// The segment has no more.
    fn end(&mut self, segment: &S);
}

/// A document among the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Best {
    pub(crate) worth: u32,
    pub(crate) segment: usize,
    pub(crate) document: DocumentNumber,
}

/// The best `limit` documents of each segment, and how many there are in all.
#[derive(Debug)]
pub(crate) struct Top {
    limit: usize,
    /// Of the segments before: one run each, in the order of `order_in`.
    finished: Vec<Vec<Best>>,
    kept: Vec<Best>,
    /// Below this nothing gets in any more.
    threshold: u32,
    /// Nothing that is worth as much as the threshold and whose id is greater gets in any more.
    last: Option<DocumentNumber>,
    pub(crate) total: u64,
}

impl Top {
    pub(crate) fn new(limit: usize) -> Self {
        Top { limit, finished: Vec::new(), kept: Vec::new(), threshold: 0, last: None, total: 0 }
    }

    fn shrink<S: Segment>(&mut self, segment: &S) {
        if self.kept.len() <= self.limit {
            return;
        }
        if self.limit == 0 {
            self.kept.clear();
            self.threshold = u32::MAX;
            return;
        }
        let order = |left: &Best, right: &Best| order_in(segment, left, right);
        let (_, last, _) = self.kept.select_nth_unstable_by(self.limit - 1, order);
        (self.threshold, self.last) = (last.worth, Some(last.document));
        self.kept.truncate(self.limit);
    }

    /// The best documents of all segments with their ids: the greater worth first, then the smaller id.
    ///
    /// Ids take long to read, so runs are merged by reading those of their heads only.
    pub(crate) fn into_best(
        self,
        id: impl Fn(&Best) -> Result<Vec<u8>, SearchError>,
    ) -> Result<Vec<(Best, Vec<u8>)>, SearchError> {
        let runs_count = self.finished.len();
        let mut runs: Vec<_> = self.finished.into_iter().map(Vec::into_iter).collect();
        // There are few segments: the greatest head is looked for among all of them.
        let mut heads: Vec<(u32, Reverse<Vec<u8>>, usize, Best)> = Vec::with_capacity(runs_count);
        let mut next = |run: usize| -> Result<_, SearchError> {
            let best = runs.get_mut(run).and_then(Iterator::next);
            best.map(|best| Ok((best.worth, Reverse(id(&best)?), run, best))).transpose()
        };
        for run in 0..runs_count {
            heads.extend(next(run)?);
        }
        let mut merged = Vec::new();
        while merged.len() < self.limit {
            let greatest = (0..heads.len()).max_by(|left, right| {
                let key = |at: &usize| (heads[*at].0, &heads[*at].1);
                key(left).cmp(&key(right))
            });
            let Some(at) = greatest else { break };
            let (_, Reverse(id), run, best) = heads.swap_remove(at);
            merged.push((best, id));
            heads.extend(next(run)?);
        }
        Ok(merged)
    }
}

/// The greater worth first, then the smaller id.
fn order_in<S: Segment>(segment: &S, left: &Best, right: &Best) -> Ordering {
    right.worth.cmp(&left.worth).then_with(|| segment.compare_ids(left.document, right.document))
}

impl<S: Segment> Collect<S> for Top {
    #[inline]
    fn hit(&mut self, segment: &S, number: usize, document: DocumentNumber, worth: u32) {
        self.total += 1;
        if worth < self.threshold {
            return;
        }
        let is_behind = |last| segment.compare_ids(document, last) == Ordering::Greater;
        if worth == self.threshold && self.last.is_some_and(is_behind) {
            return;
        }
        self.kept.push(Best { worth, segment: number, document });
        if self.kept.len() >= self.limit.saturating_mul(2).max(64) {
            self.shrink(segment);
        }
    }

    fn end(&mut self, segment: &S) {
        self.shrink(segment);
        self.kept.sort_unstable_by(|left, right| order_in(segment, left, right));
        if !self.kept.is_empty() {
            self.finished.push(std::mem::take(&mut self.kept));
        }
        (self.threshold, self.last) = (0, None);
    }
}

/// The newest `limit` documents of each segment with their times, and how many there are in all.
#[derive(Debug)]
pub(crate) struct Newest {
    limit: usize,
    /// Of the segments before.
    finished: Vec<(u64, Best)>,
    /// Their times, and those of other partitions.
    times_ms: Vec<u64>,
    kept: Vec<(u64, Best)>,
    /// Before this nothing gets in any more.
    threshold_ms: u64,
    /// Nothing of the threshold's time whose id is greater gets in any more.
    last: Option<DocumentNumber>,
    /// Whether every document of this segment is older than enough of those before: its hits are counted only.
    is_counted_only: bool,
    pub(crate) total: u64,
}

impl Newest {
    /// The newest documents that count beside others, whose times are `before`.
    pub(crate) fn new(limit: usize, before: impl Iterator<Item = u64>) -> Self {
        Newest {
            limit,
            finished: Vec::new(),
            times_ms: before.collect(),
            kept: Vec::new(),
            threshold_ms: 0,
            last: None,
            is_counted_only: false,
            total: 0,
        }
    }

    fn shrink<S: Segment>(&mut self, segment: &S) {
        if self.kept.len() <= self.limit {
            return;
        }
        let Some(last) = self.limit.checked_sub(1) else {
            self.kept.clear();
            return;
        };
        let order = |left: &(u64, Best), right: &(u64, Best)| {
            right.0.cmp(&left.0).then_with(|| segment.compare_ids(left.1.document, right.1.document))
        };
        let (_, last, _) = self.kept.select_nth_unstable_by(last, order);
        (self.threshold_ms, self.last) = (last.0, Some(last.1.document));
        self.kept.truncate(self.limit);
    }

    /// The time of the last one that counts, of everything before this segment; 0 if there are not enough.
    fn floor_ms(&mut self) -> u64 {
        let Some(last) = self.limit.checked_sub(1).filter(|last| *last < self.times_ms.len()) else {
            return 0;
        };
        let (_, floor_ms, _) = self.times_ms.select_nth_unstable_by_key(last, |time_ms| Reverse(*time_ms));
        *floor_ms
    }

    /// Documents among which are the newest of all segments, with their times, in any order.
    pub(crate) fn into_candidates(self) -> Vec<(u64, Best)> {
        self.finished
    }
}

impl<S: Segment> Collect<S> for Newest {
    fn begin(&mut self, segment: &S) {
        let floor_ms = self.floor_ms();
        self.is_counted_only = segment.newest_ms() < floor_ms;
        self.threshold_ms = floor_ms;
    }

    #[inline]
    fn hit(&mut self, segment: &S, number: usize, document: DocumentNumber, worth: u32) {
        self.total += 1;
        if self.is_counted_only {
            return;
        }
        let time_ms = segment.time_ms(document);
        if time_ms < self.threshold_ms {
            return;
        }
        let is_behind = |last| segment.compare_ids(document, last) == Ordering::Greater;
        if time_ms == self.threshold_ms && self.last.is_some_and(is_behind) {
            return;
        }
        self.kept.push((time_ms, Best { worth, segment: number, document }));
        if self.kept.len() >= self.limit.saturating_mul(2).max(64) {
            self.shrink(segment);
        }
    }

    fn end(&mut self, segment: &S) {
        self.shrink(segment);
        self.times_ms.extend(self.kept.iter().map(|(time_ms, _)| *time_ms));
        self.finished.append(&mut self.kept);
        (self.threshold_ms, self.last) = (0, None);
    }
}

/// All hits of each segment, in order.
#[derive(Debug, Default)]
pub(crate) struct All {
    pub(crate) finished: Vec<Vec<DocumentNumber>>,
    current: Vec<DocumentNumber>,
}

impl<S: Segment> Collect<S> for All {
    fn hit(&mut self, _segment: &S, _number: usize, document: DocumentNumber, _worth: u32) {
        self.current.push(document);
    }

    fn end(&mut self, _segment: &S) {
        self.finished.push(std::mem::take(&mut self.current));
    }
}

/// How many documents of a group count for it.
const COUNTED: usize = 4;

/// A group, by the best documents in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Group {
    /// The worth of its best documents, the greatest first.
    best: [u32; COUNTED],
    pub(crate) hits: u64,
}

impl Group {
    /// The best document counts in full, the next one half, and so on.
    pub(crate) fn worth(&self) -> u32 {
        self.best.iter().enumerate().fold(0, |sum: u32, (at, worth)| sum.saturating_add(worth >> at))
    }

    fn take(&mut self, worth: u32) {
        let at = self.best.iter().position(|other| worth > *other);
        if let Some(at) = at {
            self.best[at..].rotate_right(1);
            self.best[at] = worth;
        }
    }
}

/// Every group that has a hit.
#[derive(Debug)]
pub(crate) struct Groups {
    grouping: Grouping,
    pub(crate) groups: HashMap<u64, Group>,
}

impl Groups {
    pub(crate) fn new(grouping: Grouping) -> Self {
        Groups { grouping, groups: HashMap::new() }
    }
}

impl<S: Segment> Collect<S> for Groups {
    fn hit(&mut self, segment: &S, _number: usize, document: DocumentNumber, worth: u32) {
        let group = self.groups.entry(segment.group(self.grouping, document)).or_default();
        group.hits += 1;
        group.take(worth);
    }

    fn end(&mut self, _segment: &S) {}
}

/// The best documents of some groups.
#[derive(Debug)]
pub(crate) struct BestOf {
    grouping: Grouping,
    pub(crate) groups: HashMap<u64, Top>,
}

impl BestOf {
    /// The best `each` of every one of these groups.
    pub(crate) fn new(grouping: Grouping, groups: impl Iterator<Item = u64>, each: usize) -> Self {
        BestOf { grouping, groups: groups.map(|group| (group, Top::new(each))).collect() }
    }
}

impl<S: Segment> Collect<S> for BestOf {
    fn hit(&mut self, segment: &S, number: usize, document: DocumentNumber, worth: u32) {
        if let Some(top) = self.groups.get_mut(&segment.group(self.grouping, document)) {
            top.hit(segment, number, document, worth);
        }
    }

    fn end(&mut self, segment: &S) {
        self.groups.values_mut().for_each(|top| Collect::<S>::end(top, segment));
    }
}
