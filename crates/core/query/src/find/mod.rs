//! FIND: from rows to an answer.
//!
//! Without aggregates, rows that agree on all projected variables are one. With them, rows that agree on the
//! values of all other expressions are a group. Then everything has one place in a total order, so that a page
//! begins behind where another ended, whatever was written in between.

mod aggregate;
mod cursor;
mod each;
mod encode;
mod exact;
mod explain;
mod gather;
mod group;
mod page;
mod places;
mod request;
mod shape;
mod sum;

use cairn_base::Value;
use cairn_graph::{Statistic, View, Wish};
use cairn_kip::tree::{Find, Function};
use cairn_kip::{KipCode, KipError};

use crate::cell::Cell;
use crate::eval::Context;
use crate::fields::{Field, FieldOf, Fields, Records, value_bytes};
use crate::optimize::{Pass, counted, filter_beside, filter_by_index, wishes};
use crate::plan::Plan;
use crate::rows::Rows;
use crate::{Budget, Options, Result, limits};
use aggregate::Aggregates;
use cursor::Position;
use gather::{Gathering, Order, Shown};
use page::Entry;
use request::{Column, Request};
use shape::row_bytes;

pub use explain::explain;
pub use shape::Shape;
pub(crate) use shape::{fitting, item_bytes};

/// Rows whose fields are read at once.
const BATCH: usize = 1024;

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What was asked for.
    pub result: Value,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
    /// Indexes that would have been used if there were any.
    pub wishes: Vec<Wish>,
}

impl From<Value> for Found {
    fn from(result: Value) -> Self {
        Found { result, ..Found::default() }
    }
}

/// What the rows of an answer are made of.
enum Content {
    Rows(Rows),
    /// Groups, and the rows that stand for them.
    Groups(Rows, Vec<Aggregates>),
}

/// Answers a FIND over what the view sees.
pub fn find(view: &View<'_>, find: &Find, shape: impl Into<Shape>, budget: &mut Budget<'_>) -> Result<Found> {
    find_with(view, find, shape, &Options::default(), budget)
}

/// Answers a FIND as these options say: the answer is the same, the way there is not.
pub fn find_with(
    view: &View<'_>,
    find: &Find,
    shape: impl Into<Shape>,
    options: &Options,
    budget: &mut Budget<'_>,
) -> Result<Found> {
    let Shape { format, bytes_max } = shape.into();
    let question = Question::of(*view, find, options)?;
    if let Some(counts) = &question.counts {
        let counts = counts.iter().map(|of| Ok(view.count(*of)?.into())).collect::<Result<Vec<Value>>>()?;
        let result = shape::shape(vec![counts], format, question.request.columns.len(), true);
        return Ok(result.into());
    }
    let request = &question.request;
    let mut context = Context::new(*view, &question.plan, request.fields(), budget);
    let (places, content) = question.gather(&mut context)?;
    let mut page = page::page(places, question.position.as_ref(), question.limit);
    context.records.forget(context.budget);
    let entries: Vec<usize> = page.entries.iter().map(|entry| entry.at).collect();
    let mut values = project(&entries, &content, request, &mut context)?;
    if bytes_max.is_some() {
        values.truncate(fitting(bytes_max, values.iter().map(|row| row_bytes(row))));
        page.end_after(values.len());
    }
    let result = shape::shape(values, format, request.columns.len(), request.is_one_group());
    let next_cursor = page.last().map(|last| cursor::token(find, last));
    Ok(Found { result, next_cursor, wishes: question.wishes(*view)? })
}

/// A FIND, and how it is answered.
struct Question<'o> {
    plan: Plan,
    request: Request,
    limit: usize,
    position: Option<Position>,
    options: &'o Options,
    /// What counts everything that is asked for, if nothing else is and something does.
    counts: Option<Vec<Statistic>>,
    /// The index that is read in the order of the answer, as long as that finds enough.
    order: Option<Order>,
}

impl<'o> Question<'o> {
    fn of(view: View<'_>, find: &Find, options: &'o Options) -> Result<Self> {
        let limit = limit(find)?;
        let position = cursor::position(find)?;
        let is_sorted = !find.order_by.is_empty();
        let mut plan = Plan::of(view, &find.pattern, options, is_sorted)?;
        let request = Request::of(&plan, find)?;
        let uses_indexes = options.passes.has(Pass::UseIndexes);
        let mut order = if uses_indexes && limit > 0 { Order::of(&plan, &request, view)? } else { None };
        if uses_indexes && is_sorted {
            let (needed, reads) = (limit as u64 + 1, options.reads_per_lookup);
            let is_wanted = match &order {
                Some(order) => filter_beside(&mut plan.root, &order.scan, needed, view, reads)?,
                None => {
                    filter_by_index(&mut plan.root, view, reads)?;
                    false
                }
            };
            order = order.filter(|_| is_wanted);
        }
        let is_first = position.is_none() && limit > 0;
        let counts = if is_first { from_statistics(&plan, &request, options) } else { None };
        Ok(Question { plan, request, limit, position, options, counts, order })
    }

    fn shown(&self) -> Shown<'_> {
        Shown { limit: self.limit, position: self.position.as_ref() }
    }

    fn gathering(&self) -> Gathering<'_> {
        Gathering::of(&self.plan, &self.request, &self.shown(), self.options)
    }

    /// Indexes that would have been used if there were any.
    fn wishes(&self, view: View<'_>) -> Result<Vec<Wish>> {
        if self.order.is_some() {
            return Ok(Vec::new());
        }
        let order = self.request.order.first().and_then(|key| key.by.field());
        wishes(&self.plan.root, order.filter(|_| !self.request.is_aggregated()), view)
    }

    /// Everything that may be shown, and its places.
    fn gather(&self, context: &mut Context<'_, '_, '_>) -> Result<(Vec<Entry>, Content)> {
        self.gathering().run(
            self.order.as_ref(),
            &self.plan,
            &self.request,
            &self.shown(),
            self.options,
            context,
        )
    }
}

fn from_statistics(plan: &Plan, request: &Request, options: &Options) -> Option<Vec<Statistic>> {
    if !request.is_one_group() || !options.passes.has(Pass::CountFromStatistics) {
        return None;
    }
    let counted = request.aggregates.iter().map(|aggregate| {
        let is_count = aggregate.function == Function::Count && aggregate.of.field == Field::Whole;
        counted(&plan.root, aggregate.of.slot, aggregate.distinct).filter(|_| is_count)
    });
    counted.collect()
}

fn limit(find: &Find) -> Result<usize> {
    let Some(limit) = &find.limit else { return Ok(limits::KIP_ROWS_DEFAULT) };
    let rows = usize::try_from(*limit.given()?).unwrap_or(usize::MAX);
    if rows > limits::KIP_ROWS_MAX {
        let message = format!("LIMIT {rows} is more than {} rows", limits::KIP_ROWS_MAX);
        return Err(KipError::new(KipCode::ResourceExhausted, message)
            .hint("ask for fewer rows, and for the next ones with CURSOR and the next_cursor of the answer")
            .at(limit.span)
            .into());
    }
    Ok(rows)
}

/// The values of the rows of a page.
fn project(
    page: &[usize],
    content: &Content,
    request: &Request,
    context: &mut Context<'_, '_, '_>,
) -> Result<Vec<Vec<Value>>> {
    let fields: Vec<FieldOf> = request.shown().cloned().collect();
    let mut records = Records::new(context.view, fields.iter());
    let (Content::Rows(rows) | Content::Groups(rows, _)) = content;
    let mut values = Vec::with_capacity(page.len());
    for batch in page.chunks(BATCH) {
        let cells = |at: &usize| -> &[Cell] { rows.row(*at) };
        records.load(batch.iter().map(cells), &fields, context.budget)?;
        for at in batch {
            let row = request.columns.iter().map(|column| match (column, content) {
                (Column::Field(of), _) => Ok(records.value(rows.row(*at), of)?.into_owned()),
                (Column::Aggregate(nth), Content::Groups(_, groups)) => Ok(groups[*at].value(*nth)),
                // Without groups there is no aggregate.
                (Column::Aggregate(_), Content::Rows(_)) => Ok(Value::Null),
            });
            let row = row.collect::<Result<Vec<Value>>>()?;
            context.budget.steps(u32::try_from(row.len()).unwrap_or(u32::MAX))?;
            context.budget.row(row.iter().map(value_bytes).sum())?;
            values.push(row);
        }
    }
    records.forget(context.budget);
    Ok(values)
}
