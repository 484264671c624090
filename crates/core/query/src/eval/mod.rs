//! Running a plan: each stage turns a bag of rows into another.
//!
//! Everything works on whole batches: a join looks up the neighbours of all its rows at once, and a filter
//! reads the records of many rows at once.

mod anti_join;
mod elements;
mod filter;
mod left_join;
mod links;
mod path;
mod reach;
mod union;

use cairn_graph::View;

use crate::fields::{FieldOf, Records};
use crate::filter::Patterns;
use crate::plan::{Block, Plan, Stage, Step, Work};
use crate::rows::Rows;
use crate::{Budget, Result};

/// How many things are asked of the store at once.
const BATCH: usize = 1024;

/// What running a plan needs.
pub(crate) struct Context<'c, 'v, 'b> {
    pub(crate) view: View<'v>,
    pub(crate) budget: &'c mut Budget<'b>,
    pub(crate) records: Records<'v>,
    pub(crate) patterns: Patterns,
    /// How many rows each stage gave, by its number.
    pub(crate) counts: Vec<u64>,
}

impl<'c, 'v, 'b> Context<'c, 'v, 'b> {
    /// Ready to run a plan, and then to read these fields.
    pub(crate) fn new<'f>(
        view: View<'v>,
        plan: &'f Plan,
        fields: impl Iterator<Item = &'f FieldOf>,
        budget: &'c mut Budget<'b>,
    ) -> Self {
        let mut records = Records::new(view, plan.fields.iter().chain(fields));
        records.expect(plan.fields.iter());
        Context { view, budget, records, patterns: Patterns::default(), counts: vec![0; plan.stages] }
    }
}

/// All rows of a plan.
pub(crate) fn run(plan: &Plan, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    block(&plan.root, Rows::unit(plan.places.width()), context)
}

/// All rows of a block over rows from outside.
fn block(block: &Block, seeds: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let has_union = block.stages.iter().any(|stage| matches!(stage, Stage::Union(_)));
    // A branch of a UNION is joined with what came from outside, not with what was made of it.
    let kept = if has_union { Some(seeds.copy(context.budget)?) } else { None };
    let mut rows = seeds;
    for stage in &block.stages {
        rows = match stage {
            Stage::Step(own) => step(own, rows, context)?,
            Stage::Optional(inner) => left_join::left_join(inner, rows, context)?,
            Stage::Not(inner) => anti_join::anti_join(inner, rows, context)?,
            Stage::Union(union) => match &kept {
                Some(seeds) => union::union(union, rows, seeds, context)?,
                None => rows,
            },
        };
        context.counts[stage.number()] += rows.len() as u64;
    }
    if let Some(kept) = kept {
        kept.drop_from(context.budget);
    }
    Ok(rows)
}

fn step(step: &Step, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    if rows.is_empty() {
        return Ok(rows);
    }
    match &step.work {
        Work::Elements { slot, tests } => elements::elements(*slot, tests, rows, context),
        Work::Check { slot, tests } => Ok(elements::check(*slot, tests, rows, context)),
        Work::Links(links) => links::links(links, rows, context),
        Work::Path(path) => path::path(path, rows, context),
        Work::Filter(filter) => filter::filter(filter, rows, context),
    }
}
