//! Random branches, and the same branch with other numbers.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::node;
use crate::{Branch, Edge, EntityType, Node, NodeKey, Relation};

/// Entities and relationships by their places.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    nodes: Vec<Node>,
    edges: Vec<(usize, Relation, usize)>,
    /// Entities that were lost although relationships refer to them.
    lost: Vec<usize>,
    /// Other numbers for the entities.
    renumbered: Vec<u64>,
}

impl Plan {
    /// The branch, numbered in the order of its entities.
    pub(crate) fn branch(&self) -> Branch {
        self.numbered(|place| place as u64)
    }

    /// The same branch with other numbers.
    pub(crate) fn other_branch(&self) -> Branch {
        self.numbered(|place| self.renumbered[place])
    }

    fn numbered(&self, number: impl Fn(usize) -> u64) -> Branch {
        let key = |place: usize| NodeKey(number(place));
        let mut branch = Branch::default();
        for (place, node) in self.nodes.iter().enumerate().filter(|(place, _)| !self.lost.contains(place)) {
            branch.put(key(place), node.clone());
        }
        for (from, relation, to) in &self.edges {
            branch.link(Edge { relation: *relation, from: key(*from), to: key(*to) });
        }
        branch
    }
}

/// Branches in which requirements, scenarios, tests and symbols are linked densely.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let kinds = vec!["req", "req", "req", "scenario", "test", "test", "symbol", "symbol", "fact"];
    let one = (
        select(kinds),
        select(vec!["must", "P-Must", "low", "musty"]),
        select(vec!["passing", "failing", "open"]),
        select(vec![
            "",
            " verification_scope=unit",
            " verification_scope=end_to_end",
            " tags=e2e",
            " tags=a,b",
        ]),
        select(vec!["Log_in", "Log_out", "log"]),
    );
    let places = 1..24_usize;
    places
        .prop_flat_map(move |count| {
            let nodes = proptest::collection::vec(one.clone(), count);
            let edges = proptest::collection::vec((any::<Index>(), any::<Index>()), 0..4 * count);
            let lost = proptest::collection::vec(0..count, 0..2);
            let numbers: Vec<u64> = (0..count as u64).map(|number| number * 3 + 1).collect();
            (nodes, edges, lost, Just(numbers).prop_shuffle())
        })
        .prop_map(|(nodes, edges, lost, renumbered)| {
            let count = nodes.len();
            let nodes: Vec<Node> = nodes
                .into_iter()
                .enumerate()
                .map(|(place, (kind, priority, status, more, title))| {
                    let id = place * 7 % count.next_power_of_two().max(8);
                    let text = format!(
                        "{kind} {}{id}-{place} priority={priority} status={status} title={title}{more}",
                        ["A", "b"][place % 2]
                    );
                    node(&text)
                })
                .collect();
            let edges = edges.iter().filter_map(|(pair, relation)| {
                let (from, to) = (pair.index(count * count) / count, pair.index(count * count) % count);
                let legal: Vec<Relation> = Relation::ALL
                    .iter()
                    .copied()
                    .filter(|relation| relation.allows(nodes[from].kind, nodes[to].kind))
                    .filter(|known| *known != Relation::RelatesTo || relation.index(5) == 0)
                    .collect();
                (!legal.is_empty()).then(|| (from, legal[relation.index(legal.len())], to))
            });
            Plan { edges: edges.collect(), nodes, lost, renumbered }
        })
}

/// Types in the order of reports.
pub(crate) fn place_of(node: &Node) -> (&'static str, String) {
    let kind: EntityType = node.kind;
    (kind.text(), node.id.to_string())
}
