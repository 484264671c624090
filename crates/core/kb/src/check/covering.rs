//! Tests that cover a requirement.
//!
//! A test covers a requirement by verifying a scenario that specifies it, or by verifying it directly if no scenario
//! specifies it. A requirement may demand a kind of test: a `property_value` fact that it `requires_property`, with
//! the subject `requirement.<id>.verification`, the property `verification_scope` or `verification_perspective`, the
//! operator `eq` and the polarity `require`, all of them defaults aside. Then the field of the test must have that
//! value.

use std::collections::{BTreeSet, HashSet};

use super::delta::Delta;
use super::traceability::{is, scenarios_of, specified_by, stays_specified, tests_of, verified_by};
use crate::{Branch, EntityType, FactFields, FactKind, Node, NodeKey, Relation};

/// The beginning of the subjects that demand a kind of test.
const SUBJECT_PREFIX: &str = "requirement.";

/// Tests that cover some requirement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Covering {
    tests: HashSet<NodeKey>,
}

impl Covering {
    pub(crate) fn build(branch: &Branch) -> Self {
        let tests = branch.by_type(Some(EntityType::Test)).map(|(key, _)| key);
        Covering { tests: tests.filter(|key| covers_any(branch, *key)).collect() }
    }

    /// Follows a change, and returns the tests that began or ceased to cover a requirement.
    pub(crate) fn update(&mut self, branch: &Branch, delta: &Delta<'_>) -> Vec<NodeKey> {
        let mut tests = affected(branch, delta);
        tests.retain(|test| {
            let is_covering = covers_any(branch, *test);
            let was_covering = if is_covering { !self.tests.insert(*test) } else { self.tests.remove(test) };
            was_covering != is_covering
        });
        tests.into_iter().collect()
    }

    /// Whether a test covers some requirement.
    pub(crate) fn contains(&self, test: NodeKey) -> bool {
        self.tests.contains(&test)
    }
}

/// Tests that may have begun or ceased to cover a requirement.
fn affected(branch: &Branch, delta: &Delta<'_>) -> BTreeSet<NodeKey> {
    let mut tests = BTreeSet::new();
    tests.extend(delta.nodes().filter(|key| was_or_is(branch, delta, *key, EntityType::Test)));
    for key in delta.changed(branch, |before, after| before.kind != after.kind || before.id != after.id) {
        around(branch, key, &mut tests);
        for requirement in branch.sources(key, Relation::SpecifiedBy) {
            around(branch, requirement, &mut tests);
        }
    }
    for fact in delta.changed(branch, |before, after| before.fact != after.fact) {
        if was_or_is_demand(branch, delta, fact) {
            let requirements = branch.sources(fact, Relation::RequiresProperty);
            requirements.for_each(|requirement| around(branch, requirement, &mut tests));
        }
    }
    tests.extend(delta.edges(&[Relation::VerifiedBy]).map(|edge| edge.to));
    tests.extend(delta.edges(&[Relation::Validates]).map(|edge| edge.from));
    for edge in delta.edges(&[Relation::SpecifiedBy]) {
        tests.extend(tests_of(branch, edge.to));
        if !stays_specified(branch, delta, edge.from) {
            tests.extend(tests_of(branch, edge.from));
        }
    }
    for edge in delta.edges(&[Relation::RequiresProperty]) {
        if was_or_is_demand(branch, delta, edge.to) {
            around(branch, edge.from, &mut tests);
        }
    }
    tests
}

/// Adds the tests that verify an entity, or a scenario that specifies it.
fn around(branch: &Branch, key: NodeKey, tests: &mut BTreeSet<NodeKey>) {
    tests.extend(tests_of(branch, key));
    for scenario in branch.targets(key, Relation::SpecifiedBy) {
        tests.extend(tests_of(branch, scenario));
    }
}

fn was_or_is(branch: &Branch, delta: &Delta<'_>, key: NodeKey, kind: EntityType) -> bool {
    is(branch, key, kind) || delta.before(key).is_some_and(|node| node.kind == kind)
}

fn was_or_is_demand(branch: &Branch, delta: &Delta<'_>, key: NodeKey) -> bool {
    let states = [branch.node(key), delta.before(key)];
    let facts = states.into_iter().flatten().filter_map(|node| node.fact.as_deref());
    facts.filter_map(|fact| fact.subject_key.as_deref()).any(|subject| subject.starts_with(SUBJECT_PREFIX))
}

fn covers_any(branch: &Branch, test: NodeKey) -> bool {
    let Some(node) = branch.node(test).filter(|node| node.kind == EntityType::Test) else { return false };
    verified_by(branch, test).any(|key| {
        let is_direct = is(branch, key, EntityType::Req) && scenarios_of(branch, key).next().is_none();
        if is_direct {
            return satisfies(branch, node, key);
        }
        is(branch, key, EntityType::Scenario)
            && specified_by(branch, key).any(|requirement| satisfies(branch, node, requirement))
    })
}

/// Whether a test is of the kind that a requirement demands.
fn satisfies(branch: &Branch, test: &Node, requirement: NodeKey) -> bool {
    demands(branch, requirement).all(|(field, value)| field.of(test) == Some(value))
}

/// A field of a test that a requirement may demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demanded {
    Scope,
    Perspective,
}

impl Demanded {
    /// The name of the field, which is also the property key.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Demanded::Scope => "verification_scope",
            Demanded::Perspective => "verification_perspective",
        }
    }

    fn of(self, test: &Node) -> Option<&str> {
        match self {
            Demanded::Scope => test.verification_scope.as_deref(),
            Demanded::Perspective => test.verification_perspective.as_deref(),
        }
    }
}

/// Values of fields of tests that a requirement demands.
pub(crate) fn demands(branch: &Branch, requirement: NodeKey) -> impl Iterator<Item = (Demanded, &str)> {
    let id = branch.node(requirement).map_or("", |node| &*node.id);
    let facts = branch.targets(requirement, Relation::RequiresProperty);
    let facts = facts.filter_map(|key| branch.node(key)?.fact.as_deref());
    facts.filter_map(move |fact| demand(fact, id))
}

fn demand<'a>(fact: &'a FactFields, requirement: &str) -> Option<(Demanded, &'a str)> {
    let subject = fact.subject_key.as_deref()?.strip_prefix(SUBJECT_PREFIX)?;
    let is_demand = fact.kind() == Some(FactKind::PropertyValue)
        && subject.strip_suffix(".verification") == Some(requirement)
        && matches!(fact.operator.as_deref(), None | Some("" | "eq"))
        && matches!(fact.polarity.as_deref(), None | Some("" | "require"));
    let property = fact.property_key.as_deref()?;
    let field =
        [Demanded::Scope, Demanded::Perspective].into_iter().find(|field| field.name() == property)?;
    is_demand.then_some((field, fact.value_string.as_deref()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::Builder;

    fn covers(build: impl FnOnce(Builder) -> Builder, test: &str) -> bool {
        let branch = build(Builder::new("req:R scenario:S test:T")).branch();
        let key = branch.find(test).unwrap().0;
        Covering::build(&branch).contains(key)
    }

    #[test]
    fn a_test_covers_directly_only_where_no_scenario_specifies() {
        assert!(!covers(|branch| branch, "T"));
        assert!(covers(|branch| branch.link("T validates R"), "T"));
        assert!(covers(|branch| branch.link("R verified_by T"), "T"));
        assert!(!covers(|branch| branch.link("R verified_by T").link("R specified_by S"), "T"));
        assert!(covers(|branch| branch.link("S verified_by T").link("R specified_by S"), "T"));
        assert!(covers(|branch| branch.link("T validates S").link("R specified_by S"), "T"));
        assert!(!covers(|branch| branch.link("T validates S"), "T"));
    }

    #[test]
    fn a_test_covers_only_if_it_is_of_the_kind_that_is_demanded() {
        let demand = |subject: &str, value: &str, test: &str| {
            let (subject, value, test) = (subject.to_owned(), value.to_owned(), test.to_owned());
            covers(
                move |branch| {
                    branch
                        .property("F", &subject, "verification_scope", &value)
                        .set("T", |node| node.verification_scope = (!test.is_empty()).then(|| test.into()))
                        .link("R requires_property F")
                        .link("T validates R")
                },
                "T",
            )
        };
        assert!(demand("requirement.R.verification", "unit", "unit"));
        assert!(!demand("requirement.R.verification", "unit", "integration"));
        assert!(!demand("requirement.R.verification", "unit", ""));
        assert!(demand("requirement.OTHER.verification", "unit", "integration"));
        assert!(demand("requirement.R.documentation", "unit", "integration"));
    }
}
