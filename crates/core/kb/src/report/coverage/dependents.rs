//! Requirements that transitively depend on others, and the symbols that implement them.
//!
//! Requirements that depend on each other are one component; components are numbered so that each comes after those
//! that it depends on. One pass in that order carries the marks of 64 requirements to all that depend on them.

use std::collections::HashMap;

use super::evidence::{Evidence, covered, implementers, of_kind};
use crate::branch::{Branch, NodeKey};
use crate::model::{EntityType, Relation};

/// Marks of up to 64 requirements, one bit each.
type Marks = u64;

/// The requirements of a branch by their dependencies.
pub(super) struct Dependents {
    keys: Vec<NodeKey>,
    places: HashMap<NodeKey, usize>,
    /// Requirements that each one depends on.
    targets: Vec<Vec<usize>>,
    /// The component of each requirement.
    component: Vec<usize>,
    /// Requirements of each component.
    members: Vec<Vec<usize>>,
}

impl Dependents {
    /// Reads the requirements of a branch.
    pub(super) fn of(branch: &Branch) -> Self {
        let keys: Vec<NodeKey> = branch.by_type(Some(EntityType::Req)).map(|(key, _)| key).collect();
        let places: HashMap<NodeKey, usize> =
            keys.iter().enumerate().map(|(place, key)| (*key, place)).collect();
        let targets: Vec<Vec<usize>> = keys
            .iter()
            .map(|key| {
                let ends = of_kind(branch, branch.targets(*key, Relation::DependsOn), EntityType::Req);
                ends.filter_map(|end| places.get(&end).copied()).collect()
            })
            .collect();
        let (component, members) = components(&targets);
        Dependents { keys, places, targets, component, members }
    }

    /// Returns the number of symbols of each requirement: those that implement it, those that implement a requirement
    /// that transitively depends on it, and those that a test of it covers.
    pub(super) fn symbol_counts(&self, branch: &Branch, keys: &[NodeKey], evidence: &[Evidence]) -> Vec<u64> {
        let chunks = keys.chunks(Marks::BITS as usize).zip(evidence.chunks(Marks::BITS as usize));
        chunks.flat_map(|(keys, evidence)| self.chunk_counts(branch, keys, evidence)).collect()
    }

    /// Counts for at most 64 requirements.
    fn chunk_counts(&self, branch: &Branch, keys: &[NodeKey], evidence: &[Evidence]) -> Vec<u64> {
        let mut symbols: HashMap<NodeKey, Marks> = HashMap::new();
        for (place, marks) in self.spread(keys).into_iter().enumerate().filter(|(_, marks)| *marks != 0) {
            for symbol in implementers(branch, self.keys[place]) {
                *symbols.entry(symbol).or_default() |= marks;
            }
        }
        let mut tests: HashMap<NodeKey, Marks> = HashMap::new();
        for (bit, evidence) in evidence.iter().enumerate() {
            evidence.tests().for_each(|test| *tests.entry(test).or_default() |= 1 << bit);
        }
        for (test, marks) in tests {
            covered(branch, test).for_each(|symbol| *symbols.entry(symbol).or_default() |= marks);
        }
        let mut counts = vec![0; keys.len()];
        for mut marks in symbols.into_values() {
            while marks != 0 {
                counts[marks.trailing_zeros() as usize] += 1;
                marks &= marks - 1;
            }
        }
        counts
    }

    /// Returns the marks of each requirement: those of every one of `keys` that it is or transitively depends on.
    fn spread(&self, keys: &[NodeKey]) -> Vec<Marks> {
        let mut of_component: Vec<Marks> = vec![0; self.members.len()];
        for (bit, key) in keys.iter().enumerate() {
            if let Some(place) = self.places.get(key) {
                of_component[self.component[*place]] |= 1 << bit;
            }
        }
        for (component, members) in self.members.iter().enumerate() {
            let targets = members.iter().flat_map(|member| &self.targets[*member]);
            let marks = targets.fold(0, |marks, target| marks | of_component[self.component[*target]]);
            of_component[component] |= marks;
        }
        self.component.iter().map(|component| of_component[*component]).collect()
    }
}

const UNSEEN: usize = usize::MAX;

/// Returns the strongly connected components of a graph: the component of each node, and the nodes of each component.
/// Components come after those that they point to (Tarjan's algorithm, with a stack of our own).
fn components(targets: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut component = vec![UNSEEN; targets.len()];
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut order = vec![UNSEEN; targets.len()];
    let mut lowest = vec![UNSEEN; targets.len()];
    let mut seen = 0;
    let (mut open, mut calls): (Vec<usize>, Vec<(usize, usize)>) = (Vec::new(), Vec::new());
    for start in 0..targets.len() {
        if order[start] == UNSEEN {
            calls.push((start, 0));
        }
        while let Some((node, next)) = calls.pop() {
            if next == 0 {
                (order[node], lowest[node]) = (seen, seen);
                seen += 1;
                open.push(node);
            } else {
                lowest[node] = lowest[node].min(lowest[targets[node][next - 1]]);
            }
            let unseen = (next..targets[node].len()).find(|at| {
                let target = targets[node][*at];
                if order[target] != UNSEEN && component[target] == UNSEEN {
                    lowest[node] = lowest[node].min(order[target]);
                }
                order[target] == UNSEEN
            });
            if let Some(at) = unseen {
                calls.push((node, at + 1));
                calls.push((targets[node][at], 0));
            } else if lowest[node] == order[node] {
                let first = open.iter().rposition(|other| *other == node).unwrap_or(0);
                let closed = open.split_off(first);
                closed.iter().for_each(|member| component[*member] = members.len());
                members.push(closed);
            }
        }
    }
    (component, members)
}
