//! symbol-coverage: a production symbol is covered by a test that covers a requirement.
//!
//! A symbol that is the executable code of a test is no production symbol.

use super::Rule;
use super::explain::violation;
use super::finding::Finding;
use super::fix::{first_by_id, new_entity, new_id, placeholder, upsert};
use super::symbol_traceability::{is_production, requirements_of};
use super::table::{Touch, View};
use super::traceability::{scenarios_of, tests_of};
use crate::tools::{UpsertInput, Violation};
use crate::{Branch, EntityType, NodeKey, Relation, VerificationPerspective, VerificationScope};

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    let Touch { branch, delta, moved } = touch;
    subjects.extend(delta.nodes());
    subjects.extend(delta.edges(&[Relation::CoveredBy, Relation::ExecutableFor]).map(|edge| edge.from));
    for test in &moved.tests {
        subjects.extend(branch.sources(*test, Relation::CoveredBy));
    }
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let View { branch, derived } = view;
    let Some(node) = branch.node(subject).filter(|node| node.kind == EntityType::Symbol) else { return };
    let mut tests = branch.targets(subject, Relation::CoveredBy);
    if is_production(branch, subject) && !tests.any(|test| derived.covering.contains(test)) {
        found.push(Finding::new(subject, &node.id, 0));
    }
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    violation(
        view.branch,
        Rule::SymbolCoverage,
        finding,
        "no test that covers a requirement covers the symbol".to_owned(),
        "link the symbol with covered_by to a test that verifies a requirement or one of its scenarios"
            .to_owned(),
        payloads(view, finding.subject).unwrap_or_default(),
    )
}

fn payloads(view: View<'_>, symbol: NodeKey) -> Option<Vec<UpsertInput>> {
    let View { branch, derived } = view;
    let node = branch.node(symbol)?;
    let covered = |test: &str| upsert(EntityType::Symbol, &node.id, []).linked(Relation::CoveredBy, test);
    let requirement = first_by_id(branch, requirements_of(branch, symbol));
    if let Some((key, _)) = requirement {
        let scenarios = scenarios_of(branch, key).flat_map(|scenario| tests_of(branch, scenario));
        let tests = tests_of(branch, key).chain(scenarios).filter(|test| derived.covering.contains(*test));
        if let Some((_, test)) = first_by_id(branch, tests) {
            return Some(vec![covered(&test.id)]);
        }
    }
    let id = new_id(branch, "TEST-", &node.id)?;
    let test = new_entity(EntityType::Test, &id, placeholder("test of", node));
    let Some((key, requirement)) = requirement else {
        let requirement = new_id(branch, "REQ-", &node.id)?;
        return Some(vec![
            new_entity(EntityType::Req, &requirement, placeholder("what is required of", node)),
            test.linked(Relation::Validates, &requirement),
            covered(&id).linked(Relation::Implements, &requirement),
        ]);
    };
    let scenario = first_by_id(branch, scenarios_of(branch, key));
    let validated = scenario.map_or(&requirement.id, |(_, scenario)| &scenario.id);
    let test = demanded(branch, key, test).ok()?;
    Some(vec![test.linked(Relation::Validates, validated), covered(&id)])
}

/// Adds the fields that a requirement demands of its tests; returns the test unchanged if it cannot have them.
pub(crate) fn demanded(
    branch: &Branch,
    requirement: NodeKey,
    test: UpsertInput,
) -> Result<UpsertInput, UpsertInput> {
    let mut wanted = test.clone();
    for (field, value) in super::covering::demands(branch, requirement) {
        let is_allowed = VerificationScope::TEXTS.contains(&value)
            && field == super::covering::Demanded::Scope
            || VerificationPerspective::TEXTS.contains(&value)
                && field == super::covering::Demanded::Perspective;
        let is_free = wanted.properties.text(field.name()).is_none_or(|other| other == value);
        if !is_allowed || !is_free {
            return Err(test);
        }
        wanted = wanted.with(field.name(), value.into());
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::SymbolCoverage as RULE;
    use crate::check::tests::{Builder, finds};

    const TEXT: &str = "no test that covers a requirement covers the symbol";

    fn symbol() -> Builder {
        Builder::new("symbol:F req:R scenario:S test:T")
    }

    #[test]
    fn just_violates() {
        let rows = [
            symbol(),
            symbol().link("F covered_by T"),
            symbol().link("T validates R"),
            symbol().link("F covered_by T").link("T validates R").link("R specified_by S"),
            symbol().link("F covered_by T").link("T validates S"),
            symbol().link("F covered_by T").link("T validates R").without("R"),
        ];
        for builder in &rows {
            finds(builder, RULE, &[("F", TEXT)]);
        }
    }

    #[test]
    fn just_does_not_violate() {
        let rows = [
            symbol().link("F covered_by T").link("T validates R"),
            symbol().link("F covered_by T").link("R specified_by S").link("S verified_by T"),
            symbol().link("F executable_for T"),
        ];
        for builder in &rows {
            finds(builder, RULE, &[]);
        }
    }

    #[test]
    fn the_test_must_be_of_the_kind_that_the_requirement_demands() {
        let demanding = symbol()
            .link("F covered_by T")
            .link("T validates R")
            .property("P", "requirement.R.verification", "verification_perspective", "consumer")
            .link("R requires_property P");
        finds(&demanding, RULE, &[("F", TEXT)]);
        let consumer = demanding.set("T", |node| node.verification_perspective = Some("consumer".into()));
        finds(&consumer, RULE, &[]);
    }
}
