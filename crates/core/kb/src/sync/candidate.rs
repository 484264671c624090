//! An entity as its file says that it is.

use cairn_base::{Value, to_iso_utc};
use cairn_graph::Map;

use crate::entity::{Entity, FieldError, check_fact_shape, check_properties, check_size, field};
use crate::model::EntityType;
use crate::tools::UpsertInput;
use crate::write::{check_read_only, check_required, check_times, without_duplicates};

/// Attributes of a test that belong to its results, once any were imported.
const OF_RESULTS: [&str; 4] = ["status", "result_at", "result_run", "result_commit"];
/// Attributes that say who wrote an entity and when, and not what it is.
const BOOKKEEPING: [&str; 2] = ["file", "diverged"];

/// Builds an entity from its file alone. `stored` is the entity with this id, of whatever type: from it come only the
/// times that the file does not give, and what test results own.
///
/// # Errors
///
/// Returns every field that is wrong.
pub(super) fn candidate(
    path: &str,
    input: &UpsertInput,
    stored: Option<&Entity>,
    now_ms: u64,
) -> Result<Entity, Vec<FieldError>> {
    let mut errors = Vec::new();
    check_properties(input.kind, &input.properties, &mut errors);
    let mut attributes = Map::new();
    for (name, value) in &input.properties.0 {
        let Some(field) = field(name).filter(|field| !field.is_read_only && !value.is_null()) else {
            continue;
        };
        attributes.insert(field.attribute.to_owned(), without_duplicates(field.name, value));
    }
    if attributes.get("source").and_then(Value::as_str).is_none_or(|source| source.trim().is_empty()) {
        attributes.insert("source".into(), path.into());
    }
    let now = to_iso_utc(now_ms);
    for name in ["created_at", "updated_at"] {
        let before = stored.map(|stored| stored.text(name)).filter(|at| !at.is_empty());
        attributes.entry(name.into()).or_insert_with(|| before.unwrap_or(&now).into());
    }
    attributes.insert("file".into(), path.into());
    keep_results(&mut attributes, input.kind, stored);
    let entity = Entity { id: input.id.clone(), kind: input.kind, attributes };
    check_required(&entity.attributes, &mut errors);
    check_times(&input.properties, now_ms, &mut errors);
    check_read_only(&input.properties, Some(&entity), &mut errors);
    if errors.is_empty() {
        errors.extend(check_size(&entity.attributes).err());
        errors.extend(entity.node().fact.as_deref().and_then(|fact| check_fact_shape(fact).err()));
    }
    if errors.is_empty() { Ok(entity) } else { Err(errors) }
}

/// Once results of a test were imported, its status is theirs.
fn keep_results(attributes: &mut Map, kind: EntityType, stored: Option<&Entity>) {
    let has_results = |stored: &&Entity| {
        kind == EntityType::Test && stored.kind == kind && !stored.text("result_at").is_empty()
    };
    let Some(stored) = stored.filter(has_results) else { return };
    for name in OF_RESULTS {
        match stored.attributes.get(name) {
            Some(value) => drop(attributes.insert(name.to_owned(), value.clone())),
            None => drop(attributes.remove(name)),
        }
    }
}

/// Whether two entities say the same, whoever wrote them.
pub(super) fn says_the_same(one: &Map, other: &Map) -> bool {
    let own = |map: &Map| map.keys().filter(|name| !BOOKKEEPING.contains(&name.as_str())).count();
    own(one) == own(other)
        && one
            .iter()
            .filter(|(name, _)| !BOOKKEEPING.contains(&name.as_str()))
            .all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
}

/// Whether two values are written alike: 1 and 1.0 are equal, and not the same.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    one == other
        && match one {
            Value::Number(_) | Value::Array(_) | Value::Object(_) => one.to_json() == other.to_json(),
            Value::Null | Value::Bool(_) | Value::String(_) => true,
        }
}
