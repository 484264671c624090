//! A small directed graph: its strongly connected components, and cycles that name each entity on a cycle.

use std::collections::{HashMap, VecDeque};

use crate::limits::{CHECK_CYCLE_STEPS_MAX, CHECK_CYCLES_MAX};

/// A directed graph over places `0..len`.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// Ends of each place, ascending.
    out: Vec<Vec<usize>>,
}

/// Cycles within one component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Places in the order of the edges, from the lowest place on; sorted, each set of places once.
    pub(crate) cycles: Vec<Vec<usize>>,
    /// Whether a limit ended the search.
    pub(crate) is_cut: bool,
}

impl Graph {
    /// Builds the graph of some keys in their order; `ends` may name others, which are left out.
    pub(crate) fn new<K: Copy + Eq + std::hash::Hash, E: Iterator<Item = K>>(
        keys: &[K],
        ends: impl Fn(K) -> E,
    ) -> Self {
        let place: HashMap<K, usize> = keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();
        let out = keys.iter().map(|key| {
            let mut ends: Vec<usize> = ends(*key).filter_map(|end| place.get(&end).copied()).collect();
            ends.sort_unstable();
            ends
        });
        Graph { out: out.collect() }
    }

    /// Whether an edge leads from a place to itself.
    pub(crate) fn has_loop(&self, place: usize) -> bool {
        self.out[place].binary_search(&place).is_ok()
    }

    /// Returns the strongly connected components, each with its places ascending (Tarjan's algorithm, without
    /// recursion).
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let mut search = Search { index: vec![usize::MAX; self.out.len()], ..Search::default() };
        search.low = search.index.clone();
        search.on_stack = vec![false; self.out.len()];
        for root in 0..self.out.len() {
            if search.index[root] == usize::MAX {
                search.from(root, &self.out);
            }
        }
        search.components
    }

    /// Finds cycles in a graph that is one component. Each place is on a cycle that is returned, and a loop is always
    /// one. The cost is that of the graph and of the cycles, which are bounded.
    pub(crate) fn cycles(&self) -> Found {
        let mut found = Found::default();
        let count = self.out.len();
        found.cycles.extend((0..count).filter(|place| self.has_loop(*place)).map(|place| vec![place]));
        if count > 1 {
            self.long_cycles(&mut found);
        }
        found.is_cut |= found.cycles.len() > CHECK_CYCLES_MAX;
        found.cycles.sort_unstable();
        found.cycles.truncate(CHECK_CYCLES_MAX);
        found
    }

    /// Walks from the first place to each place and back along shortest paths, and keeps the cycle at its far end.
    fn long_cycles(&self, found: &mut Found) {
        let mut reverse = vec![Vec::new(); self.out.len()];
        for (from, ends) in self.out.iter().enumerate() {
            ends.iter().for_each(|end| reverse[*end].push(from));
        }
        let (ahead, _) = parents(&reverse);
        let (behind, depth) = parents(&self.out);
        let mut is_covered = vec![false; self.out.len()];
        let mut steps = 0;
        for far in 0..self.out.len() {
            if is_covered[far] {
                continue;
            }
            if steps > CHECK_CYCLE_STEPS_MAX || found.cycles.len() > CHECK_CYCLES_MAX {
                found.is_cut = true;
                return;
            }
            let cycle = if far == 0 {
                // The way back from the nearest place that leads to the first one.
                let before = reverse[0].iter().copied().filter(|place| *place != 0);
                let before = before.min_by_key(|place| depth[*place]);
                let mut cycle: Vec<usize> =
                    before.into_iter().flat_map(|place| path(&behind, place)).collect();
                cycle.reverse();
                cycle
            } else {
                far_cycle(&ahead, &behind, far, &mut steps)
            };
            steps += cycle.len();
            cycle.iter().for_each(|place: &usize| is_covered[*place] = true);
            found.cycles.push(in_order(cycle));
        }
    }
}

/// For each place, the one before it on a shortest path from the first place, and the length of that path.
fn parents(out: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut parent = vec![usize::MAX; out.len()];
    let mut depth = vec![0; out.len()];
    parent[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(place) = queue.pop_front() {
        for end in &out[place] {
            if parent[*end] == usize::MAX {
                parent[*end] = place;
                depth[*end] = depth[place] + 1;
                queue.push_back(*end);
            }
        }
    }
    (parent, depth)
}

/// Places from one to the first place, along parents.
fn path(parent: &[usize], from: usize) -> impl Iterator<Item = usize> {
    let next = |place: &usize| (*place != 0).then(|| parent[*place]);
    std::iter::successors(Some(from), next)
}

/// The cycle through `far`: from it on to the first place that also lies on the path to it, and along that path back.
/// `ahead` leads towards the first place, `behind` away from it, reversed.
fn far_cycle(ahead: &[usize], behind: &[usize], far: usize, steps: &mut usize) -> Vec<usize> {
    let to_far: Vec<usize> = path(behind, far).collect();
    *steps += to_far.len();
    let at: HashMap<usize, usize> = to_far.iter().enumerate().map(|(at, place)| (*place, at)).collect();
    let mut cycle = Vec::new();
    for place in path(ahead, far) {
        if place != far
            && let Some(meeting) = at.get(&place)
        {
            // `to_far` is reversed: from `far` back to the first place.
            let back = to_far[1..=*meeting].iter().rev().copied();
            return cycle.into_iter().chain(back).collect();
        }
        cycle.push(place);
    }
    cycle
}

/// Rotates a cycle so that it begins at its lowest place.
fn in_order(mut cycle: Vec<usize>) -> Vec<usize> {
    let lowest = cycle.iter().enumerate().min_by_key(|(_, place)| **place).map_or(0, |(at, _)| at);
    cycle.rotate_left(lowest);
    cycle
}

#[derive(Default)]
struct Search {
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    components: Vec<Vec<usize>>,
}

impl Search {
    fn from(&mut self, root: usize, out: &[Vec<usize>]) {
        let mut calls = vec![(root, 0)];
        self.enter(root);
        while let Some((place, edge)) = calls.last_mut() {
            let place = *place;
            if let Some(end) = out[place].get(*edge).copied() {
                *edge += 1;
                if self.index[end] == usize::MAX {
                    self.enter(end);
                    calls.push((end, 0));
                } else if self.on_stack[end] {
                    self.low[place] = self.low[place].min(self.index[end]);
                }
                continue;
            }
            calls.pop();
            if let Some((caller, _)) = calls.last() {
                self.low[*caller] = self.low[*caller].min(self.low[place]);
            }
            if self.low[place] == self.index[place] {
                self.close(place);
            }
        }
    }

    fn enter(&mut self, place: usize) {
        self.index[place] = self.next;
        self.low[place] = self.next;
        self.next += 1;
        self.stack.push(place);
        self.on_stack[place] = true;
    }

    fn close(&mut self, root: usize) {
        let begin = self.stack.iter().rposition(|place| *place == root).unwrap_or_default();
        let mut component = self.stack.split_off(begin);
        component.iter().for_each(|place| self.on_stack[*place] = false);
        component.sort_unstable();
        self.components.push(component);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, usize)]) -> Graph {
        let count = edges.iter().map(|(from, to)| from.max(to) + 1).max().unwrap_or_default();
        let keys: Vec<usize> = (0..count).collect();
        Graph::new(&keys, |key| {
            edges
                .iter()
                .filter(move |(from, _)| *from == key)
                .map(|(_, to)| *to)
                .collect::<Vec<_>>()
                .into_iter()
        })
    }

    #[test]
    fn every_place_of_a_component_is_on_a_cycle_that_is_returned() {
        type Row = (&'static [(usize, usize)], &'static [&'static [usize]]);
        let rows: &[Row] = &[
            (&[(0, 0)], &[&[0]]),
            (&[(0, 1), (1, 0)], &[&[0, 1]]),
            (&[(0, 1), (1, 2), (2, 0)], &[&[0, 1, 2]]),
            (&[(0, 1), (1, 0), (0, 2), (2, 0)], &[&[0, 1], &[0, 2]]),
            (&[(0, 1), (1, 0), (1, 2), (2, 1)], &[&[0, 1], &[1, 2]]),
            (&[(0, 0), (0, 1), (1, 0)], &[&[0], &[0, 1]]),
            (&[(0, 2), (2, 1), (1, 0), (2, 0)], &[&[0, 2], &[0, 2, 1]]),
        ];
        for (edges, expected) in rows {
            assert_eq!(
                graph(edges).cycles(),
                Found { cycles: expected.iter().map(|cycle| cycle.to_vec()).collect(), is_cut: false }
            );
        }
    }

    #[test]
    fn components_are_found_in_a_long_chain_without_recursion() {
        let count = 100_000;
        let keys: Vec<usize> = (0..count).collect();
        let chain = Graph::new(&keys, |key| std::iter::once(key + 1));
        assert_eq!(chain.components().len(), count);
        let ring = Graph::new(&keys, |key| std::iter::once((key + 1) % count));
        assert_eq!(ring.components().len(), 1);
        assert_eq!(ring.cycles().cycles, [keys]);
    }

    #[test]
    fn cycles_beyond_the_limit_are_cut() {
        let star = |leaves: usize| {
            let keys: Vec<usize> = (0..=leaves).collect();
            Graph::new(&keys, move |key| if key == 0 { 1..leaves + 1 } else { 0..1 }).cycles()
        };
        assert_eq!(
            (star(CHECK_CYCLES_MAX).cycles.len(), star(CHECK_CYCLES_MAX).is_cut),
            (CHECK_CYCLES_MAX, false)
        );
        let over = star(CHECK_CYCLES_MAX + 1);
        assert_eq!((over.cycles.len(), over.is_cut), (CHECK_CYCLES_MAX, true));
    }

    proptest::proptest! {
        #[test]
        fn cycles_follow_edges_and_cover_their_component(
            edges in proptest::collection::vec((0_usize..9, 0_usize..9), 0..24)
        ) {
            let whole = graph(&edges);
            for component in whole.components() {
                let within = |key: usize| whole.out[key].iter().copied();
                let found = Graph::new(&component, within).cycles();
                let mut covered = std::collections::BTreeSet::new();
                for cycle in &found.cycles {
                    let mut unique = cycle.clone();
                    unique.sort_unstable();
                    unique.dedup();
                    proptest::prop_assert_eq!(unique.len(), cycle.len());
                    for (at, place) in cycle.iter().enumerate() {
                        let next = cycle[(at + 1) % cycle.len()];
                        proptest::prop_assert!(edges.contains(&(component[*place], component[next])));
                        covered.insert(*place);
                    }
                }
                let on_cycles = component.len() > 1 || !found.cycles.is_empty();
                proptest::prop_assert_eq!(covered.len(), if on_cycles { component.len() } else { 0 });
            }
        }
    }
}
