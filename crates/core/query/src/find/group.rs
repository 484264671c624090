//! With aggregates: one row for each combination of values of the other expressions.

use super::aggregate::Aggregates;
use super::each::put_field;
use super::encode::put_value;
use super::page::Entry;
use super::request::{Column, Request};
use super::{BATCH, Content};
use crate::Result;
use crate::cell::{Cell, Numbers};
use crate::eval::Context;
use crate::fields::{Field, FieldOf};
use crate::hash::{FastMap, HashMapExt};
use crate::rows::Rows;

/// Groups in the making. The lowest ids of a group stand for it: all have the same values of what they are
/// grouped by, but 1 and 1.0 are written differently.
pub(super) struct Groups<'r> {
    request: &'r Request,
    /// What is read of elements to group them.
    shown: Vec<FieldOf>,
    /// What is read of elements to aggregate it.
    aggregated: Vec<FieldOf>,
    /// The group of elements that were seen before: nothing has to be read to know it.
    by_cells: Numbers,
    by_identity: FastMap<Vec<u8>, u32>,
    /// One row of each.
    representatives: Rows,
    aggregates: Vec<Aggregates>,
}

impl<'r> Groups<'r> {
    pub(super) fn new(request: &'r Request, width: usize, context: &mut Context<'_, '_, '_>) -> Result<Self> {
        let is_read = |of: &&FieldOf| of.field != Field::Whole;
        let aggregated = request.aggregates.iter().map(|aggregate| &aggregate.of);
        let mut groups = Groups {
            request,
            shown: request.shown().filter(is_read).cloned().collect(),
            aggregated: aggregated.filter(is_read).cloned().collect(),
            by_cells: Numbers::of_keys(request.shown().count()),
            by_identity: FastMap::new(),
            representatives: Rows::new(width),
            aggregates: Vec::new(),
        };
        if request.is_one_group() {
            // It is there also if it has no rows.
            groups.of(Vec::new(), &vec![Cell::Null; width], context)?;
        }
        Ok(groups)
    }

    pub(super) fn add(&mut self, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<()> {
        let mut known: Vec<Option<u32>> = Vec::with_capacity(BATCH);
        for begin in (0..rows.len()).step_by(BATCH) {
            let batch = begin..(begin + BATCH).min(rows.len());
            if !self.aggregated.is_empty() {
                let cells = batch.clone().map(|at| rows.row(at));
                context.records.load(cells, &self.aggregated, context.budget)?;
            }
            known.clear();
            for at in batch.clone() {
                let cells = self.request.shown().map(|of| rows.row(at)[of.slot]);
                known.push(*self.by_cells.entry(cells));
            }
            if !self.shown.is_empty() {
                let is_new = |at: &usize| known[at - begin].is_none();
                let cells = batch.clone().filter(is_new).map(|at| rows.row(at));
                context.records.load(cells, &self.shown, context.budget)?;
            }
            for at in batch {
                context.budget.step()?;
                let row = rows.row(at);
                let group = match known[at - begin] {
                    Some(group) => group,
                    None => self.group(row, context)?,
                };
                self.aggregates[group as usize].add(row, self.request, &context.records, context.budget)?;
            }
        }
        rows.drop_from(context.budget);
        Ok(())
    }

    /// The group of a row.
    fn group(&mut self, row: &[Cell], context: &mut Context<'_, '_, '_>) -> Result<u32> {
        let key = self.request.shown().map(|of| row[of.slot]);
        if let Some(group) = self.by_cells.entry(key.clone()) {
            return Ok(*group);
        }
        let mut identity = Vec::new();
        for of in self.request.shown() {
            put_field(&mut identity, row, of, false, &context.records)?;
        }
        let group = self.of(identity, row, context)?;
        let cells = self.request.shown().count();
        context.budget.hold((1 + cells) * 2 * size_of::<Cell>())?;
        *self.by_cells.entry(key) = Some(group);
        Ok(group)
    }

    /// The group of this identity, a new one if there is none.
    fn of(&mut self, identity: Vec<u8>, row: &[Cell], context: &mut Context<'_, '_, '_>) -> Result<u32> {
        if let Some(group) = self.by_identity.get(&identity).copied() {
            self.lower(group as usize, row);
            return Ok(group);
        }
        let aggregates = Aggregates::new(self.request);
        context.budget.hold(2 * identity.len() + aggregates.bytes() + size_of::<(Vec<u8>, Entry)>())?;
        self.representatives.push(row, 0, context.budget)?;
        // A budget never allows as many rows as there are numbers.
        let group = u32::try_from(self.aggregates.len()).unwrap_or(u32::MAX);
        self.aggregates.push(aggregates);
        self.by_identity.insert(identity, group);
        Ok(group)
    }

    pub(super) fn finish(self, context: &mut Context<'_, '_, '_>) -> Result<(Vec<Entry>, Content)> {
        let Groups { request, by_identity, representatives, aggregates, .. } = self;
        let entries = places(by_identity, &representatives, &aggregates, request, context)?;
        Ok((entries, Content::Groups(representatives, aggregates)))
    }
}

impl Groups<'_> {
    /// Puts lower ids of a row in the places of those that stand for a group.
    fn lower(&mut self, group: usize, row: &[Cell]) {
        for of in self.request.shown().filter(|of| matches!(of.field, Field::Inside(..))) {
            let (new, old) = (row[of.slot], self.representatives.cell(group, of.slot));
            if new.element().is_some_and(|new| old.element().is_none_or(|old| new < old)) {
                self.representatives.put(group, of.slot, new);
            }
        }
    }
}

/// By what is sorted by, then by what groups are grouped by.
fn places(
    by_identity: FastMap<Vec<u8>, u32>,
    representatives: &Rows,
    aggregates: &[Aggregates],
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<Entry>> {
    let sorted: Vec<FieldOf> = request.sorted().cloned().collect();
    let groups: Vec<(Vec<u8>, usize)> =
        by_identity.into_iter().map(|(identity, group)| (identity, group as usize)).collect();
    let mut entries = Vec::with_capacity(groups.len());
    for batch in groups.chunks(BATCH) {
        let rows = batch.iter().map(|(_, at)| representatives.row(*at));
        context.records.load(rows, &sorted, context.budget)?;
        for (identity, at) in batch {
            context.budget.step()?;
            let mut place = Vec::with_capacity(identity.len());
            for key in &request.order {
                match &key.by {
                    Column::Field(of) => {
                        let row = representatives.row(*at);
                        put_field(&mut place, row, of, key.descending, &context.records)?;
                    }
                    Column::Aggregate(nth) => {
                        put_value(&mut place, &aggregates[*at].value(*nth), key.descending);
                    }
                }
            }
            context.budget.hold(place.len())?;
            place.extend_from_slice(identity);
            entries.push(Entry { place, at: *at });
        }
    }
    Ok(entries)
}
