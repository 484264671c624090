//! What ranking needs of a set of documents, wherever they are kept.

use super::generation::{DocumentNumber, Posting};
use super::key::Key;
use crate::SearchError;
use crate::request::Grouping;

/// Behind the last document.
pub(crate) const NO_MORE: DocumentNumber = DocumentNumber::MAX;

/// Documents with postings. Numbers of documents mean nothing outside of it.
pub(crate) trait Segment {
    /// A walk over the postings of one term.
    type Cursor<'a>: Cursor
    where
        Self: 'a;

    /// The postings of a term, dead documents included.
    fn cursor(&self, key: &Key) -> Result<Option<Self::Cursor<'_>>, SearchError>;

    /// How many documents hold a term, dead ones included.
    fn holders(&self, key: &Key) -> Result<u64, SearchError>;

    /// How many live documents hold a term.
    fn count(&self, key: &Key) -> Result<u64, SearchError>;

    /// Documents that hold these terms at these distances in a field, dead ones included, in order.
    fn phrase(&self, field: u8, words: &[(u32, Key)]) -> Result<Vec<Posting>, SearchError>;

    /// Which of these documents, in ascending order, hold a term.
    fn holding(&self, key: &Key, documents: &[DocumentNumber]) -> Result<Vec<bool>, SearchError>;

    /// Whether a document still counts.
    fn is_live(&self, document: DocumentNumber) -> bool;

    /// How long a field of a document is, as one of 256 steps.
    fn length_step(&self, field: u8, document: DocumentNumber) -> u8;

    /// Compares the ids of two documents of one partition.
    fn compare_ids(&self, left: DocumentNumber, right: DocumentNumber) -> std::cmp::Ordering;

    /// The id of a document.
    fn id(&self, document: DocumentNumber) -> Result<Vec<u8>, SearchError>;

    /// What a document belongs to: its group or its smaller group.
    fn group(&self, grouping: Grouping, document: DocumentNumber) -> u64;

    /// When a document came to be.
    fn time_ms(&self, document: DocumentNumber) -> u64;

    /// No document of the segment is newer than this.
    fn newest_ms(&self) -> u64;
}

/// A walk over postings, in the order of documents.
pub(crate) trait Cursor {
    /// The next document, or [`NO_MORE`].
    fn next(&self) -> DocumentNumber;

    /// Visits every posting before `end`.
    fn visit_until(&mut self, end: DocumentNumber, visit: &mut impl FnMut(DocumentNumber, u32));
}

/// A walk over postings that are in memory.
#[derive(Debug)]
pub(crate) struct SliceCursor<'a> {
    rest: std::borrow::Cow<'a, [Posting]>,
    at: usize,
}

impl<'a> SliceCursor<'a> {
    pub(crate) fn new(postings: impl Into<std::borrow::Cow<'a, [Posting]>>) -> Self {
        SliceCursor { rest: postings.into(), at: 0 }
    }
}

impl Cursor for SliceCursor<'_> {
    fn next(&self) -> DocumentNumber {
        self.rest.get(self.at).map_or(NO_MORE, |posting| posting.document)
    }

    fn visit_until(&mut self, end: DocumentNumber, visit: &mut impl FnMut(DocumentNumber, u32)) {
        while let Some(posting) = self.rest.get(self.at).filter(|posting| posting.document < end) {
            visit(posting.document, posting.times);
            self.at += 1;
        }
    }
}

/// How often words stand at their distances, given the sorted positions of each.
pub(crate) fn occurrences(words: &[(u32, Vec<u32>)]) -> u32 {
    let Some(((first_distance, first), rest)) = words.split_first() else { return 0 };
    let is_start = |position: &&u32| {
        let Some(start) = position.checked_sub(*first_distance) else { return false };
        rest.iter().all(|(distance, positions)| positions.binary_search(&(start + distance)).is_ok())
    };
    u32::try_from(first.iter().filter(is_start).count()).unwrap_or(u32::MAX)
}
