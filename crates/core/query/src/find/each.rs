//! Without aggregates: one row for each combination of projected variables.

use std::collections::HashMap;
use std::collections::hash_map;

use super::encode::{put_cell, put_value};
use super::page::Entry;
use super::request::Request;
use super::{BATCH, Content};
use crate::Result;
use crate::cell::Cell;
use crate::eval::Context;
use crate::fields::{Field, FieldOf, Records};
use crate::rows::Rows;

/// The places of all rows. Of rows that agree on what is projected the one that comes first stands for them:
/// they differ only if the order is by something else.
pub(super) fn each(
    rows: Rows,
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<(Vec<Entry>, Content)> {
    let sorted: Vec<FieldOf> = request.sorted().filter(|of| of.field != Field::Whole).cloned().collect();
    let mut first: HashMap<Vec<u8>, Entry> = HashMap::new();
    for begin in (0..rows.len()).step_by(BATCH) {
        let batch = begin..(begin + BATCH).min(rows.len());
        if !sorted.is_empty() {
            context.records.load(batch.clone().map(|at| rows.row(at)), &sorted, context.budget)?;
        }
        for at in batch {
            let row = rows.row(at);
            let mut identity = Vec::new();
            for of in request.shown() {
                put_cell(&mut identity, row[of.slot], false, &context.records)?;
            }
            let place = place(row, &identity, request, &context.records)?;
            let bytes = size_of::<(Vec<u8>, Entry)>() + identity.len() + place.len();
            match first.entry(identity) {
                hash_map::Entry::Vacant(free) => {
                    context.budget.hold(bytes)?;
                    free.insert(Entry { place, at });
                }
                hash_map::Entry::Occupied(mut taken) if place < taken.get().place => {
                    context.budget.hold(place.len())?;
                    let before = taken.insert(Entry { place, at });
                    context.budget.release(before.place.len());
                }
                hash_map::Entry::Occupied(_) => {}
            }
            context.budget.step()?;
        }
    }
    Ok((first.into_values().collect(), Content::Rows(rows)))
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
