//! Whole entities with their relationships, as documents are written from them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::plan::{StoredEntity, StoredLink};
use crate::branch::{Branch, NodeKey};
use crate::entity::{Properties, field};
use crate::limits::EXPORT_ENTITIES_MAX;
use crate::tools::{RelationshipInput, UpsertInput};
use crate::{KbError, Result};

/// Selection of entities to export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schema(example = json!({"ids": ["REQ-001"]}))]
pub struct ExportInput {
    /// Ids of entities; at most 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Every entity, instead of those in `ids`.
    pub all: bool,
    /// Only entities whose id is greater: the `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Entities of one page; 1,000 by default and at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of exported entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExportOutput {
    /// Entities, ordered by id.
    pub entities: Vec<ExportedEntity>,
    /// The `after` of the next page; null if this is the last one.
    pub next: Option<String>,
    /// Given ids that no entity has, sorted.
    pub unknown: Vec<String>,
}

/// An exported entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExportedEntity {
    /// The entity, with all relationships that start at it.
    pub entity: UpsertInput,
    /// Path of the document that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether a tool has changed it since its document was synced.
    pub diverged: bool,
}

/// The entities of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportPage {
    /// Entities, ordered by id.
    pub keys: Vec<NodeKey>,
    /// The id of the last one, if there are more.
    pub next: Option<String>,
    /// Given ids that no entity has, sorted.
    pub unknown: Vec<String>,
}

/// Returns the entities of a page.
///
/// # Errors
///
/// Fails if more ids are given than one call may, or a limit is out of range.
pub fn export_page(branch: &Branch, input: &ExportInput) -> Result<ExportPage> {
    let max = EXPORT_ENTITIES_MAX;
    let argument = |parameter: &'static str, message: String| KbError::Argument { parameter, message };
    if input.ids.len() > max {
        return Err(argument("ids", format!("at most {max} ids are exported in one call")));
    }
    let limit = input.limit.map_or(max, |limit| limit as usize);
    if limit == 0 || limit > max {
        return Err(argument("limit", format!("limit is not between 1 and {max}")));
    }
    let after = input.after.as_deref().unwrap_or_default();
    let mut page = ExportPage::default();
    let ids: Option<BTreeSet<&str>> = (!input.all).then(|| input.ids.iter().map(String::as_str).collect());
    let mut found: Box<dyn Iterator<Item = (NodeKey, &str)>> = match &ids {
        None => Box::new(branch.by_id().map(|(key, node)| (key, &*node.id))),
        Some(ids) => {
            let unknown = ids.iter().filter(|id| branch.find(id).is_none());
            page.unknown = unknown.map(|id| (*id).to_owned()).collect();
            Box::new(ids.iter().filter_map(|id| Some((branch.find(id)?.0, *id))))
        }
    };
    let mut last = None;
    for (key, id) in found.by_ref().filter(|(_, id)| *id > after) {
        if page.keys.len() == limit {
            page.next = last.map(str::to_owned);
            break;
        }
        page.keys.push(key);
        last = Some(id);
    }
    Ok(page)
}

/// Returns a stored entity as it is exported.
pub fn exported(branch: &Branch, stored: &StoredEntity) -> ExportedEntity {
    let entity = &stored.entity;
    let is_own = |name: &str| field(name).is_some_and(|field| !field.is_read_only);
    let properties = entity.shown().into_iter().filter(|(name, _)| is_own(name)).collect();
    let mut relationships: Vec<_> =
        stored.links.iter().filter_map(|link| relationship(branch, &entity.id, link)).collect();
    relationships.sort_by(|one, other| (one.relation, &one.to).cmp(&(other.relation, &other.to)));
    let file = Some(entity.text("file")).filter(|file| !file.is_empty());
    ExportedEntity {
        file: file.map(str::to_owned),
        diverged: entity.node().diverged,
        entity: UpsertInput {
            kind: entity.kind,
            id: entity.id.clone(),
            properties: Properties(properties),
            relationships,
            request_id: None,
        },
    }
}

fn relationship(branch: &Branch, from: &str, link: &StoredLink) -> Option<RelationshipInput> {
    let text = |name: &str| link.metadata.get(name).and_then(|value| value.as_str()).map(str::to_owned);
    Some(RelationshipInput {
        relation: link.relation,
        from: from.to_owned(),
        to: branch.node(link.to)?.id.to_string(),
        created_at: text("created_at"),
        created_by: text("created_by"),
        source: text("source"),
        confidence: link.metadata.get("confidence").and_then(|value| value.as_number()?.as_f64()),
    })
}
