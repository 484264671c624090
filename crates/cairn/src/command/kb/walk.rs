//! A part of the graph as trees from the entities where the traversal started.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use cairn_kb::tools::{GraphEdge, GraphNode, GraphOutput};

use crate::command::answer::{joined, text};
use crate::terminal::Look;

/// A relationship as seen from one of its ends.
struct Step<'a> {
    edge: &'a GraphEdge,
    /// The other end.
    to: &'a str,
    is_outgoing: bool,
}

/// Draws the graph. Each entity is drawn whole once, and each relationship once.
pub(super) fn tree(seeds: &[String], output: &GraphOutput, look: Look) -> String {
    let mut steps: BTreeMap<&str, Vec<Step<'_>>> = BTreeMap::new();
    for edge in &output.edges {
        let (from, to) = (edge.from.as_str(), edge.to.as_str());
        steps.entry(from).or_default().push(Step { edge, to, is_outgoing: true });
        if from != to {
            steps.entry(to).or_default().push(Step { edge, to: from, is_outgoing: false });
        }
    }
    let nodes: BTreeMap<&str, &GraphNode> =
        output.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let mut drawing = Drawing { nodes, look, children: BTreeMap::new(), out: String::new() };
    let unknown: BTreeSet<&str> = output.unknown_seeds.iter().map(String::as_str).collect();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).filter(|seed| !unknown.contains(seed)).collect();
    // Types that were not asked for are left out, and what is behind them stands on its own.
    let starts = seeds.iter().copied().chain(output.nodes.iter().map(|node| node.id.as_str()));
    let starts: Vec<&str> = starts.collect();
    let roots = drawing.plan(&starts, seeds.len(), &steps);
    for root in roots {
        let label = drawing.label(root);
        drawing.out += &(label + "\n");
        drawing.branches(root, "");
    }
    let mut out = drawing.out;
    if !output.unknown_seeds.is_empty() {
        out += &format!("no such entity: {}\n", joined(&output.unknown_seeds));
    }
    if output.truncated {
        out += &(look.dim("truncated; raise --max-nodes or --max-edges") + "\n");
    }
    out
}

struct Drawing<'a> {
    nodes: BTreeMap<&'a str, &'a GraphNode>,
    look: Look,
    /// What is drawn below an entity, and whether it is drawn whole there.
    children: BTreeMap<&'a str, Vec<(&'a Step<'a>, bool)>>,
    out: String,
}

impl<'a> Drawing<'a> {
    /// Decides what is drawn below what: breadth first, so that a tree is no deeper than the traversal was. Returns the
    /// roots. The first `seeds` starts are roots in any case.
    fn plan(
        &mut self,
        starts: &[&'a str],
        seeds: usize,
        steps: &'a BTreeMap<&'a str, Vec<Step<'a>>>,
    ) -> Vec<&'a str> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut drawn: BTreeSet<(&str, &str, &str)> = BTreeSet::new();
        let mut roots = Vec::new();
        let mut queue: VecDeque<&str> = VecDeque::new();
        for (at, start) in starts.iter().enumerate() {
            if seen.insert(start) {
                roots.push(*start);
                queue.push_back(start);
            }
            if at + 1 < seeds {
                continue;
            }
            while let Some(of) = queue.pop_front() {
                for step in steps.get(of).into_iter().flatten() {
                    let GraphEdge { relation, from, to } = step.edge;
                    if drawn.insert((relation.text(), from, to)) {
                        let is_new = seen.insert(step.to);
                        self.children.entry(of).or_default().push((step, is_new));
                        queue.extend(is_new.then_some(step.to));
                    }
                }
            }
        }
        roots
    }

    fn branches(&mut self, of: &'a str, indent: &str) {
        let children = self.children.remove(of).unwrap_or_default();
        let (branch, last, line) =
            if self.look.width.is_some() { ("├─ ", "└─ ", "│  ") } else { ("|- ", "`- ", "|  ") };
        let count = children.len();
        for (at, (step, is_whole)) in children.into_iter().enumerate() {
            let is_last = at + 1 == count;
            let stroke = if is_last { last } else { branch };
            let relation = step.edge.relation;
            let arrow = if step.is_outgoing { format!("{relation} ->") } else { format!("<- {relation}") };
            let label = if is_whole {
                self.label(step.to)
            } else {
                text(step.to) + &self.look.dim(" (shown elsewhere)")
            };
            self.out += &format!("{indent}{stroke}{} {label}\n", self.look.dim(&arrow));
            if is_whole {
                let indent = format!("{indent}{}", if is_last { "   " } else { line });
                self.branches(step.to, &indent);
            }
        }
    }

    fn label(&self, id: &str) -> String {
        let Some(node) = self.nodes.get(id) else { return text(id) };
        let facts = format!("{}, {}", node.kind, text(&node.status));
        format!("{}  {}  {}", text(id), self.look.bold(&text(&node.title)), self.look.dim(&facts))
    }
}

#[cfg(test)]
mod tests {
    use cairn_kb::{EntityType, Relation};

    use super::*;

    const PLAIN: Look = Look { colour: false, width: None };

    fn output(ids: &[&str], edges: &[(&str, Relation, &str)]) -> GraphOutput {
        let node = |id: &&str| GraphNode {
            id: (*id).to_owned(),
            kind: EntityType::Req,
            title: format!("Title {id}"),
            status: "open".to_owned(),
        };
        let edge = |(from, relation, to): &(&str, Relation, &str)| GraphEdge {
            relation: *relation,
            from: (*from).to_owned(),
            to: (*to).to_owned(),
        };
        GraphOutput {
            nodes: ids.iter().map(node).collect(),
            edges: edges.iter().map(edge).collect(),
            ..GraphOutput::default()
        }
    }

    fn seeds(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn entities_are_drawn_whole_once_and_relationships_once() {
        let edges = [
            ("a", Relation::DependsOn, "b"),
            ("a", Relation::DependsOn, "c"),
            ("c", Relation::DependsOn, "b"),
            ("d", Relation::RelatesTo, "a"),
            ("b", Relation::DependsOn, "a"),
            ("d", Relation::RelatesTo, "d"),
        ];
        let graph = GraphOutput {
            truncated: true,
            unknown_seeds: vec!["x\u{1b}".to_owned()],
            ..output(&["a", "b", "c", "d"], &edges)
        };
        assert_eq!(
            tree(&seeds(&["a", "x\u{1b}"]), &graph, PLAIN),
            "a  Title a  req, open\n\
             |- depends_on -> b  Title b  req, open\n\
             |  `- <- depends_on c (shown elsewhere)\n\
             |- depends_on -> c  Title c  req, open\n\
             |- <- relates_to d  Title d  req, open\n\
             |  `- relates_to -> d (shown elsewhere)\n\
             `- <- depends_on b (shown elsewhere)\n\
             no such entity: x\\u{1b}\n\
             truncated; raise --max-nodes or --max-edges\n"
        );
    }

    #[test]
    fn seeds_are_roots_and_so_is_what_is_behind_types_that_are_left_out() {
        let graph = output(&["b", "far"], &[("a", Relation::DependsOn, "b")]);
        assert_eq!(
            tree(&seeds(&["a", "b"]), &graph, PLAIN),
            "a\n`- depends_on -> b (shown elsewhere)\nb  Title b  req, open\nfar  Title far  req, open\n"
        );
        let boxes = tree(&seeds(&["a"]), &graph, Look { colour: false, width: Some(80) });
        assert!(boxes.contains("└─ depends_on -> b  Title b"), "{boxes}");
    }

    /// The server bounds a graph by its number of entities, not by how far a chain of them goes.
    #[test]
    fn a_chain_of_ten_thousand_seeds_is_drawn() {
        let ids: Vec<String> = (0..10_000).map(|at| format!("n{at:05}")).collect();
        let names: Vec<&str> = ids.iter().map(String::as_str).collect();
        let edges: Vec<_> = names.windows(2).map(|two| (two[0], Relation::DependsOn, two[1])).collect();
        let drawn = tree(&ids, &output(&names, &edges), PLAIN);
        assert_eq!(drawn.lines().count(), 10_000 + 9_999);
    }
}
