//! Rows that something is true of.

use super::{BATCH, Context};
use crate::Result;
use crate::filter::Filter;
use crate::rows::Rows;

/// The rows that a condition is true of.
pub(super) fn filter(filter: &Filter, mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let mut keeps = Vec::with_capacity(rows.len());
    for first in (0..rows.len()).step_by(BATCH) {
        let batch = first..(first + BATCH).min(rows.len());
        context.records.load(batch.clone().map(|at| rows.row(at)), filter.fields(), context.budget)?;
        for at in batch {
            context.budget.steps(filter.weight())?;
            keeps.push(filter.holds(
                rows.row(at),
                &context.records,
                &mut context.patterns,
                context.budget,
            )?);
        }
    }
    rows.retain(context.budget, |at, _| keeps[at]);
    Ok(rows)
}
