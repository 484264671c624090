//! Fields of a record that passes by: nothing is kept of those that nobody wants.

use std::borrow::Cow;
use std::sync::Arc;

use cairn_base::Value;
use cairn_graph::RecordView;

use super::{Field, FieldOf, Fields, Records};
use crate::Result;
use crate::cell::Cell;
use crate::filter::Filter;

/// What filters want to know of the record of a concept.
pub(crate) struct Scanned {
    /// Which of all fields they ask for.
    wanted: Vec<usize>,
    cell: Cell,
    /// The values of all fields; null for those that nobody has asked for yet.
    pub(super) values: Vec<Value>,
}

impl Scanned {
    pub(crate) fn new(records: &Records<'_>, filters: &[Arc<Filter>]) -> Self {
        let fields = filters.iter().flat_map(|filter| filter.fields());
        // The others are no part of a record.
        let fields = fields.filter(|of| matches!(of.field, Field::Name | Field::Inside(..)));
        let mut wanted: Vec<usize> = fields.filter_map(|of| records.place(&of.field)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        Scanned { wanted, cell: Cell::Null, values: Vec::new() }
    }

    /// Looks at the record of a concept.
    pub(crate) fn look(&mut self, cell: Cell, record: &RecordView<'_>, records: &Records<'_>) -> Result<()> {
        self.cell = cell;
        self.values.clear();
        self.values.resize(records.width(), Value::Null);
        for at in &self.wanted {
            self.values[*at] = records.read_field(record, *at)?;
        }
        Ok(())
    }

    /// The fields that no filter has asked for.
    pub(super) fn has(&self, at: usize) -> bool {
        self.wanted.contains(&at)
    }

    /// The record beside everything else that is known.
    pub(crate) fn beside<'a, 'v>(&'a self, records: &'a Records<'v>) -> Beside<'a, 'v> {
        Beside { scanned: self, records }
    }
}

/// See [`Scanned::beside`].
pub(crate) struct Beside<'a, 'v> {
    scanned: &'a Scanned,
    records: &'a Records<'v>,
}

impl Fields for Beside<'_, '_> {
    fn value(&self, row: &[Cell], of: &FieldOf) -> Result<Cow<'_, Value>> {
        let at = self.records.place(&of.field).filter(|at| self.scanned.has(*at));
        match at {
            Some(at) if row[of.slot] == self.scanned.cell => Ok(Cow::Borrowed(&self.scanned.values[at])),
            _ => self.records.value(row, of),
        }
    }
}
