//! Which elements a pattern binds a variable to: what a DELETE is about.

use cairn_graph::{Element, View};
use cairn_kip::tree::{Group, Text};
use cairn_kip::{KipCode, KipError};

use crate::cell::Cell;
use crate::eval::{self, Context};
use crate::plan::Plan;
use crate::{Budget, Options, Result};

/// All elements that a pattern binds the target to, each once, in order. Nulls are left out.
///
/// Fails if the pattern does not bind the target, or binds it to names of predicates.
pub fn matches(
    view: &View<'_>,
    pattern: &Group,
    target: &Text,
    budget: &mut Budget<'_>,
) -> Result<Vec<Element>> {
    let view = *view;
    let plan = Plan::of(view, pattern, &Options::default(), false)?;
    let slot = plan.slot(target)?;
    let mut context = Context::new(view, &plan, std::iter::empty(), budget);
    let rows = eval::run(&plan, &mut context)?;
    let mut found = Vec::new();
    for row in rows.iter() {
        context.budget.step()?;
        match row[slot] {
            Cell::Null => {}
            Cell::Concept(id, _) => found.push(id.into()),
            Cell::Link(id) => found.push(id.into()),
            Cell::Predicate(_) => return Err(not_an_element(target).into()),
        }
    }
    found.sort_unstable();
    found.dedup();
    context.records.forget(context.budget);
    rows.drop_from(context.budget);
    Ok(found)
}

fn not_an_element(target: &Text) -> KipError {
    let message = format!("?{} is the name of a predicate, not a concept or link", target.node);
    KipError::new(KipCode::InvalidSyntax, message)
        .hint("match the concept of the predicate instead: ?p {type: \"$PropositionType\", name: …}")
        .at(target.span)
}
