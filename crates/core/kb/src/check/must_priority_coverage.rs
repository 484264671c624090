//! must-priority-coverage: a requirement whose priority ends with `must` has a scenario and a test.
//!
//! The test verifies the requirement or one of its scenarios, in either spelling. Scenarios and tests count as soon as
//! they exist. Requirements that no longer hold are not judged: their status is `deprecated`, `superseded`, `archived`,
//! `rejected`, `deleted` or `removed`, or another requirement supersedes them. Any other status is, also one that is
//! not yet current, such as `draft`.

use super::explain::violation;
use super::finding::Finding;
use super::fix::{first_by_id, new_entity, new_id, placeholder, upsert};
use super::table::{Touch, View};
use super::traceability::{scenarios_of, stays_verified, tests_of, verified_by};
use super::{Rule, fix};
use crate::tools::{UpsertInput, Violation};
use crate::{EntityType, Node, NodeKey, Relation};

const SCENARIO_AND_TEST: u8 = 0;
const SCENARIO: u8 = 1;
const TEST: u8 = 2;

pub(crate) fn affected(touch: Touch<'_>, subjects: &mut Vec<NodeKey>) {
    let Touch { branch, delta, .. } = touch;
    let mut verified = |key: NodeKey| {
        subjects.push(key);
        if !stays_verified(branch, delta, key) {
            subjects.extend(branch.sources(key, Relation::SpecifiedBy));
        }
    };
    for key in delta.appeared(branch) {
        verified(key);
        verified_by(branch, key).for_each(&mut verified);
    }
    delta.edges(&[Relation::VerifiedBy]).for_each(|edge| verified(edge.from));
    delta.edges(&[Relation::Validates]).for_each(|edge| verified(edge.to));
    subjects.extend(delta.nodes());
    for key in delta.appeared(branch) {
        subjects.extend(branch.sources(key, Relation::SpecifiedBy));
    }
    subjects.extend(delta.edges(&[Relation::SpecifiedBy]).map(|edge| edge.from));
    subjects.extend(delta.edges(&[Relation::Supersedes]).map(|edge| edge.to));
}

pub(crate) fn check(view: View<'_>, subject: NodeKey, found: &mut Vec<Finding>) {
    let View { branch, .. } = view;
    let Some(node) = branch.node(subject).filter(|node| is_demanding(node)) else { return };
    if branch.sources(subject, Relation::Supersedes).next().is_some() {
        return;
    }
    let has_scenario = scenarios_of(branch, subject).next().is_some();
    let has_test = tests_of(branch, subject).next().is_some()
        || scenarios_of(branch, subject).any(|scenario| tests_of(branch, scenario).next().is_some());
    let problem = match (has_scenario, has_test) {
        (true, true) => return,
        (false, false) => SCENARIO_AND_TEST,
        (false, true) => SCENARIO,
        (true, false) => TEST,
    };
    found.push(Finding::new(subject, &node.id, problem));
}

fn is_demanding(node: &Node) -> bool {
    let is_must = || {
        let priority = node.priority.as_deref().unwrap_or_default().trim_end().as_bytes();
        priority.last_chunk::<4>().is_some_and(|end| end.eq_ignore_ascii_case(b"must"))
    };
    let is_retired =
        ["deprecated", "superseded", "archived", "rejected", "deleted", "removed"].contains(&&*node.status);
    node.kind == EntityType::Req && !is_retired && is_must()
}

pub(crate) fn explain(view: View<'_>, finding: &Finding) -> Violation {
    let (what, todo) = match finding.problem {
        SCENARIO => ("no scenario", "add a scenario and link it with specified_by"),
        TEST => ("no test", "add a test and link it with verified_by, from the requirement or its scenario"),
        _ => ("no scenario and no test", "add both; link them with specified_by and verified_by"),
    };
    violation(
        view.branch,
        Rule::MustPriorityCoverage,
        finding,
        format!("a requirement of priority must has {what}"),
        todo.to_owned(),
        payloads(view, finding).unwrap_or_default(),
    )
}

fn payloads(view: View<'_>, finding: &Finding) -> Option<Vec<UpsertInput>> {
    let View { branch, .. } = view;
    let node = branch.node(finding.subject)?;
    let mut payloads = Vec::new();
    let mut requirement = upsert(EntityType::Req, &node.id, []);
    if finding.problem != TEST {
        let id = new_id(branch, "SCEN-", &node.id)?;
        payloads.push(new_entity(EntityType::Scenario, &id, placeholder("example of", node)));
        requirement = requirement.linked(Relation::SpecifiedBy, &id);
    }
    if finding.problem != SCENARIO {
        let id = new_id(branch, "TEST-", &node.id)?;
        let test = new_entity(EntityType::Test, &id, placeholder("test of", node));
        payloads.push(
            super::symbol_coverage::demanded(branch, finding.subject, test).unwrap_or_else(|test| test),
        );
        match first_by_id(branch, scenarios_of(branch, finding.subject)) {
            Some((_, scenario)) => payloads
                .push(fix::upsert(EntityType::Scenario, &scenario.id, []).linked(Relation::VerifiedBy, &id)),
            None => requirement = requirement.linked(Relation::VerifiedBy, &id),
        }
    }
    if !requirement.relationships.is_empty() {
        payloads.push(requirement);
    }
    Some(payloads)
}

#[cfg(test)]
mod tests {
    use crate::check::Rule::MustPriorityCoverage as RULE;
    use crate::check::tests::{Builder, finds};

    fn must() -> Builder {
        Builder::new("req:R scenario:S test:T").set("R", |node| node.priority = Some("p-MUST".into()))
    }

    #[test]
    fn just_violates() {
        let no = "a requirement of priority must has no ";
        let rows: &[(Builder, &str)] = &[
            (must(), "scenario and no test"),
            (must().link("R verified_by T"), "scenario"),
            (must().link("T validates R"), "scenario"),
            (must().link("R specified_by S"), "test"),
            // A test that is not there, and a scenario that is not there.
            (must().link("R specified_by S").link("R verified_by T").without("T"), "test"),
            (must().link("R specified_by S").link("R verified_by T").without("S"), "scenario"),
            // Of the test of a scenario that does not specify it.
            (must().link("T validates S"), "scenario and no test"),
            (must().status("R", "draft"), "scenario and no test"),
        ];
        for (builder, missing) in rows {
            finds(builder, RULE, &[("R", &format!("{no}{missing}"))]);
        }
    }

    #[test]
    fn just_does_not_violate() {
        let covered = || must().link("R specified_by S");
        let rows = [
            covered().link("R verified_by T"),
            covered().link("T validates R"),
            covered().link("S verified_by T"),
            covered().link("T validates S"),
            must().set("R", |node| node.priority = Some("musty".into())),
            must().set("R", |node| node.priority = None),
        ];
        for builder in &rows {
            finds(builder, RULE, &[]);
        }
    }

    #[test]
    fn requirements_that_no_longer_hold_are_not_judged() {
        finds(&must().status("R", "deprecated"), RULE, &[]);
        finds(&must().status("R", "superseded"), RULE, &[]);
        finds(&must().and("req:NEW").link("NEW supersedes R"), RULE, &[]);
    }
}
