//! Finding an index, and walking it.

use std::ops::Bound;

use cairn_base::{KeyBuf, NULL_VALUE_KEY, prefix_end};
use cairn_seam::{KeyRange, Visit};

use super::entry::{entry_key, front, is_cut, parse};
use super::{Index, IndexInfo, IndexState, Indexes};
use crate::tables::INDEX_ENTRIES;
use crate::{ConceptId, Part, Result, TypeId, View, limits};

/// Concepts of one value that are held at once, on the way down: they are then walked upwards.
const GROUP_MAX: usize = 1024;

/// What an entry holds of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedKey<'a> {
    /// The bytes of the value, as [`value_key`](cairn_base::value_key) gives them.
    pub bytes: &'a [u8],
    /// Whether the value goes on behind them, or may do so: such entries with the same bytes are in no order.
    pub is_cut: bool,
}

/// What is called with each entry.
type VisitEntry<'v> = &'v mut dyn FnMut(ConceptId, &IndexedKey<'_>) -> Visit;

impl View<'_> {
    /// Every index of the space, in the order in which they were made.
    pub fn indexes(&self) -> Result<Vec<IndexInfo>> {
        Ok(Indexes::read(self.reader(), self.scope())?.all)
    }

    /// The index of a field of a type, if there is one that is complete.
    pub fn index_of(&self, kind: TypeId, part: Part, path: &[&str]) -> Result<Option<Index>> {
        let is_usable = |info: &IndexInfo| info.state == IndexState::Ready && info.is_of(kind, part, path);
        let found = Indexes::read(self.reader(), self.scope())?.all.into_iter().find(is_usable);
        Ok(found.map(|info| info.index))
    }

    /// Walks an index in the order of its values; concepts of the same value come in the order of their
    /// numbers, and null comes last, whichever way the walk goes.
    ///
    /// Bounds are bytes of values, as [`value_key`](cairn_base::value_key) gives them, or their beginnings: an
    /// entry that begins like a bound counts as equal to it. Entries that are cut and begin like a bound are
    /// visited even if their value may lie outside: whoever asks looks at their records.
    ///
    /// `visit` runs inside of a scan and must not read the graph.
    pub fn indexed(
        &self,
        index: &Index,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        descending: bool,
        visit: VisitEntry<'_>,
    ) -> Result<()> {
        let span = Span::new(&front(self.scope(), index.id), low, high);
        if !descending {
            return self.upwards(&span, visit).map(drop);
        }
        let (values, nulls) = span.split_at(&behind(&span.front, NULL_VALUE_KEY));
        match self.downwards(values, visit)? {
            Visit::Continue => self.upwards(&nulls, visit).map(drop),
            Visit::NextRange | Visit::Stop => Ok(()),
        }
    }

    /// Goes on with such a walk behind an entry: the bytes of a value, and the last concept of it that was visited.
    pub fn indexed_after(
        &self,
        index: &Index,
        (low, high): (Bound<&[u8]>, Bound<&[u8]>),
        descending: bool,
        (bytes, concept): (&[u8], ConceptId),
        visit: VisitEntry<'_>,
    ) -> Result<()> {
        let span = Span::new(&front(self.scope(), index.id), low, high);
        // No key is between an entry and this.
        let mut next = entry_key(self.scope(), index.id, bytes, concept);
        next.push(0);
        if !descending || bytes == NULL_VALUE_KEY {
            return self.upwards(&span.split_at(&next).1, visit).map(drop);
        }
        let (values, nulls) = span.split_at(&behind(&span.front, NULL_VALUE_KEY));
        let value = behind(&span.front, bytes);
        let (lower, same) = values.split_at(&value);
        let same = same.split_at(&prefix_end(&value).unwrap_or(value)).0.split_at(&next).1;
        if self.upwards(&same, visit)? == Visit::Continue && self.downwards(lower, visit)? == Visit::Continue
        {
            self.upwards(&nulls, visit)?;
        }
        Ok(())
    }

    fn upwards(&self, span: &Span, visit: VisitEntry<'_>) -> Result<Visit> {
        let mut verdict = Ok(Visit::Continue);
        self.scan_entries(span.range(), &mut |entry| {
            verdict = entry.map(|(bytes, concept)| visit(concept, &key_of(bytes)));
            *verdict.as_ref().unwrap_or(&Visit::Stop)
        })?;
        verdict
    }

    /// The store gives concepts of one value downwards too, so they are held until the next value comes. Where
    /// that are too many, they are read once more, upwards.
    fn downwards(&self, mut span: Span, visit: VisitEntry<'_>) -> Result<Visit> {
        loop {
            let mut group = Group::default();
            let (mut verdict, mut is_long) = (Ok(Visit::Continue), false);
            self.scan_entries(span.range().descending(), &mut |entry| {
                verdict = entry.map(|(bytes, concept)| {
                    let before =
                        if group.bytes == bytes { Visit::Continue } else { group.flush(bytes, visit) };
                    group.concepts.push(concept);
                    is_long = group.concepts.len() > GROUP_MAX;
                    before
                });
                if is_long { Visit::Stop } else { *verdict.as_ref().unwrap_or(&Visit::Stop) }
            })?;
            match verdict? {
                Visit::Continue => {}
                stop @ (Visit::NextRange | Visit::Stop) => return Ok(stop),
            }
            if !is_long {
                return Ok(group.flush(&[], visit));
            }
            let same = Span::new(&span.front, Bound::Included(&group.bytes), Bound::Included(&group.bytes));
            match self.upwards(&same, visit)? {
                Visit::Continue => span = span.split_at(&same.low).0,
                stop @ (Visit::NextRange | Visit::Stop) => return Ok(stop),
            }
        }
    }

    #[expect(clippy::type_complexity, reason = "the visitor is plainest where it is asked for")]
    fn scan_entries(
        &self,
        range: KeyRange,
        visit: &mut dyn FnMut(Result<(&[u8], ConceptId)>) -> Visit,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        Ok(self.reader().multi_scan(INDEX_ENTRIES, &[range], &mut |_, key, _| visit(parse(key)))?)
    }
}

/// Concepts of one value, in the order of a walk down.
#[derive(Default)]
struct Group {
    bytes: Vec<u8>,
    concepts: Vec<ConceptId>,
}

impl Group {
    /// Visits what is held, and begins anew with another value.
    fn flush(&mut self, next: &[u8], visit: VisitEntry<'_>) -> Visit {
        let key = key_of(&self.bytes);
        while let Some(concept) = self.concepts.pop() {
            match visit(concept, &key) {
                Visit::Continue => {}
                stop @ (Visit::NextRange | Visit::Stop) => return stop,
            }
        }
        self.bytes.clear();
        self.bytes.extend_from_slice(next);
        Visit::Continue
    }
}

/// Entries between two keys, the second one excluded.
struct Span {
    front: KeyBuf,
    low: Vec<u8>,
    /// `None`: no key is behind it.
    high: Option<Vec<u8>>,
}

impl Span {
    fn new(front: &KeyBuf, low: Bound<&[u8]>, high: Bound<&[u8]>) -> Self {
        let whole = |bytes: &[u8]| !is_cut(bytes);
        let low = match low {
            Bound::Unbounded => front.to_vec(),
            // A cut entry that begins so may be behind the bound.
            Bound::Excluded(bytes) if whole(bytes) => {
                // Only a key of nothing but 0xff has no end, and tenants are not numbered so high.
                prefix_end(&behind(front, bytes)).unwrap_or_else(|| behind(front, bytes))
            }
            Bound::Included(bytes) | Bound::Excluded(bytes) => behind(front, bytes),
        };
        let high = match high {
            Bound::Unbounded => prefix_end(front),
            Bound::Excluded(bytes) if whole(bytes) => Some(behind(front, bytes)),
            Bound::Included(bytes) | Bound::Excluded(bytes) => prefix_end(&behind(front, bytes)),
        };
        Span { front: front.clone(), low, high }
    }

    fn range(&self) -> KeyRange {
        let high = self.high.clone().map_or(Bound::Unbounded, Bound::Excluded);
        KeyRange::new(Bound::Included(self.low.clone()), high)
    }

    /// What is before a key, and the rest.
    fn split_at(&self, key: &[u8]) -> (Self, Self) {
        let is_before = self.high.as_deref().is_some_and(|high| high < key);
        let first_high = if is_before { self.high.clone() } else { Some(key.to_vec()) };
        let second_low = if self.low.as_slice() > key { self.low.clone() } else { key.to_vec() };
        (
            Span { front: self.front.clone(), low: self.low.clone(), high: first_high },
            Span { front: self.front.clone(), low: second_low, high: self.high.clone() },
        )
    }
}

/// The beginning of entries of a value.
fn behind(front: &KeyBuf, bytes: &[u8]) -> Vec<u8> {
    let kept = bytes.len().min(limits::GRAPH_INDEX_VALUE_BYTES_MAX);
    [front, &bytes[..kept]].concat()
}

fn key_of(bytes: &[u8]) -> IndexedKey<'_> {
    IndexedKey { bytes, is_cut: is_cut(bytes) }
}
