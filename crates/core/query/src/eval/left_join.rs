//! OPTIONAL: rows that find nothing stay as they are, with nulls for what the block binds.

use super::seeds::Seeds;
use super::{Context, block};
use crate::Result;
use crate::cell::Cell;
use crate::plan::Block;
use crate::rows::Rows;

/// What the block makes of each row, or the row itself.
pub(super) fn left_join(inner: &Block, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    let Seeds { seeds, seed_of } = Seeds::of(inner, &rows, context)?;
    let count = seeds.len();
    let found = block(inner, seeds, context)?;
    let (starts, by_seed) = sorted_by_seed(&found, count);
    let mut out = Rows::new(rows.width());
    let mut scratch: Vec<Cell> = Vec::with_capacity(rows.width());
    for (at, seed) in seed_of.iter().enumerate() {
        let (row, origin) = (rows.row(at), rows.origin(at));
        let own = &by_seed[starts[*seed as usize]..starts[*seed as usize + 1]];
        if own.is_empty() {
            out.push(row, origin, context.budget)?;
        }
        for new in own {
            scratch.clear();
            // Where both have something it is the same.
            let new = found.row(*new as usize);
            scratch.extend(row.iter().zip(new).map(|(old, new)| if new.is_null() { *old } else { *new }));
            out.push(&scratch, origin, context.budget)?;
        }
    }
    found.drop_from(context.budget);
    rows.drop_from(context.budget);
    Ok(out)
}

/// What was found by the seed that it was made from, and where each seed's begins.
fn sorted_by_seed(found: &Rows, seeds: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; seeds + 1];
    for at in 0..found.len() {
        starts[found.origin(at) as usize + 1] += 1;
    }
    for seed in 0..seeds {
        starts[seed + 1] += starts[seed];
    }
    let mut by_seed = vec![0; found.len()];
    let mut next = starts.clone();
    for (number, at) in (0..).zip(0..found.len()) {
        let place = &mut next[found.origin(at) as usize];
        by_seed[*place] = number;
        *place += 1;
    }
    (starts, by_seed)
}
