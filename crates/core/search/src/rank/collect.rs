//! What becomes of hits: the best of them, or the best groups.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::index::generation::DocumentNumber;
use crate::index::segment::Segment;
use crate::request::Grouping;

/// Takes the hits of one segment after the other.
pub(crate) trait Collect<S> {
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
    /// Of the segments before.
    finished: Vec<Best>,
    kept: Vec<Best>,
    /// Below this nothing gets in any more.
    threshold: u32,
    pub(crate) total: u64,
}

impl Top {
    pub(crate) fn new(limit: usize) -> Self {
        Top { limit, finished: Vec::new(), kept: Vec::new(), threshold: 0, total: 0 }
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
        self.threshold = last.worth;
        self.kept.truncate(self.limit);
    }

    /// Documents among which are the best of all segments, with everything that is worth as much as the
    /// last of them: the greater worth first, those of equal worth in any order.
    pub(crate) fn into_candidates(mut self) -> Vec<Best> {
        self.finished.sort_unstable_by_key(|best| std::cmp::Reverse(best.worth));
        if let Some(last) = self.limit.checked_sub(1).and_then(|last| self.finished.get(last)) {
            let worth = last.worth;
            let end = self.finished.partition_point(|best| best.worth >= worth);
            self.finished.truncate(end);
        }
        self.finished
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
        self.kept.push(Best { worth, segment: number, document });
        if self.kept.len() >= self.limit.saturating_mul(2).max(64) {
            self.shrink(segment);
        }
    }

    fn end(&mut self, segment: &S) {
        self.shrink(segment);
        self.finished.append(&mut self.kept);
        self.threshold = 0;
    }
}

/// The newest `limit` documents of each segment with their times, and how many there are in all.
#[derive(Debug)]
pub(crate) struct Newest {
    limit: usize,
    /// Of the segments before.
    finished: Vec<(u64, Best)>,
    kept: Vec<(u64, Best)>,
    /// Before this nothing gets in any more.
    threshold_ms: u64,
    pub(crate) total: u64,
}

impl Newest {
    pub(crate) fn new(limit: usize) -> Self {
        Newest { limit, finished: Vec::new(), kept: Vec::new(), threshold_ms: 0, total: 0 }
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
        self.threshold_ms = last.0;
        self.kept.truncate(self.limit);
    }

    /// Documents among which are the newest of all segments, with their times, in any order.
    pub(crate) fn into_candidates(self) -> Vec<(u64, Best)> {
        self.finished
    }
}

impl<S: Segment> Collect<S> for Newest {
    #[inline]
    fn hit(&mut self, segment: &S, number: usize, document: DocumentNumber, worth: u32) {
        self.total += 1;
        let time_ms = segment.time_ms(document);
        if time_ms < self.threshold_ms {
            return;
        }
        self.kept.push((time_ms, Best { worth, segment: number, document }));
        if self.kept.len() >= self.limit.saturating_mul(2).max(64) {
            self.shrink(segment);
        }
    }

    fn end(&mut self, segment: &S) {
        self.shrink(segment);
        self.finished.append(&mut self.kept);
        self.threshold_ms = 0;
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
        self.groups.values_mut().for_each(|top| top.end(segment));
    }
}
