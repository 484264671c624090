//! Without aggregates: one row for each combination of projected variables.

use std::collections::hash_map;

use super::cursor::Position;
use super::encode::{put_cell, put_value};
use super::page::Entry;
use super::request::Request;
use super::{BATCH, Content};
use crate::Result;
use crate::cell::Cell;
use crate::eval::Context;
use crate::fields::{Field, FieldOf, Fields, Records};
use crate::hash::{FastMap, HashMapExt};
use crate::rows::Rows;

/// Entries beyond those that are shown that are gathered before the last of them go.
const SPARE: usize = 1024;

/// Rows in the making. Of rows that agree on what is projected the one that comes first stands for them: they
/// differ only if the order is by something else.
pub(super) struct Each<'r> {
    request: &'r Request,
    sorted: Vec<FieldOf>,
    first: FastMap<Vec<u8>, Entry>,
    /// The rows of the entries.
    kept: Rows,
    top: Option<Top>,
}

/// If only the first entries matter.
pub(super) struct Top {
    /// How many, with one to know whether there are more.
    pub(super) count: usize,
    /// Only those behind this place.
    pub(super) after: Option<Vec<u8>>,
    /// The place of the last of them, as soon as there are enough.
    pub(super) last: Option<Vec<u8>>,
}

impl Top {
    fn has(&self, place: &[u8]) -> bool {
        self.last.as_ref().is_none_or(|last| place < last.as_slice())
            && self.after.as_ref().is_none_or(|after| place > after.as_slice())
    }
}

impl<'r> Each<'r> {
    pub(super) fn new(request: &'r Request, width: usize, top: Option<Top>) -> Self {
        let sorted = request.sorted().filter(|of| of.field != Field::Whole).cloned().collect();
        Each { request, sorted, first: FastMap::new(), kept: Rows::new(width), top }
    }

    pub(super) fn add(&mut self, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<()> {
        for begin in (0..rows.len()).step_by(BATCH) {
            let batch = begin..(begin + BATCH).min(rows.len());
            context.records.load(batch.clone().map(|at| rows.row(at)), &self.sorted, context.budget)?;
            for at in batch {
                context.budget.step()?;
                self.add_one(rows.row(at), context)?;
            }
            self.drop_last(context)?;
        }
        rows.drop_from(context.budget);
        Ok(())
    }

    fn add_one(&mut self, row: &[Cell], context: &mut Context<'_, '_, '_>) -> Result<()> {
        let mut identity = Vec::new();
        for of in self.request.shown() {
            put_cell(&mut identity, row[of.slot], false, &context.records)?;
        }
        let place = place(row, &identity, self.request, &context.records)?;
        if self.top.as_ref().is_some_and(|top| !top.has(&place)) {
            return Ok(());
        }
        let bytes = entry_bytes(&identity, &place);
        match self.first.entry(identity) {
            hash_map::Entry::Vacant(free) => {
                context.budget.hold(bytes)?;
                free.insert(Entry { place, at: self.kept.len() });
                self.kept.keep(row, context.budget)?;
            }
            hash_map::Entry::Occupied(mut taken) if place < taken.get().place => {
                context.budget.hold(place.len())?;
                let before = taken.insert(Entry { place, at: self.kept.len() });
                context.budget.release(before.place.len());
                self.kept.keep(row, context.budget)?;
            }
            hash_map::Entry::Occupied(_) => {}
        }
        Ok(())
    }

    /// Lets go what will not be shown.
    fn drop_last(&mut self, context: &mut Context<'_, '_, '_>) -> Result<()> {
        let Some(top) = &mut self.top else { return Ok(()) };
        if self.first.len() < top.count.saturating_add(SPARE) {
            return Ok(());
        }
        let mut places: Vec<&[u8]> = self.first.values().map(|entry| entry.place.as_slice()).collect();
        let (_, last, _) = places.select_nth_unstable(top.count);
        let last = last.to_vec();
        let mut kept = Rows::new(self.kept.width());
        let mut released = 0;
        let (budget, old) = (&mut *context.budget, &self.kept);
        let mut failed = None;
        self.first.retain(|identity, entry| {
            if entry.place >= last {
                released += entry_bytes(identity, &entry.place);
                return false;
            }
            if let Err(error) = kept.keep(old.row(entry.at), budget) {
                failed = Some(error);
            }
            entry.at = kept.len() - 1;
            true
        });
        context.budget.release(released);
        std::mem::replace(&mut self.kept, kept).drop_from(context.budget);
        top.last = Some(last);
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// How many entries there are before a place that were not shown before.
    pub(super) fn count_before(&self, end: &[u8], shown: Option<&Position>) -> usize {
        let places = self.first.values().map(|entry| entry.place.as_slice());
        let is_new = |place: &[u8]| shown.is_none_or(|shown| shown.is_surely_before(place));
        places.filter(|place| *place < end && is_new(place)).count()
    }

    /// Gives back what everything held.
    pub(super) fn drop_from(self, context: &mut Context<'_, '_, '_>) {
        let bytes = self.first.iter().map(|(identity, entry)| entry_bytes(identity, &entry.place)).sum();
        context.budget.release(bytes);
        self.kept.drop_from(context.budget);
    }

    pub(super) fn finish(self) -> (Vec<Entry>, Content) {
        (self.first.into_values().collect(), Content::Rows(self.kept))
    }
}

fn entry_bytes(identity: &[u8], place: &[u8]) -> usize {
    size_of::<(Vec<u8>, Entry)>() + identity.len() + place.len()
}

/// The place of a row: by what is sorted by, then by what it is.
fn place(row: &[Cell], identity: &[u8], request: &Request, records: &Records<'_>) -> Result<Vec<u8>> {
    let mut place = Vec::with_capacity(identity.len());
    for (of, descending) in request.order.iter().filter_map(|key| Some((key.by.field()?, key.descending))) {
        put_field(&mut place, row, of, descending, records)?;
    }
    place.extend_from_slice(identity);
    Ok(place)
}

/// Adds a field that was loaded; a whole element is what it is bound to.
pub(super) fn put_field(
    out: &mut Vec<u8>,
    row: &[Cell],
    of: &FieldOf,
    descending: bool,
    records: &Records<'_>,
) -> Result<()> {
    if of.field == Field::Whole {
        return put_cell(out, row[of.slot], descending, records);
    }
    put_value(out, &*records.value(row, of)?, descending);
    Ok(())
}
