//! Payloads of `kb_upsert` that correct a violation.
//!
//! Text that only the caller knows is a placeholder in angle brackets. New entities get ids that follow from the
//! entity that needs them, so that the same violation always has the same fix.

use cairn_base::Value;

use crate::limits::ENTITY_ID_BYTES_MAX;
use crate::tools::{RelationshipInput, UpsertInput};
use crate::{Branch, EntityType, Node, NodeKey, Properties, Relation};

/// Bytes of a title that a placeholder repeats.
const TITLE_BYTES_MAX: usize = 200;
/// Ids that are tried for a new entity before it is given up.
const IDS_TRIED_MAX: usize = 1_000;

/// Builds a payload without relationships.
pub(crate) fn upsert<const N: usize>(
    kind: EntityType,
    id: &str,
    properties: [(&str, Value); N],
) -> UpsertInput {
    UpsertInput {
        kind,
        id: id.to_owned(),
        properties: Properties::from(properties),
        relationships: Vec::new(),
        request_id: None,
    }
}

impl UpsertInput {
    /// Adds a relationship that starts at the entity.
    pub(crate) fn linked(mut self, relation: Relation, to: &str) -> Self {
        self.relationships.push(RelationshipInput {
            relation,
            from: self.id.clone(),
            to: to.to_owned(),
            created_at: None,
            created_by: None,
            source: None,
            confidence: None,
        });
        self
    }

    /// Sets a property.
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.properties.0.insert(name.to_owned(), value);
        self
    }
}

/// Builds a payload for a new entity with a placeholder as title, in the first status of its type.
pub(crate) fn new_entity(kind: EntityType, id: &str, title: String) -> UpsertInput {
    let status = match kind {
        EntityType::Test => "pending",
        EntityType::Req
        | EntityType::Scenario
        | EntityType::Adr
        | EntityType::Flag
        | EntityType::Event
        | EntityType::Symbol
        | EntityType::Fact => kind.statuses()[0],
    };
    upsert(kind, id, [("title", title.into()), ("status", status.into())])
}

/// Returns an id for a new entity that no entity has: the prefix and the id of the entity that needs it, with a number
/// if that one is taken.
pub(crate) fn new_id(branch: &Branch, prefix: &str, of: &str) -> Option<String> {
    let numbered = |number: usize| {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let room = ENTITY_ID_BYTES_MAX - prefix.len() - suffix.len();
        format!("{prefix}{}{suffix}", of[..of.floor_char_boundary(room)].trim_end())
    };
    (1..=IDS_TRIED_MAX).map(numbered).find(|id| branch.find(id).is_none())
}

/// A placeholder that repeats the title of an entity, or its id if it has none.
pub(crate) fn placeholder(what: &str, node: &Node) -> String {
    let title = if node.title.is_empty() { &node.id } else { &node.title };
    format!("<{what}: {}>", &title[..title.floor_char_boundary(TITLE_BYTES_MAX)])
}

/// The first of some entities by id.
pub(crate) fn first_by_id(branch: &Branch, keys: impl Iterator<Item = NodeKey>) -> Option<(NodeKey, &Node)> {
    keys.filter_map(|key| Some((key, branch.node(key)?))).min_by_key(|(_, node)| &node.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::Builder;

    #[test]
    fn new_ids_are_free_and_fit_the_limit() {
        let branch = Builder::new("req:R scenario:SCEN-R scenario:SCEN-R-2").branch();
        assert_eq!(new_id(&branch, "SCEN-", "R").as_deref(), Some("SCEN-R-3"));
        assert_eq!(new_id(&branch, "TEST-", "R").as_deref(), Some("TEST-R"));
        let long = new_id(&branch, "SCEN-", &"é".repeat(ENTITY_ID_BYTES_MAX / 2)).unwrap();
        assert_eq!(long.len(), ENTITY_ID_BYTES_MAX - 1);
    }
}
