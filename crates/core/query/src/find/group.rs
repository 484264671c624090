//! With aggregates: one row for each combination of values of the other expressions.

use std::collections::HashMap;

use super::aggregate::Aggregates;
use super::each::put_field;
use super::encode::put_value;
use super::page::Entry;
use super::request::{Column, Request};
use super::{BATCH, Content};
use crate::Result;
use crate::cell::Cell;
use crate::eval::Context;
use crate::fields::{Field, FieldOf};
use crate::rows::Rows;

/// The places of all groups. The lowest ids of a group stand for it: all have the same values of what they are
/// grouped by, but 1 and 1.0 are written differently.
pub(super) fn groups(
    rows: Rows,
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<(Vec<Entry>, Content)> {
    let fields: Vec<FieldOf> = request.fields().cloned().collect();
    let mut groups = Groups::new(&rows, request);
    if request.is_one_group() {
        // It is there also if it has no rows.
        groups.of(Vec::new(), &vec![Cell::Null; rows.width()], context)?;
    }
    for begin in (0..rows.len()).step_by(BATCH) {
        let batch = begin..(begin + BATCH).min(rows.len());
        if !fields.is_empty() {
            context.records.load(batch.clone().map(|at| rows.row(at)), &fields, context.budget)?;
        }
        for at in batch {
            context.budget.step()?;
            let row = rows.row(at);
            let mut identity = Vec::new();
            for of in request.shown() {
                put_field(&mut identity, row, of, false, &context.records)?;
            }
            let group = groups.of(identity, row, context)?;
            groups.aggregates[group].add(row, request, &context.records, context.budget)?;
        }
    }
    let Groups { by_identity, representatives, aggregates, .. } = groups;
    rows.drop_from(context.budget);
    let entries = places(by_identity, &representatives, &aggregates, request, context)?;
    Ok((entries, Content::Groups(representatives, aggregates)))
}

/// Groups in the making.
struct Groups<'a> {
    request: &'a Request,
    by_identity: HashMap<Vec<u8>, usize>,
    /// One row of each.
    representatives: Rows,
    aggregates: Vec<Aggregates>,
}

impl<'a> Groups<'a> {
    fn new(rows: &Rows, request: &'a Request) -> Self {
        Groups {
            request,
            by_identity: HashMap::new(),
            representatives: Rows::new(rows.width()),
            aggregates: Vec::new(),
        }
    }

    /// The group of this identity, a new one if there is none.
    fn of(&mut self, identity: Vec<u8>, row: &[Cell], context: &mut Context<'_, '_, '_>) -> Result<usize> {
        if let Some(group) = self.by_identity.get(&identity).copied() {
            self.lower(group, row);
            return Ok(group);
        }
        let aggregates = Aggregates::new(self.request);
        context.budget.hold(2 * identity.len() + aggregates.bytes() + size_of::<(Vec<u8>, Entry)>())?;
        self.representatives.push(row, 0, context.budget)?;
        self.aggregates.push(aggregates);
        self.by_identity.insert(identity, self.aggregates.len() - 1);
        Ok(self.aggregates.len() - 1)
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
    by_identity: HashMap<Vec<u8>, usize>,
    representatives: &Rows,
    aggregates: &[Aggregates],
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<Entry>> {
    let sorted: Vec<FieldOf> = request.sorted().cloned().collect();
    let groups: Vec<(Vec<u8>, usize)> = by_identity.into_iter().collect();
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
