//! NOT: rows that find something go.

use super::seeds::Seeds;
use super::{Context, block};
use crate::Result;
use crate::plan::Block;
use crate::rows::Rows;

/// The rows that the block finds nothing for.
pub(super) fn anti_join(inner: &Block, mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    let Seeds { seeds, seed_of } = Seeds::of(inner, &rows, context)?;
    let mut is_found = vec![false; seeds.len()];
    let found = block(inner, seeds, context)?;
    for at in 0..found.len() {
        is_found[found.origin(at) as usize] = true;
    }
    found.drop_from(context.budget);
    rows.retain(context.budget, |at, _| !is_found[seed_of[at] as usize]);
    Ok(rows)
}
