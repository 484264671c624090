//! Evidence that a requirement holds: its scenarios and tests.

use std::collections::BTreeSet;

use crate::branch::{Branch, Node, NodeKey};
use crate::model::{EntityType, Relation};

/// Scenarios that specify a requirement.
pub(super) fn scenarios(branch: &Branch, requirement: NodeKey) -> impl Iterator<Item = NodeKey> {
    of_kind(branch, branch.targets(requirement, Relation::SpecifiedBy), EntityType::Scenario)
}

/// Tests that verify a requirement directly, or a scenario; a test that does so in both spellings is there twice.
pub(super) fn tests(branch: &Branch, verified: NodeKey) -> impl Iterator<Item = NodeKey> {
    let both =
        branch.targets(verified, Relation::VerifiedBy).chain(branch.sources(verified, Relation::Validates));
    of_kind(branch, both, EntityType::Test)
}

/// Symbols that implement a requirement.
pub(super) fn implementers(branch: &Branch, requirement: NodeKey) -> impl Iterator<Item = NodeKey> {
    of_kind(branch, branch.sources(requirement, Relation::Implements), EntityType::Symbol)
}

/// Symbols that a test covers.
pub(super) fn covered(branch: &Branch, test: NodeKey) -> impl Iterator<Item = NodeKey> {
    of_kind(branch, branch.sources(test, Relation::CoveredBy), EntityType::Symbol)
}

/// Those that are entities of a type: ends of relationships may be missing.
pub(super) fn of_kind(
    branch: &Branch,
    keys: impl Iterator<Item = NodeKey>,
    kind: EntityType,
) -> impl Iterator<Item = NodeKey> {
    keys.filter(move |key| branch.node(*key).is_some_and(|node| node.kind == kind))
}

/// Tests of a requirement.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Scenarios that specify it.
    pub(super) scenario_count: u64,
    /// Tests that verify it directly.
    pub(super) direct: BTreeSet<NodeKey>,
    /// Tests that verify one of its scenarios.
    pub(super) through_scenarios: BTreeSet<NodeKey>,
}

impl Evidence {
    /// Returns the evidence for a requirement.
    pub(super) fn of(branch: &Branch, requirement: NodeKey) -> Self {
        let mut evidence = Evidence { direct: tests(branch, requirement).collect(), ..Evidence::default() };
        for scenario in scenarios(branch, requirement) {
            evidence.scenario_count += 1;
            evidence.through_scenarios.extend(tests(branch, scenario));
        }
        evidence
    }

    /// Every test once.
    pub(super) fn tests(&self) -> impl Iterator<Item = NodeKey> {
        self.direct.union(&self.through_scenarios).copied()
    }

    /// Returns the strength of the evidence.
    pub(super) fn depth(&self, branch: &Branch) -> &'static str {
        let nodes = |keys: &BTreeSet<NodeKey>| -> Vec<&Node> {
            keys.iter().filter_map(|key| branch.node(*key)).filter(|test| is_passing(test)).collect()
        };
        let (direct, scenario) = (nodes(&self.direct), nodes(&self.through_scenarios));
        let is_e2e = |test: &&Node| scope(test) == END_TO_END;
        let mut passing = direct.iter().chain(&scenario).peekable();
        if direct.iter().any(is_e2e) {
            "direct_passing_e2e"
        } else if scenario.iter().any(is_e2e) {
            "scenario_passing_e2e"
        } else if passing.peek().is_some() && passing.all(|test| scope(test) == "unit") {
            "unit_only"
        } else if self.tests().next().is_some() {
            "open_or_nonpassing_tests_only"
        } else if self.scenario_count > 0 {
            "scenario_only_no_test"
        } else {
            "no_test_evidence"
        }
    }
}

const END_TO_END: &str = "end_to_end";

fn is_passing(test: &Node) -> bool {
    &*test.status == "passing"
}

/// The scope of a test: as it is written, else as its tags and source suggest.
pub(super) fn scope(test: &Node) -> &str {
    match test.verification_scope.as_deref() {
        Some(scope) if !scope.is_empty() => scope,
        _ if test.tags.iter().any(|tag| &**tag == "e2e") || test.source.contains("e2e") => END_TO_END,
        _ => "unknown",
    }
}
