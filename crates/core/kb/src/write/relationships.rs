//! Examining the relationships of an upsert.

use std::collections::{BTreeSet, HashSet};

use cairn_base::{Number, from_iso};
use cairn_graph::Map;

use crate::KbError;
use crate::branch::{Branch, Edge, Ends, NodeKey};
use crate::digest::ContentDigest;
use crate::entity::{Entity, check_id, cut};
use crate::limits;
use crate::model::{EntityType, FactKind, Relation};
use crate::tools::RelationshipInput;

/// A relationship that is to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLink {
    /// Its type.
    pub relation: Relation,
    /// Its target; `None` for the entity itself.
    pub to: Option<NodeKey>,
    /// Metadata of the link, as it was sent.
    pub metadata: Map,
    /// Contents that its ends have.
    pub ends: Ends,
}

/// Examines the relationships of an upsert, and returns those that are not there yet, each once.
pub(super) fn examine_relationships(
    branch: &Branch,
    key: Option<NodeKey>,
    entity: &Entity,
    relationships: &[RelationshipInput],
    problems: &mut Vec<KbError>,
) -> Vec<NewLink> {
    if relationships.len() > limits::UPSERT_RELATIONSHIPS_MAX {
        problems.push(KbError::TooLarge {
            what: "relationships of one upsert",
            count: relationships.len() as u64,
            max: limits::UPSERT_RELATIONSHIPS_MAX as u64,
        });
        return Vec::new();
    }
    let from_digest = ContentDigest::of(&entity.attributes);
    let mut seen = HashSet::new();
    let mut links = Vec::new();
    for (index, relationship) in relationships.iter().enumerate() {
        let target = match examine_one(branch, key, entity, relationship) {
            Ok(target) => target,
            Err(message) => {
                problems.push(KbError::Relationship { index, message });
                continue;
            }
        };
        let relation = relationship.relation;
        let is_there =
            key.is_some_and(|from| branch.has(Edge { relation, from, to: target.unwrap_or(from) }));
        if !is_there && seen.insert((relation, target)) {
            let to_digest = target.and_then(|to| branch.node(to)).map_or(from_digest, |node| node.digest);
            let ends = Ends { from: from_digest, to: to_digest };
            links.push(NewLink { relation, to: target, metadata: metadata(relationship), ends });
        }
    }
    links
}

/// Checks one relationship, and returns its target; `None` is the entity itself.
fn examine_one(
    branch: &Branch,
    key: Option<NodeKey>,
    entity: &Entity,
    relationship: &RelationshipInput,
) -> Result<Option<NodeKey>, String> {
    let RelationshipInput { relation, from, to, .. } = relationship;
    if *from != entity.id {
        return Err(format!(
            "relationship source must match the upserted entity {}; received from={}",
            cut(&entity.id),
            cut(from)
        ));
    }
    check_relationship(relationship)?;
    let target = (*to != entity.id).then(|| branch.find(to));
    let (target, target_kind) = match target {
        None => (None, entity.kind),
        Some(Some((target, node))) => (Some(target), node.kind),
        Some(None) => return Err(format!("target {} does not exist; create it first", cut(to))),
    };
    if !relation.allows(entity.kind, target_kind) {
        let pairs: Vec<_> =
            relation.pairs().unwrap_or_default().iter().map(|(from, to)| format!("{from} -> {to}")).collect();
        let kind = entity.kind;
        return Err(format!(
            "{relation} cannot link a {kind} to a {target_kind}; it links {}",
            pairs.join(", ")
        ));
    }
    match relation {
        Relation::Supersedes => check_supersedes(branch, key, entity, target)?,
        Relation::Constrains | Relation::RequiresProperty => check_lane(branch, *relation, target)?,
        Relation::DependsOn
        | Relation::SpecifiedBy
        | Relation::VerifiedBy
        | Relation::Validates
        | Relation::Implements
        | Relation::CoveredBy
        | Relation::ExecutableFor
        | Relation::ConstrainedBy
        | Relation::RequiresPredicate
        | Relation::Guards
        | Relation::Publishes
        | Relation::Consumes
        | Relation::RelatesTo => {}
    }
    Ok(target)
}

/// Nothing supersedes itself, also not by way of others: requirements in such a circle would all stop counting.
fn check_supersedes(
    branch: &Branch,
    key: Option<NodeKey>,
    entity: &Entity,
    target: Option<NodeKey>,
) -> Result<(), String> {
    let Some(target) = target else { return Err(format!("{} cannot supersede itself", cut(&entity.id))) };
    let Some(key) = key else { return Ok(()) };
    let mut seen = BTreeSet::from([target]);
    let mut waiting = vec![target];
    while let Some(next) = waiting.pop() {
        for older in branch.targets(next, Relation::Supersedes) {
            if older == key {
                let target = branch.node(target).map(|node| &*node.id).unwrap_or_default();
                return Err(format!(
                    "{target} supersedes {} already; supersedes goes from new to old",
                    entity.id
                ));
            }
            if seen.insert(older) {
                waiting.push(older);
            }
        }
    }
    Ok(())
}

/// Strict facts are linked by the relationship of their lane; legacy facts and notes by either.
fn check_lane(branch: &Branch, relation: Relation, target: Option<NodeKey>) -> Result<(), String> {
    let node = target.and_then(|target| branch.node(target)).filter(|node| node.kind == EntityType::Fact);
    let Some(node) = node else { return Ok(()) };
    let kind = node.fact.as_deref().and_then(|fact| fact.kind());
    let (wrong, right) = if relation == Relation::Constrains {
        (FactKind::PropertyValue, Relation::RequiresProperty)
    } else {
        (FactKind::Subject, Relation::Constrains)
    };
    if kind == Some(wrong) {
        return Err(format!("{} is a {wrong} fact; link it by {right} instead of {relation}", node.id));
    }
    Ok(())
}

/// Checks what can be said of a relationship without its ends: the id of its target and its metadata. Fails with a
/// message.
pub fn check_relationship(relationship: &RelationshipInput) -> Result<(), String> {
    check_id("to", &relationship.to).map_err(|error| error.to_string())?;
    check_metadata(relationship)
}

pub(crate) fn check_metadata(relationship: &RelationshipInput) -> Result<(), String> {
    if relationship.confidence.is_some_and(|confidence| !(0.0..=1.0).contains(&confidence)) {
        return Err("confidence is not between 0 and 1".into());
    }
    if let Some(at) = relationship.created_at.as_deref().filter(|at| from_iso(at).is_none()) {
        return Err(format!("created_at {:?} is no time; use ISO 8601", cut(at)));
    }
    for (name, text) in [("created_by", &relationship.created_by), ("source", &relationship.source)] {
        if text.as_ref().is_some_and(|text| text.len() > limits::ENTITY_TEXT_BYTES_MAX) {
            return Err(format!("{name} has more than {} bytes", limits::ENTITY_TEXT_BYTES_MAX));
        }
    }
    Ok(())
}

pub(crate) fn metadata(relationship: &RelationshipInput) -> Map {
    let RelationshipInput { created_at, created_by, source, confidence, .. } = relationship;
    let texts = [("created_at", created_at), ("created_by", created_by), ("source", source)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text.as_deref()?.into())));
    let confidence =
        confidence.and_then(Number::from_f64).map(|number| ("confidence".to_owned(), number.into()));
    texts.chain(confidence).collect()
}
