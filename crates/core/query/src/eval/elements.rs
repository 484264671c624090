//! Concepts and links that something is asked of themselves.

use cairn_graph::{ConceptId, RecordView, TypeId};
use cairn_seam::Visit;

use super::{BATCH, Context};
use crate::cell::Cell;
use crate::fields::Scanned;
use crate::plan::{ElementStep, IndexScan, Slot, Test};
use crate::rows::Rows;
use crate::{QueryError, Result};

/// Each row with each element that the tests and filters let through.
pub(super) fn elements(step: &ElementStep, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let (found, held) = match step.tests.first() {
        None => return Ok(rows),
        Some(Test::OneOf(cells)) => {
            let passes = |cell: &Cell| step.tests.iter().all(|test| test.holds(*cell));
            (cells.iter().copied().filter(passes).collect(), 0)
        }
        Some(Test::Type(kind)) => {
            let page = match &step.index {
                None => of_type(step, *kind, None, usize::MAX, rows.width(), context)?,
                Some(scan) => of_index(step, *kind, scan, rows.width(), context)?,
            };
            let held = page.held();
            (page.cells, held)
        }
    };
    let mut out = Rows::new(rows.width());
    let mut scratch = vec![Cell::Null; rows.width()];
    for cell in found {
        for at in 0..rows.len() {
            scratch.copy_from_slice(rows.row(at));
            scratch[step.slot] = cell;
            out.push(&scratch, rows.origin(at), context.budget)?;
        }
    }
    context.budget.release(held);
    rows.drop_from(context.budget);
    Ok(out)
}

/// The rows in which a place passes the tests. Null passes none.
pub(super) fn check(slot: Slot, tests: &[Test], mut rows: Rows, context: &mut Context<'_, '_, '_>) -> Rows {
    rows.retain(context.budget, |_, row| tests.iter().all(|test| test.holds(row[slot])));
    rows
}

/// Some concepts of a type.
pub(super) struct Page {
    pub(super) cells: Vec<Cell>,
    /// The last one that was looked at, if there may be more.
    pub(super) last: Option<ConceptId>,
}

impl Page {
    /// What it holds of the budget.
    pub(super) fn held(&self) -> usize {
        self.cells.len() * size_of::<Cell>()
    }
}

/// Concepts of a type that tests and filters let through. Their records pass by, so what will be asked of them
/// later is kept.
pub(super) fn of_type(
    step: &ElementStep,
    kind: TypeId,
    after: Option<ConceptId>,
    cells_max: usize,
    width: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<Page> {
    let view = context.view;
    let mut sieve = Sieve::new(step, kind, width, context);
    view.concepts_of_type(kind, after, &mut |id: ConceptId, record| {
        if !sieve.take(id, &record) {
            return Visit::Stop;
        }
        if sieve.page.cells.len() < cells_max {
            return Visit::Continue;
        }
        sieve.page.last = Some(id);
        Visit::Stop
    })?;
    sieve.finish()
}

/// The concepts that a part of an index has, in the order of their numbers.
fn of_index(
    step: &ElementStep,
    kind: TypeId,
    scan: &IndexScan,
    width: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<Page> {
    let mut ids: Vec<ConceptId> = Vec::new();
    let (low, high) = (scan.low.as_ref().map(Vec::as_slice), scan.high.as_ref().map(Vec::as_slice));
    context.view.indexed(&scan.index, low, high, false, &mut |id, _| {
        ids.push(id);
        Visit::Continue
    })?;
    ids.sort_unstable();
    by_ids(step, kind, &ids, width, context)
}

/// Those of some concepts that tests and filters let through.
pub(super) fn by_ids(
    step: &ElementStep,
    kind: TypeId,
    ids: &[ConceptId],
    width: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<Page> {
    let view = context.view;
    let wanted: Vec<(ConceptId, TypeId)> = ids.iter().map(|id| (*id, kind)).collect();
    let mut sieve = Sieve::new(step, kind, width, context);
    for (batch, wanted) in wanted.chunks(BATCH).enumerate() {
        let mut is_going_on = true;
        view.concept_views(wanted, &mut |place, record| {
            if let Some(record) = record.filter(|_| is_going_on) {
                is_going_on = sieve.take(ids[batch * BATCH + place], &record);
            }
        })?;
        if !is_going_on {
            break;
        }
    }
    sieve.finish()
}

/// Lets through what tests and filters do.
struct Sieve<'s, 'c, 'v, 'b> {
    step: &'s ElementStep,
    kind: TypeId,
    row: Vec<Cell>,
    keeps: bool,
    scanned: Scanned,
    context: &'s mut Context<'c, 'v, 'b>,
    page: Page,
    failed: Option<QueryError>,
}

impl<'s, 'c, 'v, 'b> Sieve<'s, 'c, 'v, 'b> {
    fn new(step: &'s ElementStep, kind: TypeId, width: usize, context: &'s mut Context<'c, 'v, 'b>) -> Self {
        Sieve {
            step,
            kind,
            row: vec![Cell::Null; width],
            keeps: context.records.expects(step.slot),
            scanned: Scanned::new(&context.records, &step.filters),
            context,
            page: Page { cells: Vec::new(), last: None },
            failed: None,
        }
    }

    /// Looks at a concept, and says whether to go on.
    fn take(&mut self, id: ConceptId, record: &RecordView<'_>) -> bool {
        match self.look(id, record) {
            Ok(()) => true,
            Err(error) => {
                self.failed = Some(error);
                false
            }
        }
    }

    fn look(&mut self, id: ConceptId, record: &RecordView<'_>) -> Result<()> {
        let Context { budget, records, patterns, .. } = &mut *self.context;
        let cell = Cell::Concept(id, self.kind);
        budget.step()?;
        if !self.step.tests.iter().all(|test| test.holds(cell)) {
            return Ok(());
        }
        if !self.step.filters.is_empty() {
            self.row[self.step.slot] = cell;
            self.scanned.look(cell, record, records)?;
            for filter in &self.step.filters {
                budget.steps(filter.weight())?;
                if !filter.holds(&self.row, &self.scanned.beside(records), patterns, budget)? {
                    return Ok(());
                }
            }
        }
        budget.hold(size_of::<Cell>())?;
        self.page.cells.push(cell);
        if self.keeps { records.keep(id, record, &mut self.scanned, budget) } else { Ok(()) }
    }

    fn finish(self) -> Result<Page> {
        self.failed.map_or(Ok(self.page), Err)
    }
}
