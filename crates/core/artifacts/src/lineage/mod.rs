//! Lineage: what an artifact was derived from, and what was derived from it.
//!
//! Edges lead from a parent to a child. They are walked level by level, a whole level with one round of reads, within
//! bounds on depth and nodes. What a caller may not read is redacted, what does not exist for it is missing.

mod cycle;
mod order;

use std::collections::{BTreeMap, BTreeSet};

use cairn_access::Scope;
use cairn_base::TenantId;
use cairn_seam::{KeyRange, Reader, Visit};

use crate::read::child_scopes;
use crate::tables::CHILDREN;
use crate::{ArtifactError, ArtifactId, Found};

pub(crate) use self::cycle::refuse_cycle;
use self::order::root_first;

/// The way in which a lineage is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what it was derived from.
    Up,
    /// To what was derived from it.
    Down,
    /// Both ways.
    Both,
}

/// A lineage to be walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineageRequest {
    /// Where it begins.
    pub start: ArtifactId,
    /// The way.
    pub direction: Direction,
    /// Levels at most, in each direction.
    pub depth: usize,
    /// Nodes at most, the first one included.
    pub limit: usize,
}

/// What a caller gets to see of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeState {
    /// All of it; it may be deleted.
    Readable(Box<Found>),
    /// Only that there is one: it is of the caller's tenant, and not shared with the caller.
    Redacted,
    /// Nothing: there is none, or none for the caller.
    Missing,
}

/// An artifact of a lineage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineageNode {
    /// Its id.
    pub id: ArtifactId,
    /// What the caller gets to see.
    pub state: NodeState,
}

/// A derivation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineageEdge {
    /// The parent.
    pub from: ArtifactId,
    /// The child.
    pub to: ArtifactId,
    /// Whether the signer of the child said so.
    pub attested: bool,
}

/// A lineage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lineage {
    /// All nodes, each after everything that it was derived from.
    pub nodes: Vec<LineageNode>,
    /// Ancestors, the nearest first.
    pub ancestors: Vec<ArtifactId>,
    /// Descendants, the nearest first.
    pub descendants: Vec<ArtifactId>,
    /// Derivations between the nodes, sorted.
    pub edges: Vec<LineageEdge>,
    /// Nodes that are next to those here and were left out, at least.
    pub left_out: usize,
    /// Whether there is more than the request allows.
    pub is_truncated: bool,
}

/// The store as a caller may see it.
pub trait Seen {
    /// The error of the caller.
    type Error: From<ArtifactError>;

    /// What there is of these, in their order, with a bounded number of rounds.
    fn nodes(&mut self, ids: &[ArtifactId]) -> Result<Vec<NodeState>, Self::Error>;

    /// Children of these, at most `limit` in all, as (parent, child, attested).
    fn children(&mut self, of: &[ArtifactId], limit: usize) -> Result<Vec<LineageEdge>, Self::Error>;
}

/// Walks a lineage.
pub fn lineage<S: Seen>(seen: &mut S, request: LineageRequest) -> Result<Lineage, S::Error> {
    let start = seen.nodes(&[request.start])?.pop().unwrap_or(NodeState::Missing);
    let mut walk = Walk {
        seen,
        nodes: BTreeMap::from([(request.start, start)]),
        edges: BTreeSet::new(),
        limit: request.limit.max(1),
        found: Lineage::default(),
    };
    if request.direction != Direction::Down {
        walk.found.ancestors = walk.up(request)?;
    }
    if request.direction != Direction::Up {
        walk.found.descendants = walk.down(request)?;
    }
    let Walk { nodes, edges, mut found, .. } = walk;
    found.edges = edges.into_iter().collect();
    found.nodes = root_first(nodes, &found.edges);
    Ok(found)
}

struct Walk<'a, S> {
    seen: &'a mut S,
    nodes: BTreeMap<ArtifactId, NodeState>,
    edges: BTreeSet<LineageEdge>,
    limit: usize,
    found: Lineage,
}

impl<S: Seen> Walk<'_, S> {
    fn room(&self) -> usize {
        self.limit.saturating_sub(self.nodes.len())
    }

    fn leave_out(&mut self, count: usize) {
        if count > 0 {
            self.found.left_out += count;
            self.found.is_truncated = true;
        }
    }

    fn up(&mut self, request: LineageRequest) -> Result<Vec<ArtifactId>, S::Error> {
        let mut ancestors = Vec::new();
        let mut level = vec![request.start];
        for depth in 0..=request.depth {
            let mut above = BTreeSet::new();
            let mut edges = Vec::new();
            for id in &level {
                let Some(NodeState::Readable(found)) = self.nodes.get(id) else { continue };
                for (parent, attested) in &found.artifact.parents {
                    edges.push(LineageEdge { from: *parent, to: *id, attested: *attested });
                    if !self.nodes.contains_key(parent) {
                        above.insert(*parent);
                    }
                }
            }
            let room = if depth == request.depth { 0 } else { self.room() };
            self.leave_out(above.len().saturating_sub(room));
            let above: Vec<_> = above.into_iter().take(room).collect();
            let states = if above.is_empty() { Vec::new() } else { self.seen.nodes(&above)? };
            self.nodes.extend(above.iter().copied().zip(states));
            self.edges.extend(edges.into_iter().filter(|edge| self.nodes.contains_key(&edge.from)));
            ancestors.extend(&above);
            if above.is_empty() {
                break;
            }
            level = above;
        }
        Ok(ancestors)
    }

    fn down(&mut self, request: LineageRequest) -> Result<Vec<ArtifactId>, S::Error> {
        let mut descendants = Vec::new();
        let mut level = vec![request.start];
        for depth in 0..=request.depth {
            let room = if depth == request.depth { 0 } else { self.room() };
            // One more than there is room for tells whether there is more.
            let edges = self.seen.children(&level, room + 1)?;
            let below: BTreeSet<_> =
                edges.iter().map(|edge| edge.to).filter(|child| !self.nodes.contains_key(child)).collect();
            let below: Vec<_> = below.into_iter().collect();
            let states = if below.is_empty() { Vec::new() } else { self.seen.nodes(&below)? };
            // What is missing for the caller is not there: nothing but its child says that it is.
            let mut known: Vec<_> =
                below.into_iter().zip(states).filter(|(_, state)| *state != NodeState::Missing).collect();
            self.leave_out(known.len().saturating_sub(room));
            known.truncate(room);
            let next: Vec<_> = known.iter().map(|(id, _)| *id).collect();
            self.nodes.extend(known);
            self.edges.extend(edges.into_iter().filter(|edge| self.nodes.contains_key(&edge.to)));
            descendants.extend(&next);
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Ok(descendants)
    }
}

/// Children of artifacts in every tenant that may hold some, at most `limit`, sorted by parent, tenant and child.
pub fn children<R: Reader + ?Sized, E: From<ArtifactError>>(
    reader: &R,
    node: &Scope,
    of: &[ArtifactId],
    limit: usize,
    scope_of: &mut dyn FnMut(TenantId) -> Result<Scope, E>,
) -> Result<Vec<LineageEdge>, E> {
    let mut ranges = Vec::new();
    let mut parents = Vec::new();
    for (parent, scopes) in of.iter().zip(child_scopes(reader, node, of, scope_of)?) {
        for scope in scopes {
            ranges.push(KeyRange::prefix(&scope.key().fixed(parent.as_bytes())).limit(limit));
            parents.push(*parent);
        }
    }
    let mut found = Vec::new();
    let scanned = reader.multi_scan(CHILDREN, &ranges, &mut |at, key, value| {
        if let Some(child) = key.last_chunk() {
            let to = ArtifactId::from_bytes(*child);
            found.push(LineageEdge { from: parents[at], to, attested: value.first() == Some(&1) });
        }
        if found.len() < limit { Visit::Continue } else { Visit::Stop }
    });
    scanned.map_err(ArtifactError::from)?;
    found.truncate(limit);
    Ok(found)
}

/// Tenants in which citations of artifacts may be counted, one list per artifact.
pub fn citing_scopes<R: Reader + ?Sized, E: From<ArtifactError>>(
    reader: &R,
    node: &Scope,
    of: &[ArtifactId],
    scope_of: &mut dyn FnMut(TenantId) -> Result<Scope, E>,
) -> Result<Vec<Vec<Scope>>, E> {
    child_scopes(reader, node, of, scope_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::example;

    /// A graph in memory: children by parent.
    struct World(BTreeMap<u8, (Vec<u8>, bool)>);

    fn id(number: u8) -> ArtifactId {
        ArtifactId::from_bytes([number; 16])
    }

    impl Seen for World {
        type Error = ArtifactError;

        fn nodes(&mut self, ids: &[ArtifactId]) -> Result<Vec<NodeState>, ArtifactError> {
            Ok(ids
                .iter()
                .map(|id| match self.0.get(&id.as_bytes()[0]) {
                    None => NodeState::Missing,
                    Some((_, false)) => NodeState::Redacted,
                    Some((parents, true)) => NodeState::Readable(Box::new(Found {
                        tenant: TenantId(1),
                        artifact: crate::Artifact {
                            parents: parents.iter().map(|parent| (self::id(*parent), true)).collect(),
                            ..example(id.as_bytes()[0])
                        },
                    })),
                })
                .collect())
        }

        fn children(&mut self, of: &[ArtifactId], limit: usize) -> Result<Vec<LineageEdge>, ArtifactError> {
            let edges = self.0.iter().flat_map(|(child, (parents, _))| {
                parents.iter().map(|parent| LineageEdge { from: id(*parent), to: id(*child), attested: true })
            });
            Ok(edges.filter(|edge| of.contains(&edge.from)).take(limit).collect())
        }
    }

    fn walk(
        rows: &[(u8, &[u8], bool)],
        start: u8,
        direction: Direction,
        depth: usize,
        limit: usize,
    ) -> Lineage {
        let rows = rows.iter().map(|(child, parents, readable)| (*child, (parents.to_vec(), *readable)));
        let request = LineageRequest { start: id(start), direction, depth, limit };
        lineage(&mut World(rows.collect()), request).expect("memory does not fail")
    }

    fn shown(lineage: &Lineage) -> Vec<u8> {
        lineage.nodes.iter().map(|node| node.id.as_bytes()[0]).collect()
    }

    #[test]
    fn a_diamond_is_shown_root_first_each_node_once() {
        let rows: &[(u8, &[u8], bool)] =
            &[(1, &[], true), (2, &[1], true), (3, &[1], true), (4, &[2, 3], true)];
        let up = walk(rows, 4, Direction::Up, 10, 10);
        assert_eq!(shown(&up), [1, 2, 3, 4]);
        assert_eq!((up.ancestors.len(), up.edges.len(), up.is_truncated), (3, 4, false));
        let down = walk(rows, 1, Direction::Down, 10, 10);
        assert_eq!((shown(&down), down.descendants.len()), (vec![1, 2, 3, 4], 3));
        assert_eq!(shown(&walk(rows, 2, Direction::Both, 10, 10)), [1, 2, 4]);
    }

    #[test]
    fn bounds_cut_and_say_so() {
        let rows: Vec<(u8, Vec<u8>)> =
            (1..=9).map(|n| (n, if n == 1 { vec![] } else { vec![n - 1] })).collect();
        let rows: Vec<(u8, &[u8], bool)> = rows.iter().map(|(n, parents)| (*n, &parents[..], true)).collect();
        let by_depth = walk(&rows, 9, Direction::Up, 2, 100);
        assert_eq!((shown(&by_depth), by_depth.is_truncated, by_depth.left_out), (vec![7, 8, 9], true, 1));
        let by_nodes = walk(&rows, 1, Direction::Down, 100, 4);
        assert_eq!((shown(&by_nodes), by_nodes.is_truncated), (vec![1, 2, 3, 4], true));
        assert!(!walk(&rows, 9, Direction::Up, 8, 100).is_truncated);
        assert!(walk(&rows, 1, Direction::Down, 7, 100).is_truncated);
    }

    #[test]
    fn hidden_parents_are_redacted_or_missing_and_hidden_children_of_others_are_not_there() {
        let rows: &[(u8, &[u8], bool)] = &[(2, &[1], false), (4, &[2, 9], true), (5, &[4], false)];
        let found = walk(rows, 4, Direction::Both, 10, 10);
        let state =
            |number: u8| found.nodes.iter().find(|node| node.id == id(number)).map(|node| node.state.clone());
        assert_eq!(
            (state(2), state(9), state(1)),
            (Some(NodeState::Redacted), Some(NodeState::Missing), None)
        );
        assert_eq!(found.descendants, [id(5)]);
    }
}
