//! Reports of random branches equal naive models of them.

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::random::{place_of, plan};
use crate::report::{coverage, graph};
use crate::tools::{
    CoverageInput, CoverageRow, CoverageStatus, Direction, GraphInput, GraphOutput, StatusOutput,
};
use crate::{Branch, Edge, EntityType, NodeKey, Relation};

fn id(branch: &Branch, key: NodeKey) -> String {
    branch.node(key).map(|node| node.id.to_string()).unwrap_or_default()
}

/// Sources or targets of a relationship type, by scanning all relationships.
fn linked(
    branch: &Branch,
    relation: Relation,
    key: NodeKey,
    is_source: bool,
    kind: EntityType,
) -> BTreeSet<NodeKey> {
    let of_relation = branch.edges().filter(|edge| edge.relation == relation);
    let ends = of_relation.filter_map(|edge| match is_source {
        true => (edge.from == key).then_some(edge.to),
        false => (edge.to == key).then_some(edge.from),
    });
    ends.filter(|end| branch.node(*end).is_some_and(|node| node.kind == kind)).collect()
}

fn tests_of(branch: &Branch, key: NodeKey) -> BTreeSet<NodeKey> {
    let mut tests = linked(branch, Relation::VerifiedBy, key, true, EntityType::Test);
    tests.extend(linked(branch, Relation::Validates, key, false, EntityType::Test));
    tests
}

/// `(scenarios, tests, direct symbols, transitive symbols)`.
fn counts(branch: &Branch, key: NodeKey) -> (usize, usize, usize, usize) {
    let scenarios = linked(branch, Relation::SpecifiedBy, key, true, EntityType::Scenario);
    let mut tests = tests_of(branch, key);
    tests.extend(scenarios.iter().flat_map(|scenario| tests_of(branch, *scenario)));
    let implementers = |key| linked(branch, Relation::Implements, key, false, EntityType::Symbol);
    let (mut reached, mut queue) = (BTreeSet::from([key]), VecDeque::from([key]));
    while let Some(next) = queue.pop_front() {
        for dependent in linked(branch, Relation::DependsOn, next, false, EntityType::Req) {
            if reached.insert(dependent) {
                queue.push_back(dependent);
            }
        }
    }
    let mut symbols: BTreeSet<NodeKey> = reached.into_iter().flat_map(implementers).collect();
    symbols.extend(
        tests.iter().flat_map(|test| linked(branch, Relation::CoveredBy, *test, false, EntityType::Symbol)),
    );
    (scenarios.len(), tests.len(), implementers(key).len(), symbols.len())
}

/// The traversal by its definition: every layer looks at every relationship of the branch.
fn naive_graph(branch: &Branch, input: &GraphInput) -> (Vec<String>, Vec<String>, bool) {
    let (nodes_max, edges_max) = (input.max_nodes.unwrap() as usize, input.max_edges.unwrap() as usize);
    let seeds: BTreeSet<String> =
        input.seed_ids.iter().filter(|id| branch.find(id).is_some()).cloned().collect();
    let mut truncated = seeds.len() > nodes_max;
    let mut nodes: BTreeSet<String> = seeds.into_iter().take(nodes_max).collect();
    let mut frontier = nodes.clone();
    let mut edges: BTreeSet<(&str, String, String)> = BTreeSet::new();
    for _ in 0..input.depth.unwrap() {
        let mut steps: Vec<((&str, String, String), String)> = Vec::new();
        for Edge { relation, from, to } in branch.edges() {
            let (from, to) = (id(branch, from), id(branch, to));
            let is_asked = input.relationships.is_empty() || input.relationships.contains(&relation);
            if from.is_empty() || to.is_empty() || !is_asked {
                continue;
            }
            let edge = (relation.text(), from.clone(), to.clone());
            if input.direction != Direction::Incoming && frontier.contains(&from) {
                steps.push((edge.clone(), to.clone()));
            }
            if input.direction != Direction::Outgoing && frontier.contains(&to) {
                steps.push((edge, from));
            }
        }
        steps.sort();
        frontier.clear();
        for (edge, next) in steps {
            if truncated || edges.contains(&edge) {
                continue;
            }
            let is_new = !nodes.contains(&next);
            if edges.len() == edges_max || (is_new && nodes.len() == nodes_max) {
                truncated = true;
                continue;
            }
            edges.insert(edge);
            if is_new {
                nodes.insert(next.clone());
                frontier.insert(next);
            }
        }
    }
    let kinds = &input.entity_types;
    nodes.retain(|id| kinds.is_empty() || kinds.contains(&branch.find(id).unwrap().1.kind));
    edges.retain(|(_, from, to)| nodes.contains(from) && nodes.contains(to));
    let edges = edges.into_iter().map(|(relation, from, to)| format!("{from} {relation} {to}")).collect();
    (nodes.into_iter().collect(), edges, truncated)
}

pub(crate) fn graph_input() -> impl Strategy<Value = (GraphInput, Vec<prop::sample::Index>)> {
    let direction = select(vec![Direction::Outgoing, Direction::Incoming, Direction::Both]);
    let relations = prop_oneof![Just(Vec::new()), subsequence(Relation::ALL.to_vec(), 1..10)];
    let kinds = prop_oneof![Just(Vec::new()), subsequence(EntityType::ALL.to_vec(), 1..6)];
    let seeds = proptest::collection::vec(any::<prop::sample::Index>(), 1..4);
    (direction, relations, kinds, 1..=5_u32, 1..30_u32, 1..40_u32, seeds).prop_map(
        |(direction, relationships, entity_types, depth, max_nodes, max_edges, seeds)| {
            let input = GraphInput {
                direction,
                relationships,
                entity_types,
                depth: Some(depth),
                max_nodes: Some(max_nodes),
                max_edges: Some(max_edges),
                ..GraphInput::default()
            };
            (input, seeds)
        },
    )
}

/// Names the seeds of a branch.
pub(crate) fn seeded(
    branch: &Branch,
    (mut input, seeds): (GraphInput, Vec<prop::sample::Index>),
) -> GraphInput {
    let ids: Vec<String> =
        branch.by_id().map(|(_, node)| node.id.to_string()).chain(["GONE".into()]).collect();
    input.seed_ids = seeds.iter().map(|seed| seed.get(&ids).clone()).collect();
    input
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn traversals_equal_the_naive_ones(plan in plan(), asked in graph_input()) {
        let branch = plan.branch();
        let input = seeded(&branch, asked);
        let GraphOutput { nodes, edges, truncated, .. } =
            graph(&branch, &input, StatusOutput::default()).unwrap();
        let nodes: Vec<String> = nodes.into_iter().map(|node| node.id).collect();
        let edges: Vec<String> =
            edges.iter().map(|edge| format!("{} {} {}", edge.from, edge.relation, edge.to)).collect();
        prop_assert_eq!((nodes, edges, truncated), naive_graph(&branch, &input));
    }

    #[test]
    fn coverage_equals_a_naive_count(plan in plan()) {
        let branch = plan.branch();
        let input = CoverageInput { include_passing: true, ..CoverageInput::default() };
        let found = coverage(&branch, &input, StatusOutput::default()).unwrap();
        let mut keys: Vec<NodeKey> = branch
            .nodes()
            .filter(|(_, node)| node.kind == EntityType::Req)
            .map(|(key, _)| key)
            .collect();
        keys.sort_by_key(|key| place_of(branch.node(*key).unwrap()));
        prop_assert_eq!(found.rows.len(), keys.len());
        let (mut covered, mut uncovered) = (0, 0);
        for (row, key) in found.rows.iter().zip(keys) {
            let CoverageRow::Req(row) = row else { panic!("{row:?}") };
            let expected = counts(&branch, key);
            let shown = [row.scenario_count, row.test_count, row.direct_symbol_count, row.transitive_symbol_count];
            let [scenarios, tests, direct, transitive] = shown.map(|count| count as usize);
            prop_assert_eq!(&row.id, &id(&branch, key));
            prop_assert_eq!((scenarios, tests, direct, transitive), expected);
            prop_assert!(transitive >= direct);
            let must = branch.node(key).unwrap().priority.as_deref().unwrap().to_lowercase().ends_with("must");
            let status = match (must, expected.0 > 0 && expected.1 > 0) {
                (false, _) => CoverageStatus::NotApplicable,
                (true, true) => CoverageStatus::FullyCovered,
                (true, false) => CoverageStatus::Uncovered,
            };
            prop_assert_eq!(row.coverage_status, status);
            covered += u64::from(status == CoverageStatus::FullyCovered);
            uncovered += u64::from(status == CoverageStatus::Uncovered);
        }
        prop_assert_eq!((found.summary.fully_covered, found.summary.uncovered), (Some(covered), Some(uncovered)));
    }
}
