//! Which elements a pattern binds a variable to: what a DELETE is about.

use cairn_graph::{Element, View};
use cairn_kip::tree::{ElementKind, Group, Text};
use cairn_kip::{KipCode, KipError};

use crate::cell::Cell;
use crate::eval::{self, Context};
use crate::plan::{Bound, Plan, bound_to};
use crate::{Budget, Options, Result};

/// All elements that a pattern binds the target to, each once, in order. Nulls are left out.
///
/// Fails if the pattern does not bind the target, or binds it to something else than elements of the kind that is
/// wanted, if one is: also where nothing matches, if the pattern alone says so.
pub fn matches(
    view: &View<'_>,
    pattern: &Group,
    target: &Text,
    wanted: Option<ElementKind>,
    budget: &mut Budget<'_>,
) -> Result<Vec<Element>> {
    let view = *view;
    let plan = Plan::of(view, pattern, &Options::default(), false)?;
    let slot = plan.slot(target)?;
    if let Some(bound) = bound_to(pattern, &target.node) {
        check(bound, wanted, target)?;
    }
    let mut context = Context::new(view, &plan, std::iter::empty(), budget);
    let rows = eval::run(&plan, &mut context)?;
    let mut found = Vec::new();
    for row in rows.iter() {
        context.budget.step()?;
        match row[slot] {
            Cell::Null => {}
            Cell::Concept(id, _) => {
                check(Bound::Element(ElementKind::Concept), wanted, target)?;
                found.push(id.into());
            }
            Cell::Link(id) => {
                check(Bound::Element(ElementKind::Proposition), wanted, target)?;
                found.push(id.into());
            }
            Cell::Predicate(_) => check(Bound::Name, wanted, target)?,
        }
    }
    found.sort_unstable();
    found.dedup();
    context.records.forget(context.budget);
    rows.drop_from(context.budget);
    Ok(found)
}

/// Whether the target may be bound to this.
fn check(bound: Bound, wanted: Option<ElementKind>, target: &Text) -> std::result::Result<(), KipError> {
    let name = &target.node;
    let (is, hint) = match (bound, wanted) {
        (Bound::Element(kind), Some(wanted)) if kind != wanted => match kind {
            ElementKind::Concept => (
                "a concept, and DELETE PROPOSITIONS deletes propositions",
                format!(
                    "name the proposition: ?link (?{name}, \"predicate\", ?x); or write DELETE CONCEPT ?{name} DETACH"
                ),
            ),
            ElementKind::Proposition => (
                "a proposition, and DELETE CONCEPT deletes concepts",
                format!(
                    "write DELETE PROPOSITIONS ?{name}; or let only concepts through: ?{name} {{type: \"...\"}}"
                ),
            ),
        },
        (Bound::Element(_), _) => return Ok(()),
        (Bound::Name, _) => (
            "the name of a predicate, not a concept or proposition",
            format!(
                "match the concept of the predicate instead: ?{name} {{type: \"$PropositionType\", name: \"...\"}}"
            ),
        ),
    };
    Err(KipError::new(KipCode::ConstraintViolation, format!("?{name} is {is}")).hint(hint).at(target.span))
}
