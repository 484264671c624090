//! The order of a lineage: each artifact after everything that it was derived from.

use std::collections::{BTreeMap, BTreeSet};

use super::{LineageEdge, LineageNode, NodeState};
use crate::ArtifactId;

/// Sorts nodes so that parents come before their children; the older first where that does not decide.
pub(super) fn root_first(
    mut nodes: BTreeMap<ArtifactId, NodeState>,
    edges: &[LineageEdge],
) -> Vec<LineageNode> {
    let age = |id: &ArtifactId, nodes: &BTreeMap<ArtifactId, NodeState>| match nodes.get(id) {
        Some(NodeState::Readable(found)) => found.artifact.timestamp_ms,
        Some(NodeState::Redacted | NodeState::Missing) | None => 0,
    };
    let mut waiting: BTreeMap<ArtifactId, usize> = nodes.keys().map(|id| (*id, 0)).collect();
    let mut below: BTreeMap<ArtifactId, Vec<ArtifactId>> = BTreeMap::new();
    for edge in edges {
        if let Some(count) = waiting.get_mut(&edge.to) {
            *count += 1;
            below.entry(edge.from).or_default().push(edge.to);
        }
    }
    let mut ready: BTreeSet<_> =
        waiting.iter().filter(|(_, count)| **count == 0).map(|(id, _)| (age(id, &nodes), *id)).collect();
    let mut order = Vec::with_capacity(nodes.len());
    loop {
        let next = ready.pop_first().map(|(_, id)| id);
        // A cycle, which only tenants that publish at the same moment can make, is cut anywhere.
        let Some(id) = next.or_else(|| waiting.keys().next().copied()) else { break };
        waiting.remove(&id);
        for child in below.remove(&id).unwrap_or_default() {
            if let Some(count) = waiting.get_mut(&child) {
                *count -= 1;
                if *count == 0 {
                    ready.insert((age(&child, &nodes), child));
                }
            }
        }
        order.push(id);
    }
    order.into_iter().filter_map(|id| nodes.remove(&id).map(|state| LineageNode { id, state })).collect()
}
