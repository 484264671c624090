//! Requirements that depend on themselves: the strongly connected components of `depends_on`, kept change by change.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::delta::Delta;
use super::graph::Graph;
use crate::{Branch, NodeKey, Relation};

/// Components with cycles, and their cycles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cycles {
    /// Each component by its lowest key.
    components: HashMap<NodeKey, Component>,
    /// The lowest key of the component of each entity that is on a cycle.
    component_of: HashMap<NodeKey, NodeKey>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Component {
    members: Box<[NodeKey]>,
    /// Each cycle from the entity on whose id comes first; ordered by ids.
    cycles: Vec<Box<[NodeKey]>>,
    is_cut: bool,
}

impl Cycles {
    /// Finds the cycles of a branch.
    pub(crate) fn build(branch: &Branch) -> Self {
        let mut cycles = Cycles::default();
        let on_paths = branch.by_id().map(|(key, _)| key).filter(|key| {
            branch.targets(*key, Relation::DependsOn).next().is_some()
                && branch.sources(*key, Relation::DependsOn).next().is_some()
        });
        for component in components(branch, &on_paths.collect::<Vec<_>>()) {
            cycles.keep(branch, component, &mut Vec::new());
        }
        cycles
    }

    /// Follows a change, and returns the entities that a cycle is or was reported at. The cost is that of the
    /// components of the entities that changed, and of the smaller side of what they reach and are reached by.
    pub(crate) fn update(&mut self, branch: &Branch, delta: &Delta<'_>) -> Vec<NodeKey> {
        let is_edge = delta.edges(&[Relation::DependsOn]).flat_map(|edge| [edge.from, edge.to]);
        let renamed = delta.changed(branch, |before, after| before.id != after.id);
        let touched: BTreeSet<NodeKey> = is_edge.chain(renamed).collect();
        let mut firsts = Vec::new();
        let mut left = BTreeSet::new();
        for key in &touched {
            self.forget(*key, &mut left, &mut firsts);
        }
        for key in touched {
            if self.component_of.contains_key(&key) {
                continue;
            }
            let component = component_with(branch, key);
            for member in &component {
                self.forget(*member, &mut left, &mut firsts);
            }
            self.keep(branch, component, &mut firsts);
        }
        // The rest of components that fell apart: no new relationship reaches them.
        let left: Vec<NodeKey> =
            left.into_iter().filter(|key| !self.component_of.contains_key(key)).collect();
        for component in components(branch, &by_id(branch, left)) {
            self.keep(branch, component, &mut firsts);
        }
        firsts
    }

    /// Entities that cycles are reported at.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = NodeKey> {
        let firsts =
            self.components.values().flat_map(|component| component.cycles.iter().map(|cycle| cycle[0]));
        firsts.collect::<BTreeSet<_>>().into_iter()
    }

    /// Cycles reported at an entity, with their places in the list of the component.
    pub(crate) fn at(&self, first: NodeKey) -> impl Iterator<Item = (u64, &[NodeKey])> {
        let cycles = self.cycles_around(first).iter().zip(0..);
        cycles.filter(move |(cycle, _)| cycle[0] == first).map(|(cycle, at)| (at, &**cycle))
    }

    /// A cycle by its place.
    pub(crate) fn cycle(&self, first: NodeKey, at: u64) -> &[NodeKey] {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        self.cycles_around(first).get(at).map_or(&[], |cycle| cycle)
    }

    /// Whether cycles of some component are missing.
    pub(crate) fn is_cut(&self) -> bool {
        self.components.values().any(|component| component.is_cut)
    }

    fn cycles_around(&self, key: NodeKey) -> &[Box<[NodeKey]>] {
        let component = self.component_of.get(&key).and_then(|lowest| self.components.get(lowest));
        component.map_or(&[], |component| &component.cycles)
    }

    /// Drops the component of an entity, and notes its members and the entities that its cycles were reported at.
    fn forget(&mut self, key: NodeKey, left: &mut BTreeSet<NodeKey>, firsts: &mut Vec<NodeKey>) {
        let Some(component) = self.component_of.get(&key).and_then(|lowest| self.components.remove(lowest))
        else {
            return;
        };
        for member in &component.members {
            self.component_of.remove(member);
        }
        left.extend(component.members);
        firsts.extend(component.cycles.iter().map(|cycle| cycle[0]));
    }

    /// Keeps a component, whose members are ordered by id, if there is a cycle in it.
    fn keep(&mut self, branch: &Branch, members: Vec<NodeKey>, firsts: &mut Vec<NodeKey>) {
        let graph = Graph::new(&members, |key| branch.targets(key, Relation::DependsOn));
        let found = graph.cycles();
        let Some(lowest) = members.iter().min().copied().filter(|_| !found.cycles.is_empty()) else { return };
        let keys = |cycle: Vec<usize>| cycle.into_iter().map(|place| members[place]).collect();
        let cycles: Vec<Box<[NodeKey]>> = found.cycles.into_iter().map(keys).collect();
        firsts.extend(cycles.iter().map(|cycle| cycle[0]));
        self.component_of.extend(members.iter().map(|member| (*member, lowest)));
        self.components
            .insert(lowest, Component { cycles, is_cut: found.is_cut, members: members.into_boxed_slice() });
    }
}

/// Components among entities, which are ordered by id, as the members of each are.
fn components(branch: &Branch, among: &[NodeKey]) -> Vec<Vec<NodeKey>> {
    let graph = Graph::new(among, |key| branch.targets(key, Relation::DependsOn));
    let components = graph.components().into_iter();
    let cyclic = components.filter(|places| places.len() > 1 || graph.has_loop(places[0]));
    cyclic.map(|places| places.into_iter().map(|place| among[place]).collect()).collect()
}

/// The component that an entity is in.
fn component_with(branch: &Branch, key: NodeKey) -> Vec<NodeKey> {
    let around = by_id(branch, one_side(branch, key));
    components(branch, &around).into_iter().find(|members| members.contains(&key)).unwrap_or_default()
}

/// Everything that an entity reaches, or everything that reaches it: the one that takes fewer steps.
fn one_side(branch: &Branch, key: NodeKey) -> Vec<NodeKey> {
    let mut sides = [Side::new(key), Side::new(key)];
    loop {
        let least = usize::from(sides[1].steps < sides[0].steps);
        let side = &mut sides[least];
        let Some(next) = side.queue.pop_front() else { return side.seen.iter().copied().collect() };
        if branch.node(next).is_none() {
            continue;
        }
        match least {
            0 => side.see(branch.targets(next, Relation::DependsOn)),
            _ => side.see(branch.sources(next, Relation::DependsOn)),
        }
    }
}

struct Side {
    seen: HashSet<NodeKey>,
    queue: VecDeque<NodeKey>,
    steps: usize,
}

impl Side {
    fn new(key: NodeKey) -> Self {
        Side { seen: HashSet::from([key]), queue: VecDeque::from([key]), steps: 0 }
    }

    fn see(&mut self, ends: impl Iterator<Item = NodeKey>) {
        self.steps += 1;
        for end in ends {
            self.steps += 1;
            if self.seen.insert(end) {
                self.queue.push_back(end);
            }
        }
    }
}

/// Entities that exist, ordered by id.
fn by_id(branch: &Branch, keys: Vec<NodeKey>) -> Vec<NodeKey> {
    let mut named: Vec<(&str, NodeKey)> =
        keys.into_iter().filter_map(|key| Some((&*branch.node(key)?.id, key))).collect();
    named.sort_unstable();
    named.into_iter().map(|(_, key)| key).collect()
}
