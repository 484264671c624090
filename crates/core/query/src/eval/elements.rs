//! Concepts and links that something is asked of themselves.

use cairn_graph::{ConceptId, TypeId};
use cairn_seam::Visit;

use super::Context;
use crate::cell::Cell;
use crate::plan::{Slot, Test};
use crate::rows::Rows;
use crate::{QueryError, Result};

/// Each row with each element that the tests let through.
pub(super) fn elements(
    slot: Slot,
    tests: &[Test],
    rows: Rows,
    context: &mut Context<'_, '_, '_>,
) -> Result<Rows> {
    let Some((first, others)) = tests.split_first() else { return Ok(rows) };
    let found = match first {
        Test::OneOf(cells) => cells.clone(),
        Test::Type(kind) => of_type(*kind, slot, context)?,
    };
    let held = found.len() * size_of::<Cell>();
    let mut out = Rows::new(rows.width());
    let mut scratch = vec![Cell::Null; rows.width()];
    for cell in found.into_iter().filter(|cell| others.iter().all(|test| test.holds(*cell))) {
        for at in 0..rows.len() {
            scratch.copy_from_slice(rows.row(at));
            scratch[slot] = cell;
            out.push(&scratch, rows.origin(at), context.budget)?;
        }
    }
    if let Test::Type(_) = first {
        context.budget.release(held);
    }
    rows.drop_from(context.budget);
    Ok(out)
}

/// The rows in which a place passes the tests. Null passes none.
pub(super) fn check(slot: Slot, tests: &[Test], mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Rows {
    rows.retain(context.budget, |_, row| tests.iter().all(|test| test.holds(row[slot])));
    rows
}

/// All concepts of a type. Their records pass by, so what a FILTER will ask of them is kept.
fn of_type(kind: TypeId, slot: Slot, context: &mut Context<'_, '_, '_>) -> Result<Vec<Cell>> {
    let mut found = Vec::new();
    let mut failed: Option<QueryError> = None;
    let Context { view, budget, records, .. } = context;
    let keeps = records.expects(slot);
    view.concepts_of_type(kind, None, &mut |id: ConceptId, record| {
        let counted = budget.step().and_then(|()| budget.hold(size_of::<Cell>())).map_err(QueryError::from);
        let kept = counted.and_then(|()| if keeps { records.keep(id, &record, budget) } else { Ok(()) });
        if let Err(error) = kept {
            failed = Some(error);
            return Visit::Stop;
        }
        found.push(Cell::Concept(id, kind));
        Visit::Continue
    })?;
    failed.map_or(Ok(found), Err)
}
