//! With aggregates: one row for each combination of values of the other expressions.

use cairn_graph::TypeId;

use super::aggregate::Aggregates;
use super::each::{Top, put_field};
use super::page::Entry;
use super::places::{first_places, places};
use super::request::Request;
use super::{BATCH, Content};
use crate::Result;
use crate::cell::{Cell, Numbers};
use crate::eval::Context;
use crate::fields::{Field, FieldOf};
use crate::hash::{FastMap, HashMapExt};
use crate::plan::Slot;
use crate::rows::Rows;

/// Groups in the making. The lowest ids of a group stand for it: all have the same values of what they are
/// grouped by, but 1 and 1.0 are written differently.
pub(super) struct Groups<'r> {
    request: &'r Request,
    /// What is read of elements to group them.
    shown: Vec<FieldOf>,
    /// What is read of elements to aggregate it.
    aggregated: Vec<FieldOf>,
    /// The group of elements that were seen before: nothing has to be read to know it.
    by_cells: Numbers,
    apart: Apart,
    /// One row of each.
    representatives: Rows,
    aggregates: Vec<Aggregates>,
}

/// What tells groups apart.
enum Apart {
    /// The values that they are grouped by.
    Values(FastMap<Vec<u8>, u32>),
    /// The elements whose values they would be: concepts of one type have no name twice. So nothing has to be
    /// read of groups that are not shown.
    Elements {
        top: Top,
        /// The types of concepts by whose names is grouped, as soon as there are any.
        types: Vec<(Slot, Option<TypeId>)>,
    },
}

impl Apart {
    /// Elements, if only the first groups matter and the order can be told without what they are grouped by.
    fn of(request: &Request, top: Option<Top>) -> Self {
        let is_by_element = |of: &FieldOf| matches!(of.field, Field::Whole | Field::Name);
        let is_by_aggregates = !request.order.is_empty() && request.sorted().next().is_none();
        let mut named = request.shown().filter(|of| of.field == Field::Name).peekable();
        match top {
            Some(top) if is_by_aggregates && named.peek().is_some() && request.shown().all(is_by_element) => {
                Apart::Elements { top, types: named.map(|of| (of.slot, None)).collect() }
            }
            _ => Apart::Values(FastMap::new()),
        }
    }

    /// Whether elements tell this row apart too, if they did up to now.
    fn takes(&mut self, row: &[Cell]) -> bool {
        let Apart::Elements { types, .. } = self else { return true };
        types.iter_mut().all(|(slot, kind)| match row[*slot] {
            Cell::Concept(_, own) => *kind.get_or_insert(own) == own,
            // None of them has a name.
            Cell::Null | Cell::Link(_) | Cell::Predicate(_) => false,
        })
    }
}

impl<'r> Groups<'r> {
    /// None yet. If only the first of them matter, `top` says which.
    pub(super) fn new(
        request: &'r Request,
        width: usize,
        top: Option<Top>,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<Self> {
        let is_read = |of: &&FieldOf| of.field != Field::Whole;
        let aggregated = request.aggregates.iter().map(|aggregate| &aggregate.of);
        let mut groups = Groups {
            request,
            shown: request.shown().filter(is_read).cloned().collect(),
            aggregated: aggregated.filter(is_read).cloned().collect(),
            by_cells: Numbers::of_keys(request.shown().count()),
            apart: Apart::of(request, top),
            representatives: Rows::new(width),
            aggregates: Vec::new(),
        };
        if request.is_one_group() {
            // It is there also if it has no rows.
            groups.of_values(Vec::new(), &vec![Cell::Null; width], context)?;
        }
        Ok(groups)
    }

    pub(super) fn add(&mut self, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<()> {
        let mut known: Vec<Option<u32>> = Vec::with_capacity(BATCH);
        for begin in (0..rows.len()).step_by(BATCH) {
            let batch = begin..(begin + BATCH).min(rows.len());
            known.clear();
            for at in batch.clone() {
                let cells = self.request.shown().map(|of| rows.row(at)[of.slot]);
                known.push(*self.by_cells.entry(cells));
            }
            let is_new = |at: &usize| known[at - begin].is_none();
            let new = batch.clone().filter(is_new).map(|at| rows.row(at));
            if !new.clone().all(|row| self.apart.takes(row)) {
                self.read_values(context)?;
            }
            context.records.make_room(context.budget);
            let all = batch.clone().map(|at| rows.row(at));
            context.records.load_more(all, &self.aggregated, context.budget)?;
            if matches!(self.apart, Apart::Values(_)) {
                context.records.load_more(new, &self.shown, context.budget)?;
            }
            for at in batch {
                context.budget.step()?;
                let row = rows.row(at);
                let group = match known[at - begin] {
                    Some(group) => group,
                    None => self.group(row, context)?,
                };
                self.aggregates[group as usize].add(row, self.request, &context.records, context.budget)?;
            }
        }
        rows.drop_from(context.budget);
        Ok(())
    }

    /// The group of a row.
    fn group(&mut self, row: &[Cell], context: &mut Context<'_, '_, '_>) -> Result<u32> {
        let key = self.request.shown().map(|of| row[of.slot]);
        if let Some(group) = self.by_cells.entry(key.clone()) {
            return Ok(*group);
        }
        let group = match &self.apart {
            Apart::Elements { .. } => self.add_group(row, 0, context)?,
            Apart::Values(_) => self.of_values(identity(row, self.request, context)?, row, context)?,
        };
        let cells = self.request.shown().count();
        context.budget.hold((1 + cells) * 2 * size_of::<Cell>())?;
        *self.by_cells.entry(key) = Some(group);
        Ok(group)
    }

    /// The group of these values, a new one if there is none.
    fn of_values(
        &mut self,
        identity: Vec<u8>,
        row: &[Cell],
        context: &mut Context<'_, '_, '_>,
    ) -> Result<u32> {
        let known = match &self.apart {
            Apart::Values(groups) => groups.get(&identity).copied(),
            Apart::Elements { .. } => None,
        };
        if let Some(group) = known {
            self.lower(group as usize, row);
            return Ok(group);
        }
        let group = self.add_group(row, bytes_of(&identity), context)?;
        if let Apart::Values(groups) = &mut self.apart {
            groups.insert(identity, group);
        }
        Ok(group)
    }

    /// A group that a row stands for, and so many bytes that it is told apart by.
    fn add_group(&mut self, row: &[Cell], bytes: usize, context: &mut Context<'_, '_, '_>) -> Result<u32> {
        let aggregates = Aggregates::new(self.request);
        context.budget.hold(bytes + aggregates.bytes())?;
        self.representatives.push(row, 0, context.budget)?;
        self.aggregates.push(aggregates);
        // A budget never allows as many rows as there are numbers.
        Ok(u32::try_from(self.aggregates.len() - 1).unwrap_or(u32::MAX))
    }

    /// Elements do not tell groups apart any longer: their values do.
    fn read_values(&mut self, context: &mut Context<'_, '_, '_>) -> Result<()> {
        let mut groups = FastMap::new();
        for begin in (0..self.representatives.len()).step_by(BATCH) {
            let batch = begin..(begin + BATCH).min(self.representatives.len());
            let rows = batch.clone().map(|at| self.representatives.row(at));
            context.records.load(rows, &self.shown, context.budget)?;
            for (at, group) in batch.zip((0..).skip(begin)) {
                context.budget.step()?;
                let identity = identity(self.representatives.row(at), self.request, context)?;
                context.budget.hold(bytes_of(&identity))?;
                groups.insert(identity, group);
            }
        }
        self.apart = Apart::Values(groups);
        Ok(())
    }

    pub(super) fn finish(self, context: &mut Context<'_, '_, '_>) -> Result<(Vec<Entry>, Content)> {
        let Groups { request, apart, shown, representatives, aggregates, .. } = self;
        let entries = match apart {
            Apart::Values(groups) => places(groups, &representatives, &aggregates, request, context)?,
            Apart::Elements { top, .. } => {
                first_places(&top, &shown, &representatives, &aggregates, request, context)?
            }
        };
        Ok((entries, Content::Groups(representatives, aggregates)))
    }
}

impl Groups<'_> {
    /// Puts lower ids of a row in the places of those that stand for a group.
    fn lower(&mut self, group: usize, row: &[Cell]) {
        for of in self.request.shown().filter(|of| matches!(of.field, Field::Inside(..))) {
            let (new, old) = (row[of.slot], self.representatives.cell(group, of.slot));
            if new.element().is_some_and(|new| old.element().is_none_or(|old| new < old)) {
                self.representatives.put(group, of.slot, new);
            }
        }
    }
}

/// What a row is grouped by, as bytes; its fields were loaded.
pub(super) fn identity(row: &[Cell], request: &Request, context: &Context<'_, '_, '_>) -> Result<Vec<u8>> {
    let mut identity = Vec::new();
    for of in request.shown() {
        put_field(&mut identity, row, of, false, &context.records)?;
    }
    Ok(identity)
}

/// What a group takes that is told apart by values.
fn bytes_of(identity: &[u8]) -> usize {
    2 * identity.len() + size_of::<(Vec<u8>, Entry)>()
}
