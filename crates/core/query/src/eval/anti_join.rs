//! NOT: rows that find something go.

use std::collections::HashMap;

use super::{Context, block};
use crate::Result;
use crate::cell::Cell;
use crate::plan::Block;
use crate::rows::Rows;

/// The rows that the block finds nothing for.
///
/// It is asked once for all rows that agree on what it uses; if it uses nothing, once for all.
pub(super) fn anti_join(inner: &Block, mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    let mut keys: HashMap<Vec<Cell>, u32> = HashMap::new();
    let mut seeds = Rows::new(rows.width());
    let mut seed_of = Vec::with_capacity(rows.len());
    let mut scratch = vec![Cell::Null; rows.width()];
    for row in rows.iter() {
        context.budget.step()?;
        let key: Vec<Cell> = inner.shared.iter().map(|slot| row[*slot]).collect();
        // A budget never allows as many rows as there are numbers.
        let next = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        let seed = *keys.entry(key).or_insert(next);
        if seed == next {
            for slot in &inner.shared {
                scratch[*slot] = row[*slot];
            }
            seeds.push(&scratch, seed, context.budget)?;
        }
        seed_of.push(seed as usize);
    }
    let mut is_found = vec![false; seeds.len()];
    let found = block(inner, seeds, context)?;
    for at in 0..found.len() {
        is_found[found.origin(at) as usize] = true;
    }
    found.drop_from(context.budget);
    rows.retain(context.budget, |at, _| !is_found[seed_of[at]]);
    Ok(rows)
}
