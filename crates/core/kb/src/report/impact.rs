//! `kb_impact`: what a change reaches, both ways.
//!
//! A relationship says which of its ends rests on the other ([`Relation::dependent`]). Walking from the entities that
//! change to those that rest on them gives what the change can break; walking the other way gives what it has to
//! respect.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::filter::check_items;
use crate::branch::{Branch, Edge, Node, NodeKey};
use crate::limits::{
    ENTITY_TEXT_BYTES_MAX, IMPACT_DEPTH_DEFAULT, IMPACT_DEPTH_MAX, IMPACT_ENTITIES_MAX, IMPACT_IDS_MAX,
    IMPACT_PATHS_MAX, IMPACT_ROWS_DEFAULT, IMPACT_STARTS_MAX, PAGE_MAX,
};
use crate::model::{Dependent, Relation};
use crate::tools::{GraphNode, ImpactInput, ImpactOutput, ImpactRow, ImpactSide, ImpactStep, StatusOutput};
use crate::{KbError, Result};

/// Returns the entities that rest on those that change, and those that they rest on, with the shortest way to each.
pub fn impact(branch: &Branch, input: &ImpactInput, meta: StatusOutput) -> Result<ImpactOutput> {
    let (depth, limit) = bounds(input)?;
    let Starts { keys, unknown_ids, unknown_paths } = starts(branch, input);
    let mut nodes: Vec<&Node> = keys.iter().filter_map(|key| branch.node(*key)).collect();
    nodes.sort_unstable_by_key(|node| (node.kind.text(), &*node.id));
    let start_count = nodes.len() as u64;
    let starts = nodes.into_iter().take(IMPACT_STARTS_MAX).map(|node| GraphNode {
        id: node.id.to_string(),
        kind: node.kind,
        title: node.title.to_string(),
        status: node.status.to_string(),
    });
    let side = |is_down| Walk { branch, relations: &input.relationships, is_down }.side(&keys, depth, limit);
    Ok(ImpactOutput {
        starts: starts.collect(),
        start_count,
        unknown_ids,
        unknown_paths,
        dependents: side(true),
        dependencies: side(false),
        meta,
    })
}

/// The depth and the number of rows.
fn bounds(input: &ImpactInput) -> Result<(u32, usize)> {
    let within = |parameter: &'static str, value: u32, max: u32| {
        if (1..=max).contains(&value) {
            return Ok(value);
        }
        Err(KbError::argument(parameter, format!("{value} is not from 1 to {max}")))
    };
    let few = |parameter: &'static str, count: usize, max: usize| {
        if count <= max {
            return Ok(());
        }
        Err(KbError::argument(parameter, format!("{count} items are more than the {max} allowed")))
    };
    if input.ids.is_empty() && input.paths.is_empty() {
        return Err(KbError::argument("ids", "no ids and no paths; name at least one"));
    }
    few("ids", input.ids.len(), IMPACT_IDS_MAX)?;
    few("paths", input.paths.len(), IMPACT_PATHS_MAX)?;
    if input.paths.iter().any(|path| path.trim().is_empty() || path.len() > ENTITY_TEXT_BYTES_MAX) {
        let message = format!("a path is blank or has more than {ENTITY_TEXT_BYTES_MAX} bytes");
        return Err(KbError::argument("paths", message));
    }
    check_items("relationships", input.relationships.len())?;
    let depth = within("depth", input.depth.unwrap_or(IMPACT_DEPTH_DEFAULT), IMPACT_DEPTH_MAX)?;
    let limit = within("limit", input.limit.unwrap_or(IMPACT_ROWS_DEFAULT), PAGE_MAX)?;
    Ok((depth, limit as usize))
}

/// Entities that change.
struct Starts {
    keys: BTreeSet<NodeKey>,
    unknown_ids: Vec<String>,
    unknown_paths: Vec<String>,
}

fn starts(branch: &Branch, input: &ImpactInput) -> Starts {
    let ids: BTreeSet<&String> = input.ids.iter().collect();
    let mut keys: BTreeSet<NodeKey> = ids.iter().filter_map(|id| Some(branch.find(id)?.0)).collect();
    let unknown_ids = ids.into_iter().filter(|id| branch.find(id).is_none()).cloned().collect();
    let mut paths: BTreeMap<&str, bool> = input.paths.iter().map(|path| (tidy(path), false)).collect();
    if !paths.is_empty() {
        for (key, node) in branch.nodes() {
            for path in [node.source_file.as_deref().map(tidy), Some(file_of(&node.source))] {
                if let Some(is_found) = path.and_then(|path| paths.get_mut(path)) {
                    *is_found = true;
                    keys.insert(key);
                }
            }
        }
    }
    let unknown_paths = paths.into_iter().filter(|(_, is_found)| !is_found);
    Starts { keys, unknown_ids, unknown_paths: unknown_paths.map(|(path, _)| path.to_owned()).collect() }
}

/// A path without `./` in front.
fn tidy(path: &str) -> &str {
    let path = path.trim();
    path.strip_prefix("./").unwrap_or(path)
}

/// The file of a source: without the name of a test (`file::name`), a heading (`file#heading`) or a line (`file:12`).
fn file_of(source: &str) -> &str {
    let source = tidy(source);
    let end = source.find("::").into_iter().chain(source.find('#')).min().unwrap_or(source.len());
    let file = &source[..end];
    match file.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => file,
        _ => file,
    }
}

/// A walk in one direction.
struct Walk<'a> {
    branch: &'a Branch,
    relations: &'a [Relation],
    /// Whether it goes to the entities that rest on others.
    is_down: bool,
}

/// The way that an entity was reached by first.
#[derive(Debug, Clone, Copy)]
struct Reached {
    distance: u32,
    before: NodeKey,
    edge: Edge,
}

impl<'a> Walk<'a> {
    fn side(&self, starts: &BTreeSet<NodeKey>, depth: u32, limit: usize) -> ImpactSide {
        let mut reached: HashMap<NodeKey, Reached> = HashMap::new();
        let mut frontier: Vec<NodeKey> = starts.iter().copied().collect();
        let mut truncated = false;
        for distance in 1..=depth {
            let mut steps: Vec<(&str, &str, &str, NodeKey, NodeKey, Edge)> = Vec::new();
            for key in &frontier {
                for (next, edge) in self.next(*key) {
                    let is_new = !starts.contains(&next) && !reached.contains_key(&next);
                    let nodes = (self.branch.node(next), self.branch.node(*key));
                    if let ((Some(node), Some(before)), true) = (nodes, is_new) {
                        steps.push((&node.id, edge.relation.text(), &before.id, next, *key, edge));
                    }
                }
            }
            // The first of several ways to an entity is always the same, also in other numbers of entities.
            steps.sort_unstable_by(|one, other| (one.0, one.1, one.2).cmp(&(other.0, other.1, other.2)));
            frontier.clear();
            for (.., next, before, edge) in steps {
                if reached.contains_key(&next) {
                    continue;
                }
                if reached.len() == IMPACT_ENTITIES_MAX {
                    truncated = true;
                    break;
                }
                reached.insert(next, Reached { distance, before, edge });
                frontier.push(next);
            }
            if truncated || frontier.is_empty() {
                break;
            }
        }
        self.rows(&reached, limit, truncated)
    }

    /// Entities at the other ends of relationships of an entity, in the direction of the walk.
    fn next(&self, key: NodeKey) -> impl Iterator<Item = (NodeKey, Edge)> {
        let is_followed =
            |relation: &Relation| self.relations.is_empty() || self.relations.contains(relation);
        let out = self.branch.out(key).filter(move |(relation, _)| {
            let goes = match relation.dependent() {
                Dependent::Source => !self.is_down,
                Dependent::Target => self.is_down,
                Dependent::Either => true,
            };
            goes && is_followed(relation)
        });
        let incoming = self.branch.incoming(key).filter(move |(relation, _)| {
            let goes = match relation.dependent() {
                Dependent::Source => self.is_down,
                Dependent::Target => !self.is_down,
                Dependent::Either => true,
            };
            goes && is_followed(relation)
        });
        let out = out.map(move |(relation, to)| (to, Edge { relation, from: key, to }));
        out.chain(incoming.map(move |(relation, from)| (from, Edge { relation, from, to: key })))
    }

    fn rows(&self, reached: &HashMap<NodeKey, Reached>, limit: usize, truncated: bool) -> ImpactSide {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut order: Vec<(&str, u32, &str, NodeKey)> = Vec::with_capacity(reached.len());
        for (key, found) in reached {
            let Some(node) = self.branch.node(*key) else { continue };
            *counts.entry(node.kind.text().to_owned()).or_default() += 1;
            order.push((node.kind.text(), found.distance, &node.id, *key));
        }
        order.sort_unstable();
        let rows = order.iter().take(limit).filter_map(|(.., key)| self.row(reached, *key));
        ImpactSide { rows: rows.collect(), count: order.len() as u64, counts, truncated }
    }

    fn row(&self, reached: &HashMap<NodeKey, Reached>, key: NodeKey) -> Option<ImpactRow> {
        let node = self.branch.node(key)?;
        let mut edges = Vec::new();
        let mut at = key;
        // Each step is nearer to a start, so this ends.
        while let Some(found) = reached.get(&at) {
            edges.push(found.edge);
            at = found.before;
        }
        edges.reverse();
        let step = |edge: &Edge| {
            let (from, to) = (self.branch.node(edge.from)?, self.branch.node(edge.to)?);
            let (from, to) = (from.id.to_string(), to.id.to_string());
            Some(ImpactStep { relation: edge.relation, from, to })
        };
        Some(ImpactRow {
            id: node.id.to_string(),
            kind: node.kind,
            title: node.title.to_string(),
            status: node.status.to_string(),
            distance: reached.get(&key)?.distance,
            path: edges.iter().filter_map(step).collect(),
            suspect: edges.iter().any(|edge| self.branch.trust(*edge).is_suspect()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_name_files() {
        for (source, expected) in [
            ("docs/a.md", "docs/a.md"),
            ("./docs/a.md", "docs/a.md"),
            ("docs/a.md#REQ-1", "docs/a.md"),
            ("tests/a.rs::name::deep", "tests/a.rs"),
            ("tests/a.rs:12", "tests/a.rs"),
            ("tests/a.rs:", "tests/a.rs:"),
            ("a#b::c", "a"),
            ("cairn://kb/x", "cairn://kb/x"),
            ("", ""),
        ] {
            assert_eq!(file_of(source), expected, "{source}");
        }
    }
}
