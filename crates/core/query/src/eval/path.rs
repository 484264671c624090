//! Joins with the ends of paths.
//!
//! A path matches a pair of elements once, however many walks there are between them. No hop at all leads
//! from every element to itself: also from one that has no link of the predicate, so that it makes no
//! difference whether something else binds an end before or after.

use cairn_graph::Lookup;
use cairn_seam::Visit;

use super::Context;
use super::links::{Direction, visit_edges};
use super::reach::{Neighbours, Sides, drop_ends, is_connected, reach};
use crate::cell::Cell;
use crate::hash::{FastMap, FastSet, HashMapExt};
use crate::plan::{PathEnd, PathStep, Slot};
use crate::rows::Rows;
use crate::{QueryError, Result};

/// Starts that are followed at once: each has a set of its own.
const STARTS: usize = 256;

/// Each row with each pair of ends that fits it.
pub(super) fn path(step: &PathStep, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let mut out = Rows::new(rows.width());
    if !step.is_impossible {
        join(step, &rows, &mut out, context)?;
    }
    rows.drop_from(context.budget);
    Ok(out)
}

fn join(step: &PathStep, rows: &Rows, out: &mut Rows, context: &mut Context<'_, '_, '_>) -> Result<()> {
    context.budget.steps(u32::try_from(rows.len()).unwrap_or(u32::MAX))?;
    let from_subjects = starts(&step.subject, rows);
    let from_objects = starts(&step.object, rows);
    if step.meets
        && let (Some(subjects), Some(objects)) = (&from_subjects, &from_objects)
        && let Some(pairs) = pairs_to_connect(step, rows, subjects.len().min(objects.len()))
    {
        return connect(step, rows, pairs, out, context);
    }
    let (direction, groups) = match (from_subjects, from_objects) {
        // From the side that has fewer.
        (Some(subjects), Some(objects)) if objects.len() < subjects.len() => (Direction::In, Some(objects)),
        (Some(subjects), _) => (Direction::Out, Some(subjects)),
        (None, Some(objects)) => (Direction::In, Some(objects)),
        (None, None) => (Direction::Out, None),
    };
    let mut neighbours = Neighbours::new(step.predicate, direction, context)?;
    let everywhere = match &groups {
        Some(groups) => groups.keys().copied().collect(),
        None => all_starts(step, &mut neighbours, context)?,
    };
    let held = if groups.is_none() { everywhere.len() * size_of::<Cell>() } else { 0 };
    let everyone: Vec<u32> = if groups.is_none() { (0..).take(rows.len()).collect() } else { Vec::new() };
    let mut pairs = Pairs { step, direction, rows, scratch: vec![Cell::Null; rows.width()] };
    let mut starts: Vec<Cell> = everywhere;
    starts.retain(|start| pairs.near().tests.iter().all(|test| test.holds(*start)));
    for batch in starts.chunks(STARTS) {
        let ends = reach(batch, step.least, step.most, &mut neighbours, context)?;
        for (start, ends) in batch.iter().zip(&ends) {
            let own = groups.as_ref().map_or(&everyone, |groups| &groups[start]);
            pairs.join(*start, ends, own, out, context)?;
        }
        drop_ends(&ends, context.budget);
    }
    context.budget.release(held);
    neighbours.drop_from(context.budget);
    Ok(())
}

/// Rows by the ends that have to be connected, unless there are so many pairs for each end that it is less to
/// see where paths from one side lead.
fn pairs_to_connect(step: &PathStep, rows: &Rows, ends: usize) -> Option<FastMap<(Cell, Cell), Vec<u32>>> {
    const PAIRS_PER_END: usize = 2;
    let (subject, object) = (step.subject.slot?, step.object.slot?);
    let mut pairs: FastMap<(Cell, Cell), Vec<u32>> = FastMap::new();
    for (at, row) in (0..).zip(rows.iter()) {
        if row[subject].element().is_some() && row[object].element().is_some() {
            pairs.entry((row[subject], row[object])).or_default().push(at);
        }
    }
    (pairs.len() <= PAIRS_PER_END.saturating_mul(ends)).then_some(pairs)
}

/// Each row whose ends are connected.
fn connect(
    step: &PathStep,
    rows: &Rows,
    pairs: FastMap<(Cell, Cell), Vec<u32>>,
    out: &mut Rows,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    let mut sides = Sides {
        out: Neighbours::new(step.predicate, Direction::Out, context)?,
        into: Neighbours::new(step.predicate, Direction::In, context)?,
    };
    for ((subject, object), own) in pairs {
        if is_connected(subject, object, (step.least, step.most), &mut sides, context)? {
            for at in own {
                let at = at as usize;
                out.push(rows.row(at), rows.origin(at), context.budget)?;
            }
        }
    }
    let Sides { out: forward, into: backward } = sides;
    forward.drop_from(context.budget);
    backward.drop_from(context.budget);
    Ok(())
}

/// Rows by what they have at an end, if it is bound.
fn starts(end: &PathEnd, rows: &Rows) -> Option<FastMap<Cell, Vec<u32>>> {
    let slot: Slot = end.slot.filter(|_| end.is_bound)?;
    let mut groups: FastMap<Cell, Vec<u32>> = FastMap::new();
    for (at, row) in (0..).zip(rows.iter()) {
        if row[slot].element().is_some() {
            groups.entry(row[slot]).or_default().push(at);
        }
    }
    Some(groups)
}

/// Where paths can start from if nothing says where: at every subject of the predicate, or anywhere at all if
/// no hop is needed. They are held.
fn all_starts(
    step: &PathStep,
    neighbours: &mut Neighbours,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<Cell>> {
    neighbours.read_whole(context)?;
    if step.least == 0 {
        return everything(context);
    }
    let starts: Vec<Cell> = neighbours.starts().collect();
    context.budget.hold(starts.len() * size_of::<Cell>())?;
    Ok(starts)
}

/// All concepts and all links.
fn everything(context: &mut Context<'_, '_, '_>) -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    let mut failed: Option<QueryError> = None;
    let budget = &mut *context.budget;
    context.view.all_concepts(None, &mut |id, kind| match budget.row(size_of::<Cell>()) {
        Ok(()) => {
            cells.push(Cell::Concept(id, kind));
            Visit::Continue
        }
        Err(error) => {
            failed = Some(error.into());
            Visit::Stop
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    visit_edges(&[Lookup::All { after: None }], context, |_, edge, budget| {
        cells.push(Cell::Link(edge.link));
        budget.row(size_of::<Cell>())?;
        Ok(Visit::Continue)
    })?;
    Ok(cells)
}

/// Rows that are being made of starts and ends.
struct Pairs<'a> {
    step: &'a PathStep,
    direction: Direction,
    rows: &'a Rows,
    scratch: Vec<Cell>,
}

impl Pairs<'_> {
    /// The end that walks start from.
    fn near(&self) -> &PathEnd {
        match self.direction {
            Direction::Out => &self.step.subject,
            Direction::In => &self.step.object,
        }
    }

    /// The end that they lead to.
    fn far(&self) -> &PathEnd {
        match self.direction {
            Direction::Out => &self.step.object,
            Direction::In => &self.step.subject,
        }
    }

    fn join(
        &mut self,
        start: Cell,
        ends: &FastSet<Cell>,
        rows: &[u32],
        out: &mut Rows,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<()> {
        // A bound far end is looked for instead of trying all of them.
        if let Some(slot) = self.far().slot.filter(|_| self.far().is_bound) {
            for at in rows {
                context.budget.step()?;
                let far = self.rows.cell(*at as usize, slot);
                if ends.contains(&far) {
                    self.push(start, far, *at as usize, out, context)?;
                }
            }
            return Ok(());
        }
        for far in ends {
            context.budget.step()?;
            let is_loop_closed = !self.step.is_loop || *far == start;
            if is_loop_closed && self.far().tests.iter().all(|test| test.holds(*far)) {
                for at in rows {
                    self.push(start, *far, *at as usize, out, context)?;
                }
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        start: Cell,
        far: Cell,
        at: usize,
        out: &mut Rows,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<()> {
        self.scratch.copy_from_slice(self.rows.row(at));
        for (slot, cell) in [(self.near().slot, start), (self.far().slot, far)] {
            if let Some(slot) = slot {
                self.scratch[slot] = cell;
            }
        }
        out.push(&self.scratch, self.rows.origin(at), context.budget)?;
        Ok(())
    }
}
