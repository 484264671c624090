//! Linked entities of a row, by type.

use std::collections::{BTreeMap, BTreeSet};

use super::place;
use super::verdict::is_retired;
use crate::branch::{Branch, Edge, Node, NodeKey};
use crate::limits::{MATRIX_CELLS_MAX, MATRIX_THROUGH_MAX};
use crate::model::{EntityType, Relation};
use crate::tools::{TraceCell, TraceCells};

/// A relationship type, and whether it is followed from its source to its target.
pub(super) type Way = (Relation, bool);

/// From a requirement to its scenarios.
pub(super) const SCENARIOS: &[Way] = &[(Relation::SpecifiedBy, true)];
/// From a requirement or scenario to its tests.
pub(super) const TESTS: &[Way] = &[(Relation::VerifiedBy, true), (Relation::Validates, false)];
/// From a requirement to its symbols.
pub(super) const IMPLEMENTERS: &[Way] = &[(Relation::Implements, false)];
/// From a scenario to its requirements.
pub(super) const SPECIFIED: &[Way] = &[(Relation::SpecifiedBy, false)];
/// From a test to the requirements and scenarios that it verifies.
pub(super) const VERIFIED: &[Way] = &[(Relation::VerifiedBy, false), (Relation::Validates, true)];
/// From a test to its symbols.
const TESTED: &[Way] = &[(Relation::CoveredBy, false), (Relation::ExecutableFor, false)];
/// From a symbol to its requirements.
pub(super) const IMPLEMENTED: &[Way] = &[(Relation::Implements, true)];
/// From a symbol to the tests that cover it.
pub(super) const COVERERS: &[Way] = &[(Relation::CoveredBy, true)];
/// From a symbol to its tests, those that it is the code of included.
const TESTERS: &[Way] = &[(Relation::CoveredBy, true), (Relation::ExecutableFor, true)];

/// Returns entities of a type that a way leads to, with the relationship that does. One that two relationships lead to
/// is there twice.
pub(super) fn linked<'a>(
    branch: &'a Branch,
    key: NodeKey,
    ways: &'static [Way],
    kind: EntityType,
) -> impl Iterator<Item = (NodeKey, &'a Node, Edge)> {
    let edges = ways.iter().flat_map(move |(relation, is_forward)| {
        let relation = *relation;
        let forward = is_forward.then(|| branch.targets(key, relation));
        let backward = (!is_forward).then(|| branch.sources(key, relation));
        let forward = forward.into_iter().flatten().map(move |to| (to, Edge { relation, from: key, to }));
        let backward =
            backward.into_iter().flatten().map(move |from| (from, Edge { relation, from, to: key }));
        forward.chain(backward)
    });
    edges.filter_map(move |(end, edge)| {
        let node = branch.node(end).filter(|node| node.kind == kind)?;
        Some((end, node, edge))
    })
}

/// Returns those that still count.
pub(super) fn current<'a>(
    branch: &'a Branch,
    key: NodeKey,
    ways: &'static [Way],
    kind: EntityType,
) -> impl Iterator<Item = (NodeKey, &'a Node, Edge)> {
    linked(branch, key, ways, kind).filter(|(key, node, _)| !is_retired(branch, *key, node))
}

/// Entities of one column.
#[derive(Debug, Default)]
pub(super) struct Column<'a>(BTreeMap<&'a str, Found<'a>>);

#[derive(Debug)]
struct Found<'a> {
    key: NodeKey,
    node: &'a Node,
    is_direct: bool,
    through: BTreeSet<&'a str>,
    is_suspect: bool,
}

impl<'a> Column<'a> {
    /// Adds an entity that a relationship leads to, from the entity of the row or through another one.
    fn add(
        &mut self,
        branch: &Branch,
        (key, node, edge): (NodeKey, &'a Node, Edge),
        through: Option<&'a str>,
    ) {
        let found = self.0.entry(&node.id).or_insert_with(|| Found {
            key,
            node,
            is_direct: false,
            through: BTreeSet::new(),
            is_suspect: false,
        });
        found.is_direct |= through.is_none();
        found.through.extend(through);
        found.is_suspect |= branch.trust(edge).is_suspect();
    }

    /// Adds entities that are linked to one of the row and still count.
    fn extend(
        &mut self,
        branch: &'a Branch,
        from: NodeKey,
        ways: &'static [Way],
        kind: EntityType,
        through: Option<&'a str>,
    ) {
        current(branch, from, ways, kind).for_each(|found| self.add(branch, found, through));
    }

    fn keys(&self) -> Vec<(NodeKey, &'a str)> {
        self.0.iter().map(|(id, found)| (found.key, *id)).collect()
    }

    /// The first of them, and how many they are.
    pub(super) fn cells(self) -> TraceCells {
        let count = self.0.len() as u64;
        let items = self.0.into_values().take(MATRIX_CELLS_MAX).map(|found| TraceCell {
            id: found.node.id.to_string(),
            title: found.node.title.to_string(),
            status: found.node.status.to_string(),
            source: place(found.node).to_owned(),
            direct: found.is_direct,
            through: found.through.into_iter().take(MATRIX_THROUGH_MAX).map(str::to_owned).collect(),
            suspect: found.is_suspect,
        });
        TraceCells { items: items.collect(), count }
    }
}

/// Returns the requirements, scenarios, tests and symbols of an entity that still count.
pub(super) fn trace(branch: &Branch, key: NodeKey, kind: EntityType) -> [Column<'_>; 4] {
    use EntityType::{Req, Scenario, Symbol, Test};
    let [mut requirements, mut scenarios, mut tests, mut symbols] = [(); 4].map(|()| Column::default());
    match kind {
        Req => {
            scenarios.extend(branch, key, SCENARIOS, Scenario, None);
            tests.extend(branch, key, TESTS, Test, None);
            for (scenario, id) in scenarios.keys() {
                tests.extend(branch, scenario, TESTS, Test, Some(id));
            }
            symbols.extend(branch, key, IMPLEMENTERS, Symbol, None);
            for found in symbols.0.values_mut() {
                let covering = current(branch, found.key, COVERERS, Test).map(|(_, test, _)| &*test.id);
                found.through.extend(covering.filter(|id| tests.0.contains_key(id)));
            }
        }
        Scenario => {
            requirements.extend(branch, key, SPECIFIED, Req, None);
            tests.extend(branch, key, TESTS, Test, None);
            for (test, id) in tests.keys() {
                symbols.extend(branch, test, TESTED, Symbol, Some(id));
            }
        }
        Test => {
            requirements.extend(branch, key, VERIFIED, Req, None);
            scenarios.extend(branch, key, VERIFIED, Scenario, None);
            for (scenario, id) in scenarios.keys() {
                requirements.extend(branch, scenario, SPECIFIED, Req, Some(id));
            }
            symbols.extend(branch, key, TESTED, Symbol, None);
        }
        Symbol => {
            requirements.extend(branch, key, IMPLEMENTED, Req, None);
            tests.extend(branch, key, TESTERS, Test, None);
        }
        EntityType::Adr | EntityType::Flag | EntityType::Event | EntityType::Fact => {}
    }
    [requirements, scenarios, tests, symbols]
}
