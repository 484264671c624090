//! Examining an upsert: everything that can be said about it without its contradictions.

use cairn_base::{Value, from_iso, to_iso_utc};
use cairn_graph::Map;

use super::relationships::{NewLink, examine_relationships};
use super::symbol::{SymbolFacts, examine_symbol};
use crate::branch::{Branch, Change, Edge, NodeKey};
use crate::entity::{
    Entity, FieldError, check_fact_shape, check_id, check_properties, check_size, cut, field,
};
use crate::limits;
use crate::model::{EntityType, FactKind, Relation};
use crate::results::{RESULT_FIELDS, is_too_late};
use crate::tools::UpsertInput;
use crate::{KbError, Properties};

/// The source of entities whose writer names none.
const DEFAULT_SOURCE: &str = "mcp://cairn/upsert";

/// An upsert and everything that is wrong with it.
#[derive(Debug, Clone)]
pub struct Examined {
    /// Everything that is wrong with it, in the order of the checks. Nothing may be stored if there is anything.
    pub problems: Vec<KbError>,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
    /// The changes to store.
    pub plan: UpsertPlan,
}

/// The changes of an upsert.
#[derive(Debug, Clone)]
pub struct UpsertPlan {
    /// The entity if it is there already.
    pub key: Option<NodeKey>,
    /// The entity as it will be.
    pub entity: Entity,
    /// Attributes that it has not yet, or with other values.
    pub changed: Map,
    /// Attributes that it has and will not have.
    pub removed: Vec<String>,
    /// Relationships that are not there yet.
    pub links: Vec<NewLink>,
}

impl UpsertPlan {
    /// Whether it can create a contradiction: only requirements and facts do.
    pub fn may_contradict(&self) -> bool {
        matches!(self.entity.kind, EntityType::Req | EntityType::Fact)
    }

    /// The changes of the branch, given the number of the entity.
    pub fn changes(&self, key: NodeKey) -> Vec<Change> {
        let put = Change::Put(key, Box::new(self.entity.node()));
        let links = self.links.iter().map(|link| {
            Change::Link(Edge { relation: link.relation, from: key, to: link.to.unwrap_or(key) })
        });
        std::iter::once(put).chain(links).collect()
    }
}

/// Examines an upsert of a branch. `current` is the entity as it is stored, if it is; `facts` describe the source
/// file of a symbol, if it was read. `now_ms` is 0 where there is no clock.
pub fn examine_upsert(
    branch: &Branch,
    current: Option<&Entity>,
    input: &UpsertInput,
    facts: Option<&SymbolFacts>,
    now_ms: u64,
) -> Examined {
    let mut problems = Vec::new();
    let mut warnings = Vec::new();
    let mut fields = Vec::new();
    if let Err(error) = check_id("id", &input.id) {
        fields.push(error);
    }
    check_properties(input.kind, &input.properties, &mut fields);
    check_read_only(&input.properties, current, &mut fields);
    if let Some((_, other)) = branch.find(&input.id).filter(|(_, node)| node.kind != input.kind) {
        let (found, asked) = (other.kind.text(), input.kind.text());
        problems.push(KbError::OtherType { id: input.id.clone(), found, asked });
    }
    let current = current.filter(|current| current.kind == input.kind);
    let key = branch.find(&input.id).filter(|(_, node)| node.kind == input.kind).map(|(key, _)| key);
    let mut entity = merge(current, input, now_ms, &mut fields, &mut warnings);
    if fields.is_empty() {
        fields.extend(check_size(&entity.attributes).err());
        fields.extend(entity.node().fact.as_deref().and_then(|fact| check_fact_shape(fact).err()));
    }
    if !fields.is_empty() {
        problems.insert(0, KbError::Entity(fields));
    }
    warn_about_status(&entity, &mut warnings);
    let links = examine_relationships(branch, key, &entity, &input.relationships, &mut problems);
    let index = |relation| input.relationships.iter().position(|sent| sent.relation == relation);
    examine_symbol(branch, key, &entity, &links, &index, facts, &mut problems, &mut warnings);
    examine_lanes_of_fact(branch, key, &entity, &mut problems);
    let stored = current.map(|current| &current.attributes);
    let removed = stored.into_iter().flat_map(Map::keys);
    let removed: Vec<String> =
        removed.filter(|name| !entity.attributes.contains_key(*name)).cloned().collect();
    let changed = entity.attributes.iter();
    let changed = changed.filter(|(name, value)| stored.and_then(|stored| stored.get(*name)) != Some(value));
    let mut changed: Map = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
    let has_diverged = !links.is_empty()
        || !removed.is_empty()
        || changed.keys().any(|name| !matches!(name.as_str(), "created_at" | "updated_at"));
    if let Some(file) =
        current.map(|current| current.text("file")).filter(|file| !file.is_empty() && has_diverged)
    {
        warnings.push(format!(
            "{} belongs to {}, which does not change; `cairn kb export` writes this there, and `cairn kb sync --force` \
             drops it",
            cut(&entity.id),
            cut(file)
        ));
        entity.attributes.insert("diverged".into(), true.into());
        changed.insert("diverged".into(), true.into());
    }
    let plan = UpsertPlan { key, entity, changed, removed, links };
    Examined { problems, warnings, plan }
}

/// The entity as it will be: properties that are not sent stay, null removes, `created_at` never moves.
fn merge(
    current: Option<&Entity>,
    input: &UpsertInput,
    now_ms: u64,
    errors: &mut Vec<FieldError>,
    warnings: &mut Vec<String>,
) -> Entity {
    let mut attributes = current.map(|current| current.attributes.clone()).unwrap_or_default();
    for (name, value) in &input.properties.0 {
        let Some(field) = field(name).filter(|field| !field.is_read_only) else { continue };
        if value.is_null() {
            attributes.remove(field.attribute);
        } else {
            attributes.insert(field.attribute.to_owned(), without_duplicates(field.name, value));
        }
    }
    if input.kind == EntityType::Test && is_own_status(current, &input.properties) {
        RESULT_FIELDS.iter().for_each(|name| drop(attributes.remove(*name)));
    }
    let now = to_iso_utc(now_ms);
    let created = current.map(|current| current.text("created_at")).filter(|at| !at.is_empty());
    match created {
        Some(created) => {
            if input.properties.text("created_at").is_some_and(|sent| sent != created) {
                warnings.push(format!("created_at stays {created}; it never moves"));
            }
            attributes.insert("created_at".into(), created.into());
        }
        None => {
            attributes.entry("created_at".into()).or_insert_with(|| now.as_str().into());
        }
    }
    if input.properties.text("updated_at").is_none() {
        attributes.insert("updated_at".into(), now.into());
    }
    if attributes.get("source").and_then(Value::as_str).is_none_or(|source| source.trim().is_empty()) {
        attributes.insert("source".into(), DEFAULT_SOURCE.into());
    }
    check_required(&attributes, errors);
    check_times(&input.properties, now_ms, errors);
    Entity { id: input.id.clone(), kind: input.kind, attributes }
}

/// Whether a status is that of its writer, and not that of the results that are stored.
fn is_own_status(current: Option<&Entity>, properties: &Properties) -> bool {
    let is_new = |status: &str| current.is_some_and(|current| current.text("status") != status);
    properties.text("status").is_some_and(is_new)
        && !RESULT_FIELDS.iter().any(|name| properties.0.contains_key(*name))
}

/// Adds an error for each required field that is missing, unless it has one.
pub(crate) fn check_required(attributes: &Map, errors: &mut Vec<FieldError>) {
    for name in ["title", "status"] {
        let has_error = errors.iter().any(|error| error.field == name);
        let is_missing =
            attributes.get(name).and_then(Value::as_str).is_none_or(|text| text.trim().is_empty());
        if is_missing && !has_error {
            errors.push(FieldError::new(name, "it is required", None));
        }
    }
}

/// Adds an error for each field that only cairn sets and that is sent with another value than the stored one.
pub(crate) fn check_read_only(
    properties: &Properties,
    current: Option<&Entity>,
    errors: &mut Vec<FieldError>,
) {
    for (name, value) in &properties.0 {
        let Some(field) = field(name).filter(|field| field.is_read_only) else { continue };
        let stored = current.and_then(|current| current.attributes.get(field.attribute));
        let is_absent = value.is_null() || *value == Value::Bool(false);
        if stored.map_or(!is_absent, |stored| stored != value)
            && !errors.iter().any(|error| error.field == *name)
        {
            let hint = "leave it out; documents own what `cairn kb sync` reads from them".to_owned();
            errors.push(FieldError::new(name.as_str(), "it is read-only", Some(hint)));
        }
    }
}

/// Tags and other lists of names hold each once, in the order of their first appearance.
pub(crate) fn without_duplicates(name: &str, value: &Value) -> Value {
    let is_set = matches!(name, "tags" | "links" | "aliases");
    // A longer list is refused.
    let items = value.as_array().filter(|items| is_set && items.len() <= limits::ENTITY_LIST_ITEMS_MAX);
    let Some(items) = items else { return value.clone() };
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    items.iter().for_each(|item| {
        if !kept.contains(item) {
            kept.push(item.clone());
        }
    });
    Value::Array(kept)
}

pub(crate) fn check_times(properties: &Properties, now_ms: u64, errors: &mut Vec<FieldError>) {
    let result_at = properties.text("result_at");
    if let Some(at) = result_at.filter(|at| from_iso(at).is_some_and(|at_ms| is_too_late(at_ms, now_ms))) {
        let message = format!("{at} is more than a day ahead of the clock of this node");
        errors.push(FieldError::new("result_at", message, Some("check the clocks".into())));
    }
    for name in ["created_at", "updated_at", "result_at"] {
        if let Some(text) = properties.text(name).filter(|text| from_iso(text).is_none()) {
            let message = format!("{:?} is no time", cut(text));
            errors.push(FieldError::new(
                name,
                message,
                Some("use ISO 8601, like 2026-05-01T10:00:00Z".into()),
            ));
        }
    }
}

fn warn_about_status(entity: &Entity, warnings: &mut Vec<String>) {
    let status = entity.text("status");
    let known = entity.kind.statuses();
    if !status.is_empty() && !known.contains(&status) {
        let kind = entity.kind;
        warnings.push(format!(
            "status {status} is unusual for a {kind}; the usual ones are {}",
            known.join(", ")
        ));
    }
}

/// A fact that changes its kind must still fit the requirements that are linked to it.
fn examine_lanes_of_fact(
    branch: &Branch,
    key: Option<NodeKey>,
    entity: &Entity,
    problems: &mut Vec<KbError>,
) {
    let (Some(key), EntityType::Fact) = (key, entity.kind) else { return };
    let relation = match FactKind::parse(entity.text("fact_kind")) {
        Some(FactKind::Subject) => Relation::RequiresProperty,
        Some(FactKind::PropertyValue) => Relation::Constrains,
        Some(FactKind::Observation | FactKind::Meta | FactKind::PredicateSchema | FactKind::Predicate)
        | None => {
            return;
        }
    };
    let Some(from) = branch.sources(key, relation).next().and_then(|from| branch.node(from)) else { return };
    let message = format!("requirement {} is linked to this fact by {relation}, which does not fit", from.id);
    let hint = "create a second fact instead of changing the kind of this one".to_owned();
    problems.push(KbError::Entity(vec![FieldError::new("fact_kind", message, Some(hint))]));
}
