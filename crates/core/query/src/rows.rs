//! Intermediate results: a bag of rows of equal width.

use cairn_kip::KipError;

use crate::Budget;
use crate::cell::Cell;
use crate::plan::Slot;

/// Rows, one after the other in one piece of memory.
///
/// Each row remembers which row of the block's input it was made from: that is how OPTIONAL and NOT know
/// which of their rows found something.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    width: usize,
    cells: Vec<Cell>,
    origins: Vec<u32>,
}

impl Rows {
    pub(crate) fn new(width: usize) -> Self {
        Rows { width, cells: Vec::new(), origins: Vec::new() }
    }

    /// The one row that nothing is bound in: what every pattern starts from.
    pub(crate) fn unit(width: usize) -> Self {
        Rows { width, cells: vec![Cell::Null; width], origins: vec![0] }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn len(&self) -> usize {
        self.origins.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    pub(crate) fn row(&self, at: usize) -> &[Cell] {
        &self.cells[at * self.width..(at + 1) * self.width]
    }

    pub(crate) fn cell(&self, at: usize, slot: Slot) -> Cell {
        self.cells[at * self.width + slot]
    }

    pub(crate) fn put(&mut self, at: usize, slot: Slot, cell: Cell) {
        self.cells[at * self.width + slot] = cell;
    }

    pub(crate) fn origin(&self, at: usize) -> u32 {
        self.origins[at]
    }

    /// Behind the last row of the block's input that a row was made from.
    pub(crate) fn origins_end(&self) -> usize {
        self.origins.iter().max().map_or(0, |last| *last as usize + 1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Cell]> {
        (0..self.len()).map(|at| self.row(at))
    }

    /// Adds a row, and counts it.
    pub(crate) fn push(
        &mut self,
        row: &[Cell],
        origin: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), KipError> {
        budget.row(self.row_bytes())?;
        self.cells.extend_from_slice(row);
        self.origins.push(origin);
        Ok(())
    }

    /// Adds a row of others, which was counted when it was made.
    pub(crate) fn keep(&mut self, row: &[Cell], budget: &mut Budget<'_>) -> Result<(), KipError> {
        budget.hold(self.row_bytes())?;
        self.cells.extend_from_slice(row);
        self.origins.push(0);
        Ok(())
    }

    /// Keeps the rows that `keeps` says so of, in order, and gives back what the others held.
    pub(crate) fn retain(&mut self, budget: &mut Budget<'_>, mut keeps: impl FnMut(usize, &[Cell]) -> bool) {
        let before = self.bytes();
        let mut kept = 0;
        for at in 0..self.len() {
            if !keeps(at, self.row(at)) {
                continue;
            }
            if kept != at {
                self.cells.copy_within(at * self.width..(at + 1) * self.width, kept * self.width);
                self.origins[kept] = self.origins[at];
            }
            kept += 1;
        }
        self.cells.truncate(kept * self.width);
        self.origins.truncate(kept);
        budget.release(before - self.bytes());
    }

    /// What the rows hold, as it was counted.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * self.row_bytes()
    }

    /// Gives back what the rows held.
    pub(crate) fn drop_from(self, budget: &mut Budget<'_>) {
        budget.release(self.bytes());
    }

    /// A copy, which counts too.
    pub(crate) fn copy(&self, budget: &mut Budget<'_>) -> Result<Self, KipError> {
        budget.hold(self.bytes())?;
        Ok(self.clone())
    }

    fn row_bytes(&self) -> usize {
        self.width * size_of::<Cell>() + size_of::<u32>()
    }
}
