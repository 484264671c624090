//! The places of groups in the order of an answer.

use super::BATCH;
use super::aggregate::Aggregates;
use super::each::{Top, put_field};
use super::encode::put_value;
use super::group::identity;
use super::page::Entry;
use super::request::{Column, Request};
use crate::Result;
use crate::eval::Context;
use crate::fields::FieldOf;
use crate::hash::FastMap;
use crate::rows::Rows;

/// By what is sorted by, then by what groups are grouped by.
pub(super) fn places(
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

/// The places of the groups that may be among the first. The order is by aggregates alone; what groups are grouped
/// by is read only where those are equal.
pub(super) fn first_places(
    top: &Top,
    shown: &[FieldOf],
    representatives: &Rows,
    aggregates: &[Aggregates],
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<Entry>> {
    let mut entries = Vec::with_capacity(aggregates.len());
    // As many as are needed, and those of which only their names tell whether they were shown before.
    let mut count = top.count;
    for (at, own) in aggregates.iter().enumerate() {
        context.budget.step()?;
        let mut place = Vec::new();
        for key in &request.order {
            if let Column::Aggregate(nth) = &key.by {
                put_value(&mut place, &own.value(*nth), key.descending);
            }
        }
        if let Some(after) = &top.after {
            let before = &after[..place.len().min(after.len())];
            if place.as_slice() < before {
                continue;
            }
            count += usize::from(place == before);
        }
        context.budget.hold(size_of::<Entry>() + place.len())?;
        entries.push(Entry { place, at });
    }
    if entries.len() > count {
        let (_, last, _) = entries.select_nth_unstable_by(count - 1, |a, b| a.place.cmp(&b.place));
        let last = last.place.clone();
        entries.retain(|entry| entry.place <= last);
    }
    for batch in entries.chunks_mut(BATCH) {
        let rows = batch.iter().map(|entry| representatives.row(entry.at));
        context.records.load(rows, shown, context.budget)?;
        for Entry { place, at } in batch {
            context.budget.step()?;
            let identity = identity(representatives.row(*at), request, context)?;
            context.budget.hold(identity.len())?;
            place.extend_from_slice(&identity);
        }
    }
    Ok(entries)
}
