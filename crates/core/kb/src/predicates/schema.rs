//! The schema of a predicate: one of the catalogue, or a `predicate_schema` fact of a branch.

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::catalogue::BuiltIn;
use crate::entity::Entity;
use crate::model::{EntityType, FactKind};

/// The namespace of predicates without one.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// The schema of a predicate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PredicateSchema {
    /// Id of the schema: `FACT-SCHEMA-…` of the catalogue, or the id of the fact.
    pub id: String,
    /// Name of the predicate.
    pub predicate_name: String,
    /// Namespace of the predicate, unless it is `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicate_namespace: Option<String>,
    /// Title.
    pub title: String,
    /// Meaning of the predicate.
    pub description: String,
    /// Names of its arguments, in order.
    pub argument_names: Vec<String>,
    /// Types of its arguments, in the same order.
    pub argument_types: Vec<String>,
    /// Other names of the predicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Sentences that it expresses.
    pub examples: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Hints for choosing among predicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_hints: Option<UsageHints>,
}

/// Hints for choosing among predicates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageHints {
    /// When to use the predicate.
    pub use_when: Vec<String>,
    /// When not to use it.
    pub do_not_use_when: Vec<String>,
}

impl PredicateSchema {
    /// Returns the schema that a `predicate_schema` fact declares, or `None` for other entities and for facts
    /// without a name or arguments.
    pub fn of_entity(entity: &Entity) -> Option<Self> {
        let is_schema = entity.kind == EntityType::Fact
            && FactKind::parse(entity.text("fact_kind")) == Some(FactKind::PredicateSchema);
        let list = |name: &str| -> Vec<String> {
            let items = entity.attributes.get(name).and_then(Value::as_array).unwrap_or_default();
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (names, types) = (list("argument_names"), list("argument_types"));
        let name = entity.text("predicate_name").trim();
        if !is_schema || name.is_empty() || names.is_empty() || names.len() != types.len() {
            return None;
        }
        let namespace = entity.text("predicate_namespace");
        let (use_when, do_not_use_when) = (list("use_when"), list("do_not_use_when"));
        let has_hints = !use_when.is_empty() && !do_not_use_when.is_empty();
        Some(PredicateSchema {
            id: entity.id.clone(),
            predicate_name: name.to_owned(),
            predicate_namespace: (!matches!(namespace, "" | DEFAULT_NAMESPACE)).then(|| namespace.to_owned()),
            title: entity.text("title").to_owned(),
            description: entity.text("text_ref").to_owned(),
            argument_names: names,
            argument_types: types,
            aliases: list("aliases"),
            examples: list("examples"),
            tags: list("tags"),
            usage_hints: has_hints.then_some(UsageHints { use_when, do_not_use_when }),
        })
    }

    /// Returns the schema of a row of the catalogue.
    pub(super) fn of_built_in(row: &BuiltIn) -> Self {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        PredicateSchema {
            id: row.id(),
            predicate_name: row.name.to_owned(),
            predicate_namespace: None,
            title: row.title.to_owned(),
            description: row.description.to_owned(),
            argument_names: row.arguments.iter().map(|(name, _)| (*name).to_owned()).collect(),
            argument_types: row.arguments.iter().map(|(_, kind)| (*kind).to_owned()).collect(),
            aliases: Vec::new(),
            examples: texts(row.examples),
            tags: texts(&[row.group]),
            usage_hints: Some(UsageHints {
                use_when: texts(row.use_when),
                do_not_use_when: texts(row.do_not_use_when),
            }),
        }
    }
}
