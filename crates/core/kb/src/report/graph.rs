//! `kb_graph`: bounded traversal from seeds.

use std::collections::{BTreeSet, HashSet};

use super::filter::check_items;
use crate::branch::{Branch, Edge, NodeKey};
use crate::limits::{
    GRAPH_DEPTH_MAX, GRAPH_EDGES_DEFAULT, GRAPH_EDGES_MAX, GRAPH_NODES_DEFAULT, GRAPH_NODES_MAX,
    GRAPH_SEEDS_MAX,
};
use crate::model::Relation;
use crate::tools::{Direction, GraphEdge, GraphInput, GraphNode, GraphOutput, StatusOutput};
use crate::{KbError, Result};

/// Walks relationships from seeds, layer by layer.
///
/// A layer takes its relationships in the order of type, source id and target id, and the traversal ends at the
/// first one that does not fit the limits: only then is the result truncated. Unknown seeds are reported.
pub fn graph(branch: &Branch, input: &GraphInput, meta: StatusOutput) -> Result<GraphOutput> {
    let bounds = Bounds::parse(input)?;
    let asked: BTreeSet<&str> = input.seed_ids.iter().map(String::as_str).collect();
    let unknown_seeds =
        asked.iter().filter(|id| branch.find(id).is_none()).map(|id| (*id).to_owned()).collect();
    let seeds: Vec<NodeKey> = asked.iter().filter_map(|id| Some(branch.find(id)?.0)).collect();

    let mut walk = Walk { branch, input, bounds, nodes: HashSet::new(), edges: HashSet::new(), full: false };
    walk.full = seeds.len() > bounds.nodes;
    let mut frontier: Vec<NodeKey> = seeds.into_iter().take(bounds.nodes).collect();
    walk.nodes.extend(&frontier);
    for _ in 0..bounds.depth {
        if walk.full || frontier.is_empty() {
            break;
        }
        frontier = walk.layer(&frontier);
    }
    Ok(GraphOutput { nodes: walk.nodes(), edges: walk.edges(), truncated: walk.full, unknown_seeds, meta })
}

/// Limits of one traversal.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    depth: u32,
    nodes: usize,
    edges: usize,
}

impl Bounds {
    fn parse(input: &GraphInput) -> Result<Self> {
        let within = |parameter: &'static str, value: u32, max: u32| {
            if (1..=max).contains(&value) {
                return Ok(value);
            }
            Err(KbError::argument(parameter, format!("{value} is not from 1 to {max}")))
        };
        let seeds = input.seed_ids.len();
        if seeds == 0 {
            return Err(KbError::argument("seedIds", "no seeds; name at least one entity"));
        }
        if seeds > GRAPH_SEEDS_MAX {
            let message = format!("{seeds} seeds are more than the {GRAPH_SEEDS_MAX} allowed");
            return Err(KbError::argument("seedIds", message));
        }
        check_items("relationships", input.relationships.len())?;
        check_items("entityTypes", input.entity_types.len())?;
        let nodes = within("maxNodes", input.max_nodes.unwrap_or(GRAPH_NODES_DEFAULT), GRAPH_NODES_MAX)?;
        let edges = within("maxEdges", input.max_edges.unwrap_or(GRAPH_EDGES_DEFAULT), GRAPH_EDGES_MAX)?;
        let depth = within("depth", input.depth.unwrap_or(1), GRAPH_DEPTH_MAX)?;
        Ok(Bounds { depth, nodes: nodes as usize, edges: edges as usize })
    }
}

struct Walk<'a> {
    branch: &'a Branch,
    input: &'a GraphInput,
    bounds: Bounds,
    nodes: HashSet<NodeKey>,
    edges: HashSet<Edge>,
    /// Whether something did not fit.
    full: bool,
}

/// A relationship that starts or ends at the frontier, with the ids that order it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step<'a> {
    from: &'a str,
    to: &'a str,
    edge: Edge,
    next: NodeKey,
}

impl<'a> Walk<'a> {
    /// Adds the relationships of a layer; returns the entities that are new with it.
    fn layer(&mut self, frontier: &[NodeKey]) -> Vec<NodeKey> {
        let mut ends: Vec<Vec<(NodeKey, NodeKey, NodeKey)>> = vec![Vec::new(); Relation::ALL.len()];
        for key in frontier {
            if self.input.direction != Direction::Incoming {
                self.branch.out(*key).for_each(|(relation, to)| ends[relation as usize].push((*key, to, to)));
            }
            if self.input.direction != Direction::Outgoing {
                self.branch
                    .incoming(*key)
                    .for_each(|(relation, from)| ends[relation as usize].push((from, *key, from)));
            }
        }
        let mut relations = Relation::ALL.to_vec();
        relations.retain(|relation| {
            self.input.relationships.is_empty() || self.input.relationships.contains(relation)
        });
        relations.sort_unstable_by_key(|relation| relation.text());
        let mut found = Vec::new();
        for relation in relations {
            for step in self.first_steps(relation, &ends[relation as usize]) {
                if !self.add(step, &mut found) {
                    self.full = true;
                    return found;
                }
            }
        }
        found
    }

    /// Returns new relationships of one type in their order: all of them, or so many that one does not fit.
    fn first_steps(&self, relation: Relation, ends: &[(NodeKey, NodeKey, NodeKey)]) -> Vec<Step<'a>> {
        let steps = ends.iter().filter_map(|&(from, to, next)| {
            let edge = Edge { relation, from, to };
            if self.edges.contains(&edge) {
                return None;
            }
            let (from, to) = (&self.branch.node(from)?.id, &self.branch.node(to)?.id);
            Some(Step { from, to, edge, next })
        });
        let mut steps: Vec<Step<'a>> = steps.collect();
        // A relationship between two entities of the frontier is there from both ends.
        let wanted = 2 * (self.bounds.edges - self.edges.len() + 1);
        if steps.len() > wanted {
            steps.select_nth_unstable(wanted);
            steps.truncate(wanted);
        }
        steps.sort_unstable();
        steps
    }

    /// Adds a relationship and its end; returns whether they fit.
    fn add(&mut self, step: Step<'_>, found: &mut Vec<NodeKey>) -> bool {
        if self.edges.contains(&step.edge) {
            return true;
        }
        let is_new = !self.nodes.contains(&step.next);
        if self.edges.len() == self.bounds.edges || (is_new && self.nodes.len() == self.bounds.nodes) {
            return false;
        }
        self.edges.insert(step.edge);
        if is_new {
            self.nodes.insert(step.next);
            found.push(step.next);
        }
        true
    }

    /// Whether an entity is returned.
    fn is_shown(&self, key: NodeKey) -> bool {
        let kinds = &self.input.entity_types;
        self.branch.node(key).is_some_and(|node| kinds.is_empty() || kinds.contains(&node.kind))
    }

    fn nodes(&self) -> Vec<GraphNode> {
        let shown = self.nodes.iter().filter(|key| self.is_shown(**key));
        let mut nodes: Vec<GraphNode> = shown
            .filter_map(|key| self.branch.node(*key))
            .map(|node| GraphNode {
                id: node.id.to_string(),
                kind: node.kind,
                title: node.title.to_string(),
                status: node.status.to_string(),
            })
            .collect();
        nodes.sort_unstable();
        nodes
    }

    fn edges(&self) -> Vec<GraphEdge> {
        let shown = self.edges.iter().filter(|edge| self.is_shown(edge.from) && self.is_shown(edge.to));
        let mut edges: Vec<(&str, &str, &str, Relation)> = shown
            .filter_map(|edge| {
                let (from, to) = (self.branch.node(edge.from)?, self.branch.node(edge.to)?);
                Some((edge.relation.text(), &*from.id, &*to.id, edge.relation))
            })
            .collect();
        edges.sort_unstable();
        edges
            .into_iter()
            .map(|(_, from, to, relation)| GraphEdge { relation, from: from.to_owned(), to: to.to_owned() })
            .collect()
    }
}
