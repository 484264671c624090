//! Whether an index holds what records say. Each page is one look at both, so that writers do not disturb it.

use std::ops::Bound;

use cairn_seam::{KeyRange, Visit};

use super::entry::{entry_key, front, parse};
use super::{IndexInfo, IndexState};
use crate::tables::INDEX_ENTRIES;
use crate::{ConceptId, Result, TypeId, View};

/// What one page of a verification found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexCheck {
    /// How many concepts or entries it looked at.
    pub looked_at: u64,
    /// How many of them do not agree with the others.
    pub wrong: u64,
    /// Where the next page begins; `None` after the last.
    pub next: Option<CheckPlace>,
}

/// How far a verification is: first all concepts, then all entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckPlace {
    /// Behind this concept.
    Concepts(ConceptId),
    /// Behind this entry; at the first one if it is empty.
    Entries(Vec<u8>),
}

impl View<'_> {
    /// Looks at so many concepts or entries of an index. What is being dropped is never wrong.
    pub fn check_index(&self, info: &IndexInfo, place: &CheckPlace, max: usize) -> Result<IndexCheck> {
        match (info.state, place) {
            (IndexState::Dropping, _) => Ok(IndexCheck::default()),
            (IndexState::Building { .. } | IndexState::Ready, CheckPlace::Concepts(after)) => {
                self.check_concepts(info, *after, max)
            }
            (IndexState::Building { .. } | IndexState::Ready, CheckPlace::Entries(after)) => {
                self.check_entries(info, after, max)
            }
        }
    }

    /// Every concept that the index holds has its entry.
    fn check_concepts(&self, info: &IndexInfo, after: ConceptId, max: usize) -> Result<IndexCheck> {
        let mut wanted: Vec<Vec<u8>> = Vec::new();
        let (mut last, mut verdict) = (after, Ok(()));
        self.concepts_of_type(info.index.kind, Some(after), &mut |id, record| {
            if !info.holds(id) || wanted.len() >= max {
                return Visit::Stop;
            }
            last = id;
            match info.index.entry_of(&record) {
                Ok(bytes) => wanted.push(entry_key(self.scope(), info.index.id, &bytes, id)),
                Err(error) => verdict = Err(error),
            }
            if verdict.is_ok() { Visit::Continue } else { Visit::Stop }
        })?;
        verdict?;
        let keys: Vec<&[u8]> = wanted.iter().map(Vec::as_slice).collect();
        let mut wrong = 0;
        self.reader().multi_get(INDEX_ENTRIES, &keys, &mut |_, value| wrong += u64::from(value.is_none()))?;
        let is_more = !wanted.is_empty() && wanted.len() >= max;
        let next = if is_more { CheckPlace::Concepts(last) } else { CheckPlace::Entries(Vec::new()) };
        Ok(IndexCheck { looked_at: wanted.len() as u64, wrong, next: Some(next) })
    }

    /// Every entry is that of a concept that the index holds.
    fn check_entries(&self, info: &IndexInfo, after: &[u8], max: usize) -> Result<IndexCheck> {
        let own = front(self.scope(), info.index.id);
        let mut range = KeyRange::prefix(&own);
        if !after.is_empty() {
            range.low = Bound::Excluded(after.to_vec());
        }
        let mut found: Vec<Vec<u8>> = Vec::new();
        self.reader().multi_scan(INDEX_ENTRIES, &[range.limit(max)], &mut |_, key, _| {
            found.push(key.to_vec());
            Visit::Continue
        })?;
        let entries = found.iter().map(|key| parse(key)).collect::<Result<Vec<(&[u8], ConceptId)>>>()?;
        let concepts: Vec<(ConceptId, TypeId)> =
            entries.iter().map(|(_, id)| (*id, info.index.kind)).collect();
        let (mut wrong, mut verdict) = (0, Ok(()));
        self.concept_views(&concepts, &mut |place, record| {
            let (bytes, id) = entries[place];
            match record.map(|record| info.index.entry_of(&record)).transpose() {
                Ok(expected) => {
                    let is_right = info.holds(id) && expected.as_deref() == Some(bytes);
                    wrong += u64::from(!is_right);
                }
                Err(error) => verdict = Err(error),
            }
        })?;
        verdict?;
        let next = found.last().filter(|_| found.len() >= max).cloned().map(CheckPlace::Entries);
        Ok(IndexCheck { looked_at: found.len() as u64, wrong, next })
    }
}
