//! From what a WHERE says to how it is run: one pass per file, in the order of [`Pass::ALL`].
//!
//! A pass changes how much is read and held, never what is answered. Each can be left out on its own, and the
//! tests compare answers with and without each on random graphs.

mod early_stop;
mod estimate;
mod filters;
mod first_match;
mod indexes;
mod joins;
mod once;
mod order;
mod paths;
mod scans;
mod statistics;
mod union_keys;

use cairn_graph::View;

pub(crate) use early_stop::leading;
pub(crate) use indexes::{filter as filter_by_index, filter_beside, ordered, wishes};
pub(crate) use statistics::counted;

use crate::plan::{Block, Draft, Stage, Step, Union};
use crate::{Options, Result};
use estimate::Estimator;

/// Something that makes a plan quicker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// FILTERs go before OPTIONAL and NOT, and into the branches of a UNION.
    PushFilters,
    /// A UNION inside another block is asked with what that block knows.
    UnionKeys,
    /// Patterns run in the order that is expected to give the fewest rows.
    JoinOrder,
    /// FILTERs about one variable are asked while its concepts are read.
    FilterScans,
    /// FILTERs and ORDER BY use the ordered index of a field.
    UseIndexes,
    /// Links are looked up, or read all at once, whichever is less.
    JoinMethods,
    /// OPTIONAL and NOT are asked once for all rows that agree on what they use.
    AskOnce,
    /// NOT stops at the first match.
    FirstMatch,
    /// Paths between known ends are walked from both.
    MeetInTheMiddle,
    /// ORDER BY with LIMIT keeps no more rows than it shows.
    TopRows,
    /// LIMIT stops reading when enough is found.
    StopEarly,
    /// COUNT is looked up where the graph counts the same.
    CountFromStatistics,
}

impl Pass {
    /// All of them, in their order.
    pub const ALL: [Pass; 12] = [
        Pass::PushFilters,
        Pass::UnionKeys,
        Pass::JoinOrder,
        Pass::FilterScans,
        Pass::UseIndexes,
        Pass::JoinMethods,
        Pass::AskOnce,
        Pass::FirstMatch,
        Pass::MeetInTheMiddle,
        Pass::TopRows,
        Pass::StopEarly,
        Pass::CountFromStatistics,
    ];
}

/// Some passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes(u16);

impl Passes {
    /// None of them.
    pub const NONE: Passes = Passes(0);
    /// All of them.
    pub const ALL: Passes = Passes(u16::MAX);

    /// All of these but one.
    #[must_use]
    pub fn without(self, pass: Pass) -> Self {
        Passes(self.0 & !(1 << pass as u16))
    }

    /// One more.
    #[must_use]
    pub fn with(self, pass: Pass) -> Self {
        Passes(self.0 | (1 << pass as u16))
    }

    /// Whether it is one of these.
    pub fn has(self, pass: Pass) -> bool {
        self.0 & (1 << pass as u16) != 0
    }
}

impl Default for Passes {
    fn default() -> Self {
        Passes::ALL
    }
}

/// How a draft is run over what the view knows now. If answers are sorted, which indexes are used is for whoever
/// knows by what they are.
pub(crate) fn optimized(
    mut draft: Draft,
    view: View<'_>,
    options: &Options,
    is_sorted: bool,
) -> Result<Block> {
    let passes = options.passes;
    if passes.has(Pass::PushFilters) {
        filters::push(&mut draft);
    }
    if passes.has(Pass::UnionKeys) {
        union_keys::keep(&mut draft);
    }
    let mut estimator = Estimator::new(view);
    let mut block = order::order(draft, std::iter::empty(), &mut estimator, passes.has(Pass::JoinOrder))?;
    if passes.has(Pass::FilterScans) {
        scans::filter(&mut block);
    }
    if passes.has(Pass::UseIndexes) && !is_sorted {
        indexes::filter(&mut block, view, options.reads_per_lookup)?;
    }
    if passes.has(Pass::JoinMethods) {
        joins::choose(&mut block);
    }
    if passes.has(Pass::AskOnce) {
        once::ask(&mut block);
    }
    if passes.has(Pass::FirstMatch) {
        first_match::stop(&mut block);
    }
    if passes.has(Pass::MeetInTheMiddle) {
        paths::meet(&mut block);
    }
    Ok(block)
}

/// Does something with every step of a block and of those inside it.
fn each_step(block: &mut Block, change: &mut impl FnMut(&mut Step)) {
    for stage in &mut block.stages {
        match stage {
            Stage::Step(step) => change(step),
            Stage::Optional(inner) | Stage::Not(inner) | Stage::Union(Union { branch: inner, .. }) => {
                each_step(inner, change);
            }
        }
    }
}
