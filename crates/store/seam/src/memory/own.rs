//! A transaction's own changes, to be merged with what is stored.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;

use super::table::Bytes;
use crate::{KeyRange, Order};

type OwnEntry<'a> = (&'a Bytes, &'a Option<Bytes>);

/// A transaction's own changes inside a range, in its order.
pub(super) struct Own<'a> {
    changes: std::iter::Peekable<Box<dyn Iterator<Item = OwnEntry<'a>> + 'a>>,
    order: Order,
}

impl<'a> Own<'a> {
    /// The changes that lie inside a range.
    pub(super) fn new(changes: Option<&'a BTreeMap<Bytes, Option<Bytes>>>, range: &KeyRange) -> Self {
        // An ordered map refuses to be asked for an empty range.
        let changes = changes.filter(|_| !range.is_empty());
        let changes = changes.map(|map| map.range::<[u8], (Bound<&[u8]>, Bound<&[u8]>)>(range.bounds()));
        let boxed: Box<dyn Iterator<Item = OwnEntry<'a>> + 'a> = match (changes, range.order) {
            (None, _) => Box::new(std::iter::empty()),
            (Some(changes), Order::Ascending) => Box::new(changes),
            (Some(changes), Order::Descending) => Box::new(changes.rev()),
        };
        Own { changes: boxed.peekable(), order: range.order }
    }

    /// The next own change if it comes before the next stored key or hides it, and whether it hides it.
    pub(super) fn before(&mut self, stored: Option<&Bytes>) -> Option<(&'a Bytes, Option<&'a Bytes>, bool)> {
        let (own, _) = self.changes.peek()?;
        let ordering = match (stored, self.order) {
            (None, _) => Ordering::Less,
            (Some(stored), Order::Ascending) => (*own).cmp(stored),
            (Some(stored), Order::Descending) => stored.cmp(own),
        };
        if ordering == Ordering::Greater {
            return None;
        }
        let (key, value) = self.changes.next()?;
        Some((key, value.as_ref(), ordering == Ordering::Equal))
    }
}
