//! A generation as a segment: postings in memory, without what counts no more.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Deref;

use super::generation::{DocumentNumber, Generation, Posting};
use super::key::{Key, PartitionNumber};
use super::segment::{Segment, SliceCursor, occurrences};
use super::statistics::Counted;
use crate::SearchError;
use crate::request::Grouping;

/// A generation, and which of its documents are dead.
#[derive(Debug, Default)]
pub(crate) struct Layer<G> {
    pub(crate) generation: G,
    dead: HashSet<DocumentNumber>,
}

impl<G: Deref<Target = Generation>> Layer<G> {
    /// The document of an id counts no more; what was counted of it, if there was one.
    pub(crate) fn bury(&mut self, partition: PartitionNumber, id: &[u8]) -> Option<Counted> {
        let number = self.generation.find(partition, id)?;
        if !self.dead.insert(number) {
            return None;
        }
        self.generation.document(number).map(|kept| kept.counted)
    }
}

impl<G> Layer<G> {
    /// The same documents, kept in another way.
    pub(crate) fn map<H>(self, change: impl FnOnce(G) -> H) -> Layer<H> {
        Layer { generation: change(self.generation), dead: self.dead }
    }

    pub(crate) fn dead(&self) -> &HashSet<DocumentNumber> {
        &self.dead
    }
}

impl<G: Deref<Target = Generation>> Segment for Layer<G> {
    type Cursor<'a>
        = SliceCursor<'a>
    where
        G: 'a;

    fn cursor(&self, key: &Key) -> Result<Option<SliceCursor<'_>>, SearchError> {
        let postings = self.generation.postings(key);
        Ok((!postings.is_empty()).then(|| SliceCursor::new(postings)))
    }

    fn holders(&self, key: &Key) -> Result<u64, SearchError> {
        Ok(self.generation.postings(key).len() as u64)
    }

    fn count(&self, key: &Key) -> Result<u64, SearchError> {
        let postings = self.generation.postings(key);
        if self.dead.is_empty() {
            return Ok(postings.len() as u64);
        }
        Ok(postings.iter().filter(|posting| self.is_live(posting.document)).count() as u64)
    }

    fn phrase(&self, field: u8, words: &[(u32, Key)]) -> Result<Vec<Posting>, SearchError> {
        let rarest = words.iter().map(|(_, key)| self.generation.postings(key)).min_by_key(|list| list.len());
        let mut found = Vec::new();
        let mut positions: Vec<(u32, Vec<u32>)> =
            words.iter().map(|(distance, _)| (*distance, Vec::new())).collect();
        for posting in rarest.unwrap_or(&[]) {
            for ((_, key), (_, places)) in words.iter().zip(&mut positions) {
                self.generation.positions(posting.document, field, key, places);
            }
            let times = occurrences(&positions);
            if times > 0 {
                found.push(Posting { document: posting.document, times });
            }
        }
        Ok(found)
    }

    fn holding(&self, key: &Key, documents: &[DocumentNumber]) -> Result<Vec<bool>, SearchError> {
        let postings = self.generation.postings(key);
        let holds = |document: &DocumentNumber| {
            postings.binary_search_by_key(document, |posting| posting.document).is_ok()
        };
        Ok(documents.iter().map(holds).collect())
    }

    fn is_live(&self, document: DocumentNumber) -> bool {
        self.dead.is_empty() || !self.dead.contains(&document)
    }

    fn length_step(&self, field: u8, document: DocumentNumber) -> u8 {
        let kept = self.generation.document(document);
        kept.and_then(|kept| kept.counted.length_steps.get(usize::from(field)).copied()).unwrap_or(0)
    }

    fn compare_ids(&self, left: DocumentNumber, right: DocumentNumber) -> Ordering {
        let id = |number| self.generation.document(number).map(|kept| &kept.id);
        id(left).cmp(&id(right))
    }

    fn id(&self, document: DocumentNumber) -> Result<Vec<u8>, SearchError> {
        Ok(self.generation.document(document).map(|kept| kept.id.to_vec()).unwrap_or_default())
    }

    fn group(&self, grouping: Grouping, document: DocumentNumber) -> u64 {
        self.generation.document(document).map_or(0, |kept| kept.groups[grouping.place()])
    }

    fn time_ms(&self, document: DocumentNumber) -> u64 {
        self.generation.document(document).map_or(0, |kept| kept.time_ms)
    }

    fn newest_ms(&self) -> u64 {
        u64::MAX
    }
}
