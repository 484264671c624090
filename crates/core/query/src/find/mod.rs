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
mod group;
mod page;
mod request;
mod shape;
mod sum;

use cairn_base::{Value, limits};
use cairn_graph::View;
use cairn_kip::tree::Find;
use cairn_kip::{Format, KipCode, KipError};

use crate::cell::Cell;
use crate::eval::{self, Context};
use crate::fields::{FieldOf, Records, value_bytes};
use crate::plan::Plan;
use crate::rows::Rows;
use crate::{Budget, Result};
use aggregate::Aggregates;
use request::{Column, Request};

pub use explain::explain;

/// Rows whose fields are read at once.
const BATCH: usize = 1024;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was asked for.
    pub result: Value,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

/// What the rows of an answer are made of.
enum Content {
    Rows(Rows),
    /// Groups, and the rows that stand for them.
    Groups(Rows, Vec<Aggregates>),
}

/// Answers a FIND over what the view sees.
pub fn find(view: &View<'_>, find: &Find, format: Format, budget: &mut Budget<'_>) -> Result<Found> {
    let view = *view;
    let limit = limit(find)?;
    let position = cursor::position(find)?;
    let plan = Plan::of(view, &find.pattern)?;
    let request = Request::of(&plan, find)?;
    let mut context = Context::new(view, &plan, request.fields(), budget);
    let rows = eval::run(&plan, &mut context)?;
    let (places, content) = if request.is_aggregated() {
        group::groups(rows, &request, &mut context)?
    } else {
        each::each(rows, &request, &mut context)?
    };
    let page = page::page(places, position.as_ref(), limit);
    context.records.forget(context.budget);
    let values = project(&page.entries, &content, &request, &mut context)?;
    let result = shape::shape(values, format, request.columns.len(), request.is_one_group());
    Ok(Found { result, next_cursor: page.last.map(|last| cursor::token(find, &last)) })
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
        if !fields.is_empty() {
            records.load(batch.iter().map(cells), &fields, context.budget)?;
        }
        for at in batch {
            let row = request.columns.iter().map(|column| match (column, content) {
                (Column::Field(of), _) => Ok(records.value(rows.row(*at), of)?.into_owned()),
                (Column::Aggregate(nth), Content::Groups(_, groups)) => Ok(groups[*at].value(*nth)),
                // Without groups there is no aggregate.
                (Column::Aggregate(_), Content::Rows(_)) => Ok(Value::Null),
            });
            let row = row.collect::<Result<Vec<Value>>>()?;
            context.budget.row(row.iter().map(value_bytes).sum())?;
            values.push(row);
        }
    }
    records.forget(context.budget);
    Ok(values)
}
