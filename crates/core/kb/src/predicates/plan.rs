//! Payloads of `kb_upsert` that a suggestion proposes, and their ids.

use cairn_base::{Hex, Value};
use cairn_seam::Sha256;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::entity::Properties;
use crate::model::{EntityType, Relation};
use crate::tools::{RelationshipInput, UpsertInput};

/// A link from a requirement to a predicate fact. It is no part of an apply plan, because an upsert adds only
/// relationships that start at its own entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelationshipPlan {
    /// Id of the fact that has to be there first.
    pub apply_after: String,
    /// Whether the requirement has to be there first.
    pub requires_existing_req: bool,
    /// The link.
    pub relationship: RelationshipInput,
    /// The next step in words.
    pub instructions: String,
}

impl RelationshipPlan {
    /// Links a requirement to a predicate fact.
    pub(crate) fn new(requirement: &str, fact: &str) -> Self {
        RelationshipPlan {
            apply_after: fact.to_owned(),
            requires_existing_req: true,
            relationship: link(Relation::RequiresPredicate, requirement, fact),
            instructions: format!(
                "Apply the plan, then upsert {requirement} with this relationship; its other properties stay as they are."
            ),
        }
    }
}

/// Returns a relationship without metadata.
pub(crate) fn link(relation: Relation, from: &str, to: &str) -> RelationshipInput {
    RelationshipInput {
        relation,
        from: from.to_owned(),
        to: to.to_owned(),
        created_at: None,
        created_by: None,
        source: None,
        confidence: None,
    }
}

/// Returns the payload of an active fact.
pub(crate) fn fact<const N: usize>(
    id: String,
    title: &str,
    tags: &[&str],
    more: [(&str, Value); N],
) -> UpsertInput {
    let mut properties = Properties::from(more);
    let tags = tags.iter().map(|tag| Value::from(*tag)).collect();
    let own = [("title", cut_title(title).into()), ("status", "active".into()), ("tags", Value::Array(tags))];
    properties.0.extend(own.map(|(name, value)| (name.to_owned(), value)));
    UpsertInput { kind: EntityType::Fact, id, properties, relationships: Vec::new(), request_id: None }
}

/// Characters of a title that a suggestion makes of prose.
const TITLE_CHARS_MAX: usize = 200;

/// Returns the beginning of a text that serves as a title.
pub(crate) fn cut_title(text: &str) -> String {
    let text = text.split_whitespace().take(TITLE_CHARS_MAX).collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

/// Returns `name(a,b,c)`.
pub(crate) fn predicate_key(name: &str, args: &[String]) -> String {
    format!("{name}({})", args.join(","))
}

/// Returns the first twelve hexadecimal digits, in lower case, of the SHA-256 of parts with a NUL between them.
pub(crate) fn short_hash(parts: &[&str]) -> String {
    let digest = Sha256::of(parts.join("\0").as_bytes());
    let mut hex = Hex(digest.as_bytes()).to_string();
    hex.truncate(12);
    hex
}
