//! The difference between two branches.

use std::collections::BTreeSet;

use cairn_access::Principal;
use cairn_kb::tools::{EntityJson, GraphEdge};
use cairn_kb::{Branch, KbError, NodeKey};

use super::KbTarget;
use super::state::{BranchState, read_entities};
use crate::{Engine, EngineError, limits};

/// Differences between two branches of a workspace, in one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KbDiff {
    /// Entities that only the second branch has, by id.
    pub added: Vec<EntityJson>,
    /// Ids of entities that only the first branch has.
    pub removed: Vec<String>,
    /// Entities that differ: as the first branch has them, and as the second does.
    pub changed: Vec<(EntityJson, EntityJson)>,
    /// Relationships that only the second branch has.
    pub links_added: Vec<GraphEdge>,
    /// Relationships that only the first branch has.
    pub links_removed: Vec<GraphEdge>,
    /// Whether there is more than one response holds.
    pub truncated: bool,
}

impl Engine {
    /// Compares two branches of a workspace, by the ids of their entities. Times of writes do not count.
    pub fn kb_diff(
        &self,
        principal: &Principal,
        from: &KbTarget,
        to: &KbTarget,
    ) -> Result<KbDiff, EngineError> {
        if from.workspace != to.workspace {
            let message = "both branches must belong to the same workspace".to_owned();
            return Err(KbError::Argument { parameter: "to", message }.into());
        }
        if from == to {
            // Also so that no lock is taken twice.
            return self.kb_read(principal, from, |_, _| Ok(KbDiff::default()));
        }
        let left = self.kb_read(principal, from, Side::read)?;
        let right = self.kb_read(principal, to, Side::read)?;
        Ok(compare(left, right))
    }
}

/// One of the branches.
struct Side {
    /// By id.
    entities: Vec<EntityJson>,
    links: BTreeSet<(String, &'static str, String)>,
}

impl Side {
    fn read(state: &BranchState, view: &cairn_graph::View<'_>) -> Result<Self, EngineError> {
        let count = state.branch.len() as u64;
        if count > limits::KB_DIFF_ENTITIES_MAX {
            let max = limits::KB_DIFF_ENTITIES_MAX;
            return Err(
                KbError::TooLarge { what: "entities of a branch that is compared", count, max }.into()
            );
        }
        let keys: Vec<NodeKey> = state.branch.by_id().map(|(key, _)| key).collect();
        let entities = read_entities(view, &state.schema, &state.wanted(&keys))?;
        Ok(Side { entities: entities.iter().map(EntityJson::from).collect(), links: links(&state.branch) })
    }
}

fn links(branch: &Branch) -> BTreeSet<(String, &'static str, String)> {
    let id = |key: NodeKey| Some(branch.node(key)?.id.to_string());
    branch.edges().filter_map(|edge| Some((id(edge.from)?, edge.relation.text(), id(edge.to)?))).collect()
}

fn compare(left: Side, right: Side) -> KbDiff {
    let mut diff = KbDiff::default();
    let mut rest = left.entities.into_iter().peekable();
    for entity in right.entities {
        while let Some(gone) = rest.next_if(|other| other.text("id") < entity.text("id")) {
            diff.removed.push(gone.text("id").to_owned());
        }
        match rest.next_if(|other| other.text("id") == entity.text("id")) {
            None => diff.added.push(entity),
            Some(before) if without_times(&before) != without_times(&entity) => {
                diff.changed.push((before, entity))
            }
            Some(_) => {}
        }
    }
    diff.removed.extend(rest.map(|gone| gone.text("id").to_owned()));
    let edges =
        |links: BTreeSet<(String, &'static str, String)>| links.into_iter().map(edge).collect::<Vec<_>>();
    diff.links_added = edges(&right.links - &left.links);
    diff.links_removed = edges(&left.links - &right.links);
    cut(&mut diff);
    diff
}

/// Times and files say when and where something was written, and not what.
fn without_times(entity: &EntityJson) -> EntityJson {
    let mut entity = entity.clone();
    ["updated_at", "file", "diverged"].into_iter().for_each(|name| drop(entity.0.remove(name)));
    entity
}

fn edge((from, relation, to): (String, &'static str, String)) -> GraphEdge {
    let relation = cairn_kb::Relation::parse(relation).expect("it came from a relation");
    GraphEdge { relation, from, to }
}

fn cut(diff: &mut KbDiff) {
    let max = limits::KB_DIFF_ROWS_MAX;
    let lengths = [
        diff.added.len(),
        diff.removed.len(),
        diff.changed.len(),
        diff.links_added.len(),
        diff.links_removed.len(),
    ];
    diff.truncated = lengths.into_iter().any(|length| length > max);
    diff.added.truncate(max);
    diff.removed.truncate(max);
    diff.changed.truncate(max);
    diff.links_added.truncate(max);
    diff.links_removed.truncate(max);
}
