//! Walking one range over several layers at once; of equal keys the newest layer's counts.

use std::collections::btree_map;
use std::collections::vec_deque::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use cairn_seam::{KeyRange, Order, Visit};
use redb::{AccessGuard, StorageError};

use crate::generation::{Key, Slot, Table};
use crate::index::KeyTable;
use crate::tx::Changes;

/// Keys fetched from a generation at first, if the range has no lower limit; later pages double up to the larger
/// number.
const FIRST_PAGE: usize = 16;
const PAGE_MAX: usize = 512;

type Bytes = &'static [u8];
type IndexRange = redb::Range<'static, Bytes, Bytes>;

/// One layer of a range.
#[expect(clippy::large_enum_variant, reason = "a handful per range, on the stack, never moved in bulk")]
pub(crate) enum Source<'a> {
    /// A transaction's own changes.
    Own { range: btree_map::Range<'a, Key, Slot>, next: Option<(&'a Key, &'a Slot)> },
    /// A generation, fetched in pages so that no lock is held while a visitor runs.
    Generation(Pages<'a>),
    /// The index.
    Index { range: IndexRange, next: Option<(AccessGuard<'static, Bytes>, AccessGuard<'static, Bytes>)> },
}

pub(crate) struct Pages<'a> {
    table: Arc<Table>,
    range: &'a KeyRange,
    position: u64,
    page: VecDeque<(Key, Slot)>,
    page_size: usize,
    /// Whether the last page was the end.
    ended: bool,
}

impl<'a> Source<'a> {
    pub(crate) fn own(changes: &'a Changes, range: &KeyRange) -> Self {
        let bounds = range.bounds();
        Source::Own { range: changes.range::<[u8], _>(bounds), next: None }
    }

    pub(crate) fn generation(table: &Arc<Table>, position: u64, range: &'a KeyRange) -> Self {
        Source::Generation(Pages {
            table: Arc::clone(table),
            range,
            position,
            page: VecDeque::new(),
            page_size: FIRST_PAGE.min(range.limit),
            ended: false,
        })
    }

    pub(crate) fn index(table: &KeyTable, range: &KeyRange) -> Result<Self, StorageError> {
        Ok(Source::Index { range: table.range::<&[u8]>(range.bounds())?, next: None })
    }

    fn advance(&mut self, order: Order) -> Result<(), StorageError> {
        match self {
            Source::Own { range, next } => {
                *next = match order {
                    Order::Ascending => range.next(),
                    Order::Descending => range.next_back(),
                };
            }
            Source::Generation(pages) => pages.advance(),
            Source::Index { range, next } => {
                let step = match order {
                    Order::Ascending => range.next(),
                    Order::Descending => range.next_back(),
                };
                *next = step.transpose()?;
            }
        }
        Ok(())
    }

    fn key(&self) -> Option<&[u8]> {
        match self {
            Source::Own { next, .. } => next.map(|(key, _)| &**key),
            Source::Generation(pages) => pages.page.front().map(|(key, _)| &**key),
            Source::Index { next, .. } => next.as_ref().map(|(key, _)| key.value()),
        }
    }

    /// The value under the current key; `None` when this layer says the key is deleted.
    fn value(&self) -> Option<&[u8]> {
        match self {
            Source::Own { next, .. } => next.and_then(|(_, slot)| slot.as_deref()),
            Source::Generation(pages) => pages.page.front().and_then(|(_, slot)| slot.as_deref()),
            Source::Index { next, .. } => next.as_ref().map(|(_, value)| value.value()),
        }
    }
}

impl Pages<'_> {
    fn advance(&mut self) {
        let last = self.page.pop_front();
        if !self.page.is_empty() || self.ended {
            return;
        }
        let (mut low, mut high) = self.range.bounds();
        if let Some((key, _)) = &last {
            match self.range.order {
                Order::Ascending => low = Bound::Excluded(key),
                Order::Descending => high = Bound::Excluded(key),
            }
            if is_empty(low, high) {
                self.ended = true;
                return;
            }
        }
        self.page = self.table.page((low, high), self.range.order, self.position, self.page_size).into();
        self.ended = self.page.len() < self.page_size;
        self.page_size = (self.page_size * 2).min(PAGE_MAX);
    }
}

/// Whether bounds exclude everything in a way that an ordered map refuses.
fn is_empty(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Excluded(low), Bound::Excluded(high) | Bound::Included(high)) => low >= high,
        (Bound::Included(low), Bound::Excluded(high)) => low >= high,
        _ => false,
    }
}

/// Several layers of one range, newest first.
pub(crate) struct Merge<'a> {
    range: &'a KeyRange,
    sources: Vec<Source<'a>>,
}

impl<'a> Merge<'a> {
    pub(crate) fn new(range: &'a KeyRange) -> Self {
        Merge { range, sources: Vec::with_capacity(4) }
    }

    /// Adds a layer below those added before.
    pub(crate) fn add(&mut self, source: Source<'a>) {
        self.sources.push(source);
    }

    /// Calls the visitor with every live key until the range, its limit or the visitor ends it.
    pub(crate) fn run(mut self, visit: &mut dyn FnMut(&[u8], &[u8]) -> Visit) -> Result<Visit, StorageError> {
        let order = self.range.order;
        for source in &mut self.sources {
            source.advance(order)?;
        }
        self.sources.retain(|source| source.key().is_some());
        let mut left = self.range.limit;
        while let Some(winner) = self.winner(order) {
            let source = &self.sources[winner];
            if let (Some(key), Some(value)) = (source.key(), source.value()) {
                let said = visit(key, value);
                left -= 1;
                if said != Visit::Continue || left == 0 {
                    return Ok(said);
                }
            }
            self.step_over(winner, order)?;
        }
        Ok(Visit::Continue)
    }

    /// The layer with the next key; the newest of those that have it.
    fn winner(&self, order: Order) -> Option<usize> {
        let mut best: Option<(usize, &[u8])> = None;
        for (at, source) in self.sources.iter().enumerate() {
            let Some(key) = source.key() else { continue };
            let better = best.is_none_or(|(_, least)| match order {
                Order::Ascending => key < least,
                Order::Descending => key > least,
            });
            if better {
                best = Some((at, key));
            }
        }
        best.map(|(at, _)| at)
    }

    /// Moves every layer behind the winner's key.
    fn step_over(&mut self, winner: usize, order: Order) -> Result<(), StorageError> {
        for at in (0..self.sources.len()).rev() {
            if at != winner && self.sources[at].key() == self.sources[winner].key() {
                self.sources[at].advance(order)?;
            }
        }
        self.sources[winner].advance(order)
    }
}
