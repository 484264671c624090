//! UNION: rows of a branch beside those there are, each once.

use super::{Context, block};
use crate::Result;
use crate::cell::Cell;
use crate::hash::{FastMap, FastSet, HashMapExt, HashSetExt};
use crate::plan::{Slot, Union};
use crate::rows::Rows;

/// The rows there are and those of the branch, joined with the rows that the block came from.
pub(super) fn union(
    union: &Union,
    rows: Rows,
    seeds: &Rows,
    context: &mut Context<'_, '_, '_>,
) -> Result<Rows> {
    let branch = block(&union.branch, asked_with(union, seeds, context)?, context)?;
    let mut out = Distinct::new(rows.width(), &union.visible);
    if !union.is_first {
        for at in 0..rows.len() {
            out.add(rows.row(at), rows.origin(at), context)?;
        }
    }
    rows.drop_from(context.budget);
    join(&branch, seeds, &union.agree_on, &mut out, context)?;
    branch.drop_from(context.budget);
    out.finish(context)
}

/// What the branch is asked with: nothing, or each combination of its keys from outside.
fn asked_with(union: &Union, seeds: &Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if union.keys.is_empty() {
        return Ok(Rows::unit(seeds.width()));
    }
    let mut seen: FastSet<Vec<Cell>> = FastSet::new();
    let mut asked = Rows::new(seeds.width());
    let mut scratch = vec![Cell::Null; seeds.width()];
    for row in seeds.iter() {
        context.budget.step()?;
        let key: Vec<Cell> = union.keys.iter().map(|slot| row[*slot]).collect();
        // Null agrees with nothing.
        if key.contains(&Cell::Null) || !seen.insert(key) {
            continue;
        }
        for slot in &union.keys {
            scratch[*slot] = row[*slot];
        }
        asked.push(&scratch, 0, context.budget)?;
    }
    Ok(asked)
}

/// Adds each row of the branch together with each row from outside that it agrees with.
fn join(
    branch: &Rows,
    seeds: &Rows,
    agree_on: &[Slot],
    out: &mut Distinct<'_>,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    let key = |row: &[Cell]| -> Option<Vec<Cell>> {
        let key: Vec<Cell> = agree_on.iter().map(|slot| row[*slot]).collect();
        // Null agrees with nothing.
        (!key.contains(&Cell::Null)).then_some(key)
    };
    let mut by_key: FastMap<Vec<Cell>, Vec<usize>> = FastMap::new();
    for at in 0..seeds.len() {
        context.budget.step()?;
        if let Some(key) = key(seeds.row(at)) {
            by_key.entry(key).or_default().push(at);
        }
    }
    let mut scratch = Vec::with_capacity(branch.width());
    for row in branch.iter() {
        context.budget.step()?;
        let Some(fitting) = key(row).and_then(|key| by_key.get(&key)) else { continue };
        for at in fitting {
            scratch.clear();
            scratch.extend(
                seeds.row(*at).iter().zip(row).map(|(seed, own)| if own.is_null() { seed } else { own }),
            );
            out.add(&scratch, seeds.origin(*at), context)?;
        }
    }
    Ok(())
}

/// Rows that differ in what is visible.
struct Distinct<'a> {
    rows: Rows,
    visible: &'a [Slot],
    seen: FastSet<(u32, Vec<Cell>)>,
}

impl<'a> Distinct<'a> {
    fn new(width: usize, visible: &'a [Slot]) -> Self {
        Distinct { rows: Rows::new(width), visible, seen: FastSet::new() }
    }

    fn add(&mut self, row: &[Cell], origin: u32, context: &mut Context<'_, '_, '_>) -> Result<()> {
        context.budget.step()?;
        let key: Vec<Cell> = self.visible.iter().map(|slot| row[*slot]).collect();
        if self.seen.insert((origin, key)) {
            context.budget.hold(self.key_bytes())?;
            self.rows.push(row, origin, context.budget)?;
        }
        Ok(())
    }

    fn finish(self, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
        context.budget.release(self.seen.len() * self.key_bytes());
        Ok(self.rows)
    }

    fn key_bytes(&self) -> usize {
        size_of::<(u32, Vec<Cell>)>() + self.visible.len() * size_of::<Cell>()
    }
}
