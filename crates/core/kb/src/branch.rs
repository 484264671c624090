//! One branch of a KB in memory: what checks and reports read.
//!
//! It is built from the graph once and then follows each write, so that a check after a small change costs what the
//! change touched. It holds edges whose ends are missing, because damage can leave them behind.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{EntityType, Relation};

mod ends;
mod node;

pub use ends::{Ends, Trust};
pub use node::{Claim, ClaimValue, FactFields, Node};

/// The number of an entity: that of its concept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeKey(pub u64);

/// A relationship between two entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Its type.
    pub relation: Relation,
    /// The entity that it starts at.
    pub from: NodeKey,
    /// The entity that it ends at.
    pub to: NodeKey,
}

/// A change of a branch.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds an entity or replaces it.
    Put(NodeKey, Box<Node>),
    /// Removes an entity and the relationships that start at it.
    Remove(NodeKey),
    /// Adds a relationship, made with the contents that its ends have at that moment.
    Link(Edge),
    /// Removes a relationship.
    Unlink(Edge),
    /// Notes the contents that the ends of a relationship were accepted with, or forgets them.
    Ends(Edge, Option<Ends>),
}

impl Change {
    /// Adds the entities that the change is about to a list.
    pub fn touched(&self, keys: &mut Vec<NodeKey>) {
        match self {
            Change::Put(key, _) | Change::Remove(key) => keys.push(*key),
            Change::Link(edge) | Change::Unlink(edge) | Change::Ends(edge, _) => {
                keys.extend([edge.from, edge.to])
            }
        }
    }
}

/// The entities and relationships of one branch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Branch {
    nodes: HashMap<NodeKey, Node>,
    by_id: BTreeMap<Box<str>, NodeKey>,
    by_type: BTreeMap<(EntityType, Box<str>), NodeKey>,
    out: HashMap<NodeKey, BTreeSet<(Relation, NodeKey)>>,
    incoming: HashMap<NodeKey, BTreeSet<(Relation, NodeKey)>>,
    /// Contents that relationships were made with, as far as they are known.
    ends: HashMap<Edge, Ends>,
    edge_count: usize,
    file_owned: usize,
    diverged: usize,
}

impl Branch {
    /// Makes changes in their order, and returns those that undo them in the order of undoing.
    pub fn apply(&mut self, changes: impl IntoIterator<Item = Change>) -> Vec<Change> {
        let mut undo = Vec::new();
        for change in changes {
            match change {
                Change::Put(key, node) => {
                    match self.nodes.get(&key).cloned() {
                        Some(old) => undo.push(Change::Put(key, Box::new(old))),
                        None => {
                            // Removing it again takes the relationships that dangled before.
                            undo.extend(self.starts(key));
                            undo.push(Change::Remove(key));
                        }
                    }
                    self.put(key, *node);
                }
                Change::Remove(key) => {
                    undo.extend(self.starts(key));
                    if let Some(old) = self.nodes.get(&key).cloned() {
                        undo.push(Change::Put(key, Box::new(old)));
                    }
                    self.remove(key);
                }
                Change::Link(edge) if self.has(edge) => {}
                Change::Link(edge) => {
                    self.link(edge);
                    self.note_ends(edge, self.present_ends(edge));
                    undo.push(Change::Unlink(edge));
                }
                Change::Unlink(edge) if !self.has(edge) => {}
                Change::Unlink(edge) => {
                    undo.push(Change::Ends(edge, self.ends(edge)));
                    self.unlink(edge);
                    undo.push(Change::Link(edge));
                }
                Change::Ends(edge, _) if !self.has(edge) => {}
                Change::Ends(edge, ends) => {
                    undo.push(Change::Ends(edge, self.ends(edge)));
                    self.note_ends(edge, ends);
                }
            }
        }
        undo.reverse();
        undo
    }

    /// Changes that add the relationships that start at an entity, the last one first.
    fn starts(&self, key: NodeKey) -> Vec<Change> {
        let edges = self.out(key).map(|(relation, to)| Edge { relation, from: key, to });
        edges.flat_map(|edge| [Change::Ends(edge, self.ends(edge)), Change::Link(edge)]).collect()
    }

    /// Whether it has a relationship.
    pub fn has(&self, edge: Edge) -> bool {
        self.out.get(&edge.from).is_some_and(|ends| ends.contains(&(edge.relation, edge.to)))
    }

    /// Adds an entity or replaces it; its relationships stay.
    pub fn put(&mut self, key: NodeKey, node: Node) {
        self.forget_names(key);
        self.file_owned += usize::from(node.file.is_some());
        self.diverged += usize::from(node.diverged);
        self.by_id.insert(node.id.clone(), key);
        self.by_type.insert((node.kind, node.id.clone()), key);
        self.nodes.insert(key, node);
    }

    /// Removes an entity and the relationships that start at it. Those that end at it stay, dangling.
    pub fn remove(&mut self, key: NodeKey) {
        self.forget_names(key);
        self.nodes.remove(&key);
        for (relation, to) in self.out.remove(&key).unwrap_or_default() {
            self.edge_count -= 1;
            self.ends.remove(&Edge { relation, from: key, to });
            remove_end(&mut self.incoming, to, (relation, key));
        }
    }

    /// Adds a relationship.
    pub fn link(&mut self, edge: Edge) {
        let is_new = self.out.entry(edge.from).or_default().insert((edge.relation, edge.to));
        self.edge_count += usize::from(is_new);
        self.incoming.entry(edge.to).or_default().insert((edge.relation, edge.from));
    }

    /// Removes a relationship.
    pub fn unlink(&mut self, edge: Edge) {
        self.edge_count -= usize::from(self.has(edge));
        self.ends.remove(&edge);
        remove_end(&mut self.out, edge.from, (edge.relation, edge.to));
        remove_end(&mut self.incoming, edge.to, (edge.relation, edge.from));
    }

    /// The number of relationships.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// The number of entities that documents own.
    pub fn file_owned(&self) -> usize {
        self.file_owned
    }

    /// The number of entities that tools have changed since their documents were synced.
    pub fn diverged(&self) -> usize {
        self.diverged
    }

    /// The number of entities.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no entities.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// An entity.
    pub fn node(&self, key: NodeKey) -> Option<&Node> {
        self.nodes.get(&key)
    }

    /// The entity with this id.
    pub fn find(&self, id: &str) -> Option<(NodeKey, &Node)> {
        let key = *self.by_id.get(id)?;
        Some((key, self.nodes.get(&key)?))
    }

    /// Every entity, in no particular order; faster than the ordered ones.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeKey, &Node)> {
        self.nodes.iter().map(|(key, node)| (*key, node))
    }

    /// Every entity, ordered by id.
    pub fn by_id(&self) -> impl Iterator<Item = (NodeKey, &Node)> {
        self.by_id.values().filter_map(|key| Some((*key, self.nodes.get(key)?)))
    }

    /// Entities of one type, or of all, ordered by the spelling of the type and then by id.
    pub fn by_type(&self, kind: Option<EntityType>) -> impl Iterator<Item = (NodeKey, &Node)> {
        let mut kinds: Vec<EntityType> = kind.map_or_else(|| EntityType::ALL.to_vec(), |kind| vec![kind]);
        kinds.sort_unstable_by_key(|kind| kind.text());
        kinds
            .into_iter()
            .flat_map(move |kind| {
                let from = (kind, Box::from(""));
                self.by_type.range(from..).take_while(move |((of, _), _)| *of == kind)
            })
            .filter_map(|(_, key)| Some((*key, self.nodes.get(key)?)))
    }

    /// Relationships that start at an entity, ordered by type and end.
    pub fn out(&self, key: NodeKey) -> impl Iterator<Item = (Relation, NodeKey)> {
        self.out.get(&key).into_iter().flatten().copied()
    }

    /// Relationships that end at an entity, ordered by type and start.
    pub fn incoming(&self, key: NodeKey) -> impl Iterator<Item = (Relation, NodeKey)> {
        self.incoming.get(&key).into_iter().flatten().copied()
    }

    /// Ends of the relationships of one type that start at an entity.
    pub fn targets(&self, key: NodeKey, relation: Relation) -> impl Iterator<Item = NodeKey> {
        of_relation(self.out.get(&key), relation)
    }

    /// Starts of the relationships of one type that end at an entity.
    pub fn sources(&self, key: NodeKey, relation: Relation) -> impl Iterator<Item = NodeKey> {
        of_relation(self.incoming.get(&key), relation)
    }

    /// Every relationship, in no particular order.
    pub fn edges(&self) -> impl Iterator<Item = Edge> {
        let all = self.out.iter();
        all.flat_map(|(from, ends)| {
            ends.iter().map(|(relation, to)| Edge { relation: *relation, from: *from, to: *to })
        })
    }

    /// Whether a requirement counts: its status says so and nothing supersedes it.
    pub fn is_current_requirement(&self, key: NodeKey) -> bool {
        self.node(key).is_some_and(|node| {
            node.kind == EntityType::Req && crate::model::is_current_requirement(&node.status)
        }) && self.sources(key, Relation::Supersedes).next().is_none()
    }

    /// Counts an entity no more, and forgets its names.
    fn forget_names(&mut self, key: NodeKey) {
        if let Some(old) = self.nodes.get(&key) {
            self.file_owned -= usize::from(old.file.is_some());
            self.diverged -= usize::from(old.diverged);
            self.by_id.remove(&old.id);
            self.by_type.remove(&(old.kind, old.id.clone()));
        }
    }
}

fn of_relation(
    ends: Option<&BTreeSet<(Relation, NodeKey)>>,
    relation: Relation,
) -> impl Iterator<Item = NodeKey> {
    let range = (relation, NodeKey(0))..=(relation, NodeKey(u64::MAX));
    ends.into_iter().flat_map(move |ends| ends.range(range.clone())).map(|(_, key)| *key)
}

fn remove_end(
    ends: &mut HashMap<NodeKey, BTreeSet<(Relation, NodeKey)>>,
    at: NodeKey,
    end: (Relation, NodeKey),
) {
    if let Some(set) = ends.get_mut(&at) {
        set.remove(&end);
        if set.is_empty() {
            ends.remove(&at);
        }
    }
}
