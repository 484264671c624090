//! symbol-traceability: a production symbol implements a requirement and, if the request or the configuration asks for
//! it, is constrained by a decision. Both must exist.

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::{new_entity, new_id, placeholder, upsert};
use super::table::{Touch, View};
use super::traceability::is;
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, EntityType, NodeKey, Relation};

const REQUIREMENT: u8 = 0;
const REQUIREMENT_AND_DECISION: u8 = 1;
const DECISION: u8 = 2;

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    let Touch { branch, delta, .. } = touch;
    let relations = [Relation::Implements, Relation::ExecutableFor, Relation::ConstrainedBy];
    subjects.extend(delta.nodes());
    subjects.extend(delta.edges(&relations).map(|edge| edge.from));
    for key in delta.appeared(branch) {
        subjects.extend(branch.sources(key, Relation::Implements));
        subjects.extend(branch.sources(key, Relation::ConstrainedBy));
    }
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    judge(view.branch, subject, false, found);
}

pub(crate) fn check_with_adr(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    judge(view.branch, subject, true, found);
}

fn judge(branch: &Branch, subject: NodeKey, require_adr: bool, found: &mut Vec<Finding>) {
    let Some(node) = branch.node(subject).filter(|node| node.kind == EntityType::Symbol) else { return };
    if !is_production(branch, subject) {
        return;
    }
    let has_requirement = requirements_of(branch, subject).next().is_some();
    let decisions = || branch.targets(subject, Relation::ConstrainedBy);
    let lacks_decision = require_adr && !decisions().any(|key| is(branch, key, EntityType::Adr));
    let problem = match (has_requirement, lacks_decision) {
        (true, false) => return,
        (false, false) => REQUIREMENT,
        (false, true) => REQUIREMENT_AND_DECISION,
        (true, true) => DECISION,
    };
    found.push(Finding::new(subject, &node.id, problem));
}

/// Whether a symbol is not the executable code of a test.
pub(crate) fn is_production(branch: &Branch, symbol: NodeKey) -> bool {
    branch.targets(symbol, Relation::ExecutableFor).next().is_none()
}

/// Requirements that a symbol implements.
pub(crate) fn requirements_of(branch: &Branch, symbol: NodeKey) -> impl Iterator<Item = NodeKey> {
    branch.targets(symbol, Relation::Implements).filter(|key| is(branch, *key, EntityType::Req))
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let (what, todo) = match finding.problem {
        REQUIREMENT => {
            ("implements no requirement", "link it with implements to the requirement that it serves")
        }
        DECISION => {
            ("is constrained by no decision", "link it with constrained_by to the decision that shaped it")
        }
        _ => (
            "implements no requirement and is constrained by no decision",
            "link it with implements to a requirement and with constrained_by to a decision",
        ),
    };
    violation(
        view.branch,
        Rule::SymbolTraceability,
        finding,
        format!("the symbol {what}"),
        todo.to_owned(),
        payloads(view.branch, finding).unwrap_or_default(),
    )
}

fn payloads(branch: &Branch, finding: &Finding) -> Option<Vec<UpsertInput>> {
    let node = branch.node(finding.subject)?;
    let mut payloads = Vec::new();
    let mut symbol = upsert(EntityType::Symbol, &node.id, []);
    if finding.problem != DECISION {
        let id = new_id(branch, "REQ-", &node.id)?;
        payloads.push(new_entity(EntityType::Req, &id, placeholder("what is required of", node)));
        symbol = symbol.linked(Relation::Implements, &id);
    }
    if finding.problem != REQUIREMENT {
        let id = new_id(branch, "ADR-", &node.id)?;
        payloads.push(new_entity(EntityType::Adr, &id, placeholder("decision that shaped", node)));
        symbol = symbol.linked(Relation::ConstrainedBy, &id);
    }
    payloads.push(symbol);
    Some(payloads)
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::SymbolTraceability as RULE;
    use crate::check::tests::{Builder, finds, finds_with_adr};

    fn symbol() -> Builder {
        Builder::new("symbol:F req:R adr:A test:T")
    }

    #[test]
    fn just_violates() {
        finds(&symbol(), RULE, &[("F", "the symbol implements no requirement")]);
        let dangling = symbol().link("F implements R").without("R");
        finds(&dangling, RULE, &[("F", "the symbol implements no requirement")]);
        let both = "the symbol implements no requirement and is constrained by no decision";
        finds_with_adr(&symbol(), RULE, &[("F", both)]);
        let traced = symbol().link("F implements R");
        finds_with_adr(&traced, RULE, &[("F", "the symbol is constrained by no decision")]);
        let decided = symbol().link("F constrained_by A");
        finds_with_adr(&decided, RULE, &[("F", "the symbol implements no requirement")]);
    }

    #[test]
    fn just_does_not_violate() {
        finds(&symbol().link("F implements R"), RULE, &[]);
        finds(&symbol().link("F executable_for T"), RULE, &[]);
        finds_with_adr(&symbol().link("F implements R").link("F constrained_by A"), RULE, &[]);
        finds_with_adr(&symbol().link("F executable_for T"), RULE, &[]);
    }
}
