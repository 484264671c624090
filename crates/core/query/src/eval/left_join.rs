//! OPTIONAL: rows that find nothing stay as they are, with nulls for what the block binds.

use super::{Context, block};
use crate::Result;
use crate::plan::Block;
use crate::rows::Rows;

/// What the block makes of each row, or the row itself.
pub(super) fn left_join(inner: &Block, mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    if inner.shared.is_empty() {
        return everywhere(inner, rows, context);
    }
    let before = rows.renumber();
    let seeds = rows.copy(context.budget)?;
    let mut found = block(inner, seeds, context)?;
    let mut is_found = vec![false; rows.len()];
    for at in 0..found.len() {
        is_found[found.origin(at) as usize] = true;
    }
    for (at, is_found) in is_found.iter().enumerate() {
        if !is_found {
            found.push(rows.row(at), rows.origin(at), context.budget)?;
        }
    }
    found.trace_back(&before);
    rows.drop_from(context.budget);
    Ok(found)
}

/// A block that uses nothing from outside finds the same for every row.
fn everywhere(inner: &Block, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let found = block(inner, Rows::unit(rows.width()), context)?;
    if found.is_empty() {
        return Ok(rows);
    }
    let mut out = Rows::new(rows.width());
    let mut scratch = Vec::with_capacity(rows.width());
    for at in 0..rows.len() {
        for new in found.iter() {
            scratch.clear();
            // No place is bound on both sides.
            scratch.extend(
                rows.row(at).iter().zip(new).map(|(old, new)| if new.is_null() { *old } else { *new }),
            );
            out.push(&scratch, rows.origin(at), context.budget)?;
        }
    }
    found.drop_from(context.budget);
    rows.drop_from(context.budget);
    Ok(out)
}
