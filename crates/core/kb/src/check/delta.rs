//! The difference that changes made to a branch, read from the changes that undo them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Branch, Change, Edge, Node, NodeKey, Relation};

/// Entities and relationships that changed. The branch that it is used with is the state after the changes.
#[derive(Debug, Default)]
pub(crate) struct Delta<'a> {
    /// Each entity that was written, as it was before.
    nodes: BTreeMap<NodeKey, Option<&'a Node>>,
    /// Each relationship that was added or removed.
    edges: BTreeSet<Edge>,
}

impl<'a> Delta<'a> {
    /// Reads what [`Branch::apply`] returned.
    pub(crate) fn of(undo: &'a [Change]) -> Self {
        let mut delta = Delta::default();
        for change in undo {
            match change {
                // The last one restores the oldest state.
                Change::Put(key, node) => drop(delta.nodes.insert(*key, Some(&**node))),
                Change::Remove(key) => drop(delta.nodes.insert(*key, None)),
                Change::Link(edge) | Change::Unlink(edge) => drop(delta.edges.insert(*edge)),
                // Rules do not look at them.
                Change::Ends(..) => {}
            }
        }
        delta
    }

    /// Entities that were written.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeKey> {
        self.nodes.keys().copied()
    }

    /// An entity as it was before; `None` if it was not there or was not written.
    pub(crate) fn before(&self, key: NodeKey) -> Option<&'a Node> {
        self.nodes.get(&key).copied().flatten()
    }

    /// Entities that were added or removed, or that differ.
    pub(crate) fn changed(
        &self,
        branch: &Branch,
        differ: impl Fn(&Node, &Node) -> bool,
    ) -> impl Iterator<Item = NodeKey> {
        self.nodes
            .iter()
            .filter(move |(key, before)| match (before, branch.node(**key)) {
                (Some(before), Some(after)) => differ(before, after),
                (None, None) => false,
                (Some(_), None) | (None, Some(_)) => true,
            })
            .map(|(key, _)| *key)
    }

    /// Entities that were added, removed, or became an entity of another type.
    pub(crate) fn appeared(&self, branch: &Branch) -> impl Iterator<Item = NodeKey> {
        self.changed(branch, |before, after| before.kind != after.kind)
    }

    /// Relationships of these types that were added or removed.
    pub(crate) fn edges<'s>(&'s self, relations: &'s [Relation]) -> impl Iterator<Item = Edge> + 's {
        self.edges.iter().filter(|edge| relations.contains(&edge.relation)).copied()
    }

    /// Every relationship that was added or removed.
    pub(crate) fn all_edges(&self) -> impl Iterator<Item = Edge> {
        self.edges.iter().copied()
    }

    /// Whether nothing changed at an entity that was written, or at a relationship.
    pub(crate) fn leaves(&self, edge: Edge) -> bool {
        !self.edges.contains(&edge)
            && !self.nodes.contains_key(&edge.from)
            && !self.nodes.contains_key(&edge.to)
    }
}
