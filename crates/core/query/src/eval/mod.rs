//! Running a plan: each stage turns a bag of rows into another.
//!
//! Everything works on whole batches: a join looks up the neighbours of all its rows at once, and a filter
//! reads the records of many rows at once.

mod anti_join;
mod elements;
mod filter;
mod groups;
mod left_join;
mod links;
mod measured;
mod path;
mod reach;
mod seeds;
mod source;
mod union;

use cairn_graph::View;

use crate::cell::Cell;
use crate::fields::{FieldOf, Records};
use crate::filter::Patterns;
use crate::plan::{Block, Plan, Stage, Step, Work};
use crate::rows::Rows;
use crate::{Budget, Result};
pub(crate) use measured::Measured;
pub(crate) use source::{Page, Reached, Source};

/// How many things are asked of the store at once.
const BATCH: usize = 1024;
/// Rows of a page of the first scan, at the most: enough for joins to choose how they read.
pub(crate) const PAGE_ROWS_MAX: usize = 32 << 10;

/// What running a plan needs.
pub(crate) struct Context<'c, 'v, 'b> {
    pub(crate) view: View<'v>,
    pub(crate) budget: &'c mut Budget<'b>,
    pub(crate) records: Records<'v>,
    pub(crate) patterns: Patterns,
    /// What each stage came to, by its number.
    pub(crate) measured: Vec<Measured>,
    /// Whether stages are timed.
    pub(crate) is_timed: bool,
    /// Whether an index was read in the order of the answer until that was more than reading everything.
    pub(crate) has_given_up_order: bool,
    /// The stage that runs.
    current: usize,
}

impl<'c, 'v, 'b> Context<'c, 'v, 'b> {
    /// Ready to run a plan, and then to read these fields.
    pub(crate) fn new<'f>(
        view: View<'v>,
        plan: &'f Plan,
        fields: impl Iterator<Item = &'f FieldOf>,
        budget: &'c mut Budget<'b>,
    ) -> Self {
        let fields: Vec<&FieldOf> = plan.fields.iter().chain(fields).collect();
        let mut records = Records::new(view, fields.iter().copied());
        records.expect(fields.into_iter());
        let measured = vec![Measured::default(); plan.stages];
        Context {
            view,
            budget,
            records,
            patterns: Patterns::default(),
            measured,
            is_timed: false,
            has_given_up_order: false,
            current: 0,
        }
    }
}

/// All rows of a plan at once.
pub(crate) fn run(plan: &Plan, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    block(&plan.root, Rows::unit(plan.places.width()), context)
}

/// The next rows of a plan that has a source.
pub(crate) fn next_page(
    plan: &Plan,
    source: &mut Source<'_>,
    rows_max: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<Page> {
    let began = context.now();
    let Page { rows, reached, lookups } = source.next(rows_max, plan.places.width(), context)?;
    context.note(source.number, &rows, began);
    let rows = stages(source.rest, rows, None, context)?;
    Ok(Page { rows, reached, lookups })
}

/// All rows of a block over rows from outside.
fn block(block: &Block, seeds: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let has_union = block.stages.iter().any(|stage| matches!(stage, Stage::Union(_)));
    // A branch of a UNION is joined with what came from outside, not with what was made of it.
    let kept = if has_union { Some(seeds.copy(context.budget)?) } else { None };
    let rows = stages(&block.stages, seeds, kept.as_ref(), context)?;
    if let Some(kept) = kept {
        kept.drop_from(context.budget);
    }
    Ok(rows)
}

/// What stages make of rows, one after the other.
fn stages(
    stages: &[Stage],
    mut rows: Rows,
    seeds: Option<&Rows>,
    context: &mut Context<'_, '_, '_>,
) -> Result<Rows> {
    for stage in stages {
        let began = context.now();
        context.current = stage.number();
        let asked = rows.len() + seeds.map_or(0, Rows::len);
        let beside = asked.saturating_mul(bytes_beside(stage));
        context.budget.hold(beside)?;
        rows = match stage {
            Stage::Step(own) => step(own, rows, context)?,
            Stage::Optional(inner) => left_join::left_join(inner, rows, context)?,
            Stage::Not(inner) => anti_join::anti_join(inner, rows, context)?,
            Stage::Union(union) => match seeds {
                Some(seeds) => union::union(union, rows, seeds, context)?,
                None => rows,
            },
        };
        context.budget.release(beside);
        context.note(stage.number(), &rows, began);
    }
    Ok(rows)
}

/// What a stage remembers of each row that it is given while it runs, roughly: keys, numbers, and their places in
/// tables.
fn bytes_beside(stage: &Stage) -> usize {
    const TABLE_ROW: usize = 96;
    match stage {
        Stage::Step(step) => match &step.work {
            Work::Elements(_) | Work::Check { .. } | Work::Filter(_) => 0,
            // Sorted, without a table.
            Work::Links(_) => TABLE_ROW / 2,
            Work::Path(_) => 2 * TABLE_ROW,
        },
        Stage::Optional(inner) | Stage::Not(inner) => TABLE_ROW + inner.shared.len() * size_of::<Cell>(),
        Stage::Union(union) => TABLE_ROW + (union.agree_on.len() + union.keys.len()) * size_of::<Cell>(),
    }
}

fn step(step: &Step, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    match &step.work {
        Work::Elements(elements) => elements::elements(elements, rows, context),
        Work::Check { slot, tests } => Ok(elements::check(*slot, tests, rows, context)),
        Work::Links(links) => links::links(links, rows, context),
        Work::Path(path) => path::path(path, rows, context),
        Work::Filter(filter) => filter::filter(filter, rows, context),
    }
}
