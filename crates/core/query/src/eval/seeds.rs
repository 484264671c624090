//! What a block is asked with.

use super::Context;
use crate::Result;
use crate::cell::{Cell, Numbers};
use crate::plan::Block;
use crate::rows::Rows;

/// Rows with nothing but what a block uses.
///
/// If it is asked once, rows that agree on that have the same seed; if it uses nothing, all have.
pub(super) struct Seeds {
    pub(super) seeds: Rows,
    /// The seed of each row.
    pub(super) seed_of: Vec<u32>,
}

impl Seeds {
    pub(super) fn of(inner: &Block, rows: &Rows, context: &mut Context<'_, '_, '_>) -> Result<Self> {
        let mut seeds = Rows::new(rows.width());
        let mut seed_of = Vec::with_capacity(rows.len());
        let mut numbers = Numbers::of_keys(inner.shared.len());
        let mut scratch = vec![Cell::Null; rows.width()];
        for row in rows.iter() {
            context.budget.step()?;
            // A budget never allows as many rows as there are numbers.
            let next = u32::try_from(seeds.len()).unwrap_or(u32::MAX);
            let shared = inner.shared.iter().map(|slot| row[*slot]);
            let seed = if inner.is_asked_once { *numbers.entry(shared).get_or_insert(next) } else { next };
            if seed == next {
                for slot in &inner.shared {
                    scratch[*slot] = row[*slot];
                }
                seeds.push(&scratch, seed, context.budget)?;
            }
            seed_of.push(seed);
        }
        Ok(Seeds { seeds, seed_of })
    }
}
