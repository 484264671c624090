//! An entity as it is stored: a concept whose attributes are its properties.

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_graph::Map;

use super::field::field_of_attribute;
use crate::branch::{FactFields, Node};
use crate::digest::ContentDigest;
use crate::model::{EntityType, SymbolRole};

/// A whole entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Its id, the name of its concept.
    pub id: String,
    /// Its type.
    pub kind: EntityType,
    /// Its properties, as attributes of its concept.
    pub attributes: Map,
}

impl Entity {
    /// Returns the entity as tools show it: `id`, `type`, and its properties by their names in the tools.
    pub fn shown(&self) -> BTreeMap<String, Value> {
        let own = [("id", self.id.clone()), ("type", self.kind.text().to_owned())];
        let own = own.into_iter().map(|(name, text)| (name.to_owned(), Value::String(text)));
        let properties = self.attributes.iter().map(|(attribute, value)| {
            let name = field_of_attribute(attribute).map_or(attribute.as_str(), |field| field.name);
            (name.to_owned(), value.clone())
        });
        properties.chain(own).collect()
    }

    /// Returns the text of an attribute; empty if it is missing or no text.
    pub fn text(&self, attribute: &str) -> &str {
        self.attributes.get(attribute).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns what checks and reports need to know of it.
    pub fn node(&self) -> Node {
        Node::of(&self.id, self.kind, &self.attributes)
    }
}

impl Node {
    /// Returns what checks and reports need to know of an entity with these attributes.
    pub fn of(id: &str, kind: EntityType, attributes: &Map) -> Self {
        let text = |name: &str| attributes.get(name).and_then(Value::as_str).map(Box::<str>::from);
        let mut tags: Vec<Box<str>> = match attributes.get("tags") {
            Some(Value::Array(tags)) => tags.iter().filter_map(Value::as_str).map(Box::from).collect(),
            _ => Vec::new(),
        };
        tags.sort_unstable();
        tags.dedup();
        Node {
            id: id.into(),
            kind,
            title: text("title").unwrap_or_default(),
            status: text("status").unwrap_or_default(),
            source: text("source").unwrap_or_default(),
            source_file: text("source_file"),
            priority: text("priority"),
            owner: text("owner"),
            severity: text("severity"),
            tags: tags.into(),
            lacks_times: ["created_at", "updated_at"].map(|name| text(name).is_none_or(|at| at.is_empty())),
            verification_scope: text("verification_scope"),
            verification_perspective: text("verification_perspective"),
            symbol_role: attributes.get("symbol_role").and_then(Value::as_str).and_then(SymbolRole::parse),
            file: text("file").filter(|file| !file.is_empty()),
            diverged: attributes.get("diverged").and_then(Value::as_bool).unwrap_or_default(),
            digest: ContentDigest::of(attributes),
            fact: (kind == EntityType::Fact).then(|| Box::new(FactFields::of(attributes))),
        }
    }
}

impl FactFields {
    /// Returns the fields of a fact with these attributes.
    pub fn of(attributes: &Map) -> Self {
        let text = |name: &str| attributes.get(name).and_then(Value::as_str).map(Box::<str>::from);
        let number = |name: &str| attributes.get(name).and_then(Value::as_number);
        let items = |name: &str| attributes.get(name).and_then(Value::as_array);
        FactFields {
            fact_kind: text("fact_kind"),
            subject_key: text("subject_key"),
            property_key: text("property_key"),
            operator: text("operator"),
            value_type: text("value_type"),
            value_string: text("value_string"),
            value_int: number("value_int"),
            value_number: number("value_number"),
            value_bool: attributes.get("value_bool").and_then(Value::as_bool),
            unit: text("unit"),
            scope: text("scope"),
            polarity: text("polarity"),
            valid_from: text("valid_from"),
            valid_to: text("valid_to"),
            canonical_key: text("canonical_key"),
            predicate_name: text("predicate_name"),
            predicate_namespace: text("predicate_namespace"),
            predicate_args: items("predicate_args").map(Box::from),
            predicate_arity: number("predicate_arity"),
            argument_names: items("argument_names").map(<[_]>::len),
            argument_types: items("argument_types").map(<[_]>::len),
        }
    }
}
