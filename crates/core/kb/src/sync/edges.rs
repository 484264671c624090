//! Relationships that a sync adds, removes and changes.

use std::collections::{BTreeSet, HashMap};

use cairn_graph::Map;

use super::circles::{self, Circles};
use super::outlook::{Outcome, Outlook, fact_kind_of, fits};
use super::plan::{End, Link, Stored, is_retyped};
use super::problems::Problems;
use super::relations::{Accepted, Examining, HINT};
use crate::branch::{Edge, Ends, NodeKey};
use crate::model::Relation;

/// Changes of relationships.
#[derive(Debug, Default)]
pub(super) struct Edges {
    pub(super) unlinked: Vec<Edge>,
    /// Relationships from entities that stay to those that go.
    pub(super) dangling: Vec<Edge>,
    pub(super) linked: Vec<Link>,
    pub(super) relinked: Vec<(Edge, Map)>,
    /// The number of relationships that start at entities that go.
    pub(super) leaving: usize,
    /// Claims whose entity has other relationships now.
    pub(super) moved: BTreeSet<usize>,
}

/// Plans the changes of relationships. Those that are invalid, and those of other files that lose their end, are
/// problems.
pub(super) fn plan(outlook: &Outlook<'_>, stored: &Stored, problems: &mut Problems) -> Edges {
    let mut edges = Edges::default();
    let circles = Circles::of(outlook);
    let examining = Examining::new(outlook, &circles);
    for (at, claim) in outlook.claims.all.iter().enumerate() {
        let Outcome::Write(written) = &outlook.outcomes[at] else { continue };
        let accepted = examining.accept(claim, written, problems);
        edges.compare(outlook, at, written.end, accepted, stored);
    }
    edges.of_targets(outlook, stored, problems);
    edges.of_circles(outlook, &circles, problems);
    edges.unlinked.sort_unstable();
    edges.unlinked.dedup();
    edges.dangling.sort_unstable();
    edges.dangling.dedup();
    edges
}

impl Edges {
    /// Compares the relationships that an entity will have with those that it has.
    fn compare(
        &mut self,
        outlook: &Outlook<'_>,
        at: usize,
        from: End,
        accepted: Vec<Accepted>,
        stored: &Stored,
    ) {
        let known = match from {
            End::Stored(key) => stored.get(&key).map(|known| (key, known)),
            End::New(_) => None,
        };
        let before = self.linked.len() + self.unlinked.len() + self.relinked.len();
        let mut old: HashMap<_, &Map> = HashMap::new();
        if let Some((key, known)) = known {
            old.extend(
                known
                    .links
                    .iter()
                    .map(|link| (Edge { relation: link.relation, from: key, to: link.to }, &link.metadata)),
            );
        }
        for Accepted { relation, to, metadata } in accepted {
            let edge = match (from, to) {
                (End::Stored(from), End::Stored(to)) => Some(Edge { relation, from, to }),
                (End::New(_), _) | (_, End::New(_)) => None,
            };
            match edge.and_then(|edge| Some((edge, old.remove(&edge)?))) {
                Some((_, same)) if *same == metadata => {}
                Some((edge, _)) => self.relinked.push((edge, metadata)),
                None => self.linked.push(Link { relation, from, to, metadata, ends: Ends::default() }),
            }
        }
        let goes = |key: NodeKey| outlook.leaving.contains(&key) || is_retyped(outlook, key);
        let (mut lost, mut gone): (Vec<Edge>, Vec<Edge>) = old.into_keys().partition(|edge| goes(edge.to));
        gone.sort_unstable();
        let has_lost = !lost.is_empty();
        self.unlinked.append(&mut gone);
        self.dangling.append(&mut lost);
        if has_lost || before != self.linked.len() + self.unlinked.len() + self.relinked.len() {
            self.moved.insert(at);
        }
    }

    /// Looks at relationships of entities that stay as they are, and whose end goes or changes.
    fn of_targets(&mut self, outlook: &Outlook<'_>, stored: &Stored, problems: &mut Problems) {
        let branch = outlook.branch;
        let mut targets: Vec<NodeKey> = outlook.leaving.iter().copied().collect();
        targets.extend(outlook.by_key.keys().copied().filter(|key| {
            let written = outlook.written(*key);
            let kind = branch.node(*key).map(|node| (node.kind, fact_kind_of(node)));
            written.is_some_and(|written| kind != Some((written.entity.kind, written.fact_kind)))
        }));
        targets.sort_unstable();
        for to in targets {
            let goes = outlook.leaving.contains(&to) || is_retyped(outlook, to);
            if goes {
                self.leaving += branch.out(to).count();
            }
            for (relation, from) in branch.incoming(to) {
                let edge = Edge { relation, from, to };
                let is_rewritten = outlook.written(from).is_some();
                if outlook.leaving.contains(&from) || is_retyped(outlook, from) {
                    continue;
                }
                if goes {
                    self.dangling.push(edge);
                }
                if !is_rewritten {
                    self.of_target(outlook, stored, edge, goes, problems);
                }
            }
        }
    }

    fn of_target(
        &mut self,
        outlook: &Outlook<'_>,
        stored: &Stored,
        edge: Edge,
        goes: bool,
        problems: &mut Problems,
    ) {
        let branch = outlook.branch;
        let (Some(from), Some(to)) = (branch.node(edge.from), branch.node(edge.to)) else { return };
        let written = outlook.written(edge.to);
        let still_fits = written
            .is_some_and(|written| fits(edge.relation, from.kind, written.entity.kind, written.fact_kind));
        match written.filter(|_| still_fits) {
            Some(written) if goes => {
                let incoming = stored.get(&edge.to).map(|known| &known.incoming[..]).unwrap_or_default();
                let known = incoming
                    .iter()
                    .find(|(from, relation, _)| (*from, *relation) == (edge.from, edge.relation));
                let metadata = known.map(|(.., metadata)| metadata.clone()).unwrap_or_default();
                let (from, to) = (End::Stored(edge.from), written.end);
                self.linked.push(Link { relation: edge.relation, from, to, metadata, ends: Ends::default() });
            }
            Some(_) => {}
            None => {
                if !goes {
                    self.unlinked.push(edge);
                }
                let relation = edge.relation;
                let message = match written {
                    None => format!("{relation} {}: there is no such entity any more", to.id),
                    Some(written) => {
                        format!("{relation} {} does not fit any more: it is a {}", to.id, written.entity.kind)
                    }
                };
                let file = outlook.file_of(edge.from).unwrap_or_default();
                problems.add(file, 0, Some(&from.id), message, Some(HINT.to_owned()));
            }
        }
    }

    /// Removes the relationships of circles that documents had before the circle was closed.
    fn of_circles(&mut self, outlook: &Outlook<'_>, circles: &Circles<'_>, problems: &mut Problems) {
        let branch = outlook.branch;
        for id in circles.ids() {
            let Some((from, node)) = branch.find(id) else { continue };
            let is_as_before = outlook.of_key(from).is_none() && !outlook.is_of_tools(from);
            let Some(file) = node.file.as_deref().filter(|_| is_as_before) else { continue };
            for to in branch.targets(from, Relation::Supersedes) {
                let Some(other) = branch.node(to).filter(|other| circles.holds(id, &other.id)) else {
                    continue;
                };
                self.unlinked.push(Edge { relation: Relation::Supersedes, from, to });
                let message = circles::message(id, &other.id);
                problems.add(file, 0, Some(id), message, Some(HINT.to_owned()));
            }
        }
    }
}
