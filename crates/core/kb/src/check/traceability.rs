//! Relations between requirements, scenarios and tests, in both spellings. Only entities that exist, and that have the
//! type that the relationship asks for, count.

use super::delta::Delta;
use crate::{Branch, Edge, EntityType, NodeKey, Relation};

/// Whether an entity exists and has this type.
pub(crate) fn is(branch: &Branch, key: NodeKey, kind: EntityType) -> bool {
    branch.node(key).is_some_and(|node| node.kind == kind)
}

/// Scenarios that specify a requirement.
pub(crate) fn scenarios_of(branch: &Branch, requirement: NodeKey) -> impl Iterator<Item = NodeKey> {
    let scenarios = branch.targets(requirement, Relation::SpecifiedBy);
    scenarios.filter(|key| is(branch, *key, EntityType::Scenario))
}

/// Requirements that a scenario specifies.
pub(crate) fn specified_by(branch: &Branch, scenario: NodeKey) -> impl Iterator<Item = NodeKey> {
    let requirements = branch.sources(scenario, Relation::SpecifiedBy);
    requirements.filter(|key| is(branch, *key, EntityType::Req))
}

/// Relationships by which tests verify a requirement or scenario, and the tests, which may be missing.
fn verifications(branch: &Branch, key: NodeKey) -> impl Iterator<Item = (Edge, NodeKey)> {
    let verified_by = branch
        .targets(key, Relation::VerifiedBy)
        .map(move |test| (Edge { relation: Relation::VerifiedBy, from: key, to: test }, test));
    let validates = branch
        .sources(key, Relation::Validates)
        .map(move |test| (Edge { relation: Relation::Validates, from: test, to: key }, test));
    verified_by.chain(validates)
}

/// Tests that verify a requirement or scenario directly. A test that does so in both spellings comes twice.
pub(crate) fn tests_of(branch: &Branch, key: NodeKey) -> impl Iterator<Item = NodeKey> {
    verifications(branch, key).map(|(_, test)| test).filter(|test| is(branch, *test, EntityType::Test))
}

/// Requirements and scenarios that a test verifies directly, some of which may be missing.
pub(crate) fn verified_by(branch: &Branch, test: NodeKey) -> impl Iterator<Item = NodeKey> {
    branch.sources(test, Relation::VerifiedBy).chain(branch.targets(test, Relation::Validates))
}

/// Whether a test verified a requirement or scenario before the change and still does.
pub(crate) fn stays_verified(branch: &Branch, delta: &Delta<'_>, key: NodeKey) -> bool {
    verifications(branch, key).any(|(edge, test)| delta.leaves(edge) && is(branch, test, EntityType::Test))
}

/// Whether a scenario specified a requirement before the change and still does.
pub(crate) fn stays_specified(branch: &Branch, delta: &Delta<'_>, requirement: NodeKey) -> bool {
    scenarios_of(branch, requirement).any(|scenario| {
        delta.leaves(Edge { relation: Relation::SpecifiedBy, from: requirement, to: scenario })
    })
}
