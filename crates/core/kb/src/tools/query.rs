//! `kb_query`: entities by type, id, tags and source.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EntityJson, bounded};
use crate::model::EntityType;

/// Arguments of `kb_query`. All given filters must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"type": "req", "sourceFile": "src/auth/login.ts", "limit": 20}))]
pub struct QueryInput {
    /// Only entities of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntityType>,
    /// Only the entity with this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Only entities with any of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only entities whose source file contains this text; entities without one are compared by their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// Entities of one page; 100 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Entities to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_query`, ordered by type and id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryOutput {
    /// Entities of this page.
    pub entities: Vec<EntityJson>,
    /// Matching entities of all pages.
    pub count: u64,
}

impl QueryOutput {
    /// Returns the essentials as text.
    pub fn text(&self, input: &QueryInput) -> String {
        let of = input.kind.map(|kind| format!(" of type '{kind}'")).unwrap_or_default();
        if self.count == 0 {
            return format!("No entities found{of}.");
        }
        let offset = input.offset.unwrap_or(0);
        let mut text =
            format!("Found {} entities{of}. Showing {} (offset {offset}):", self.count, self.entities.len());
        for entity in &self.entities {
            let (id, title, status) = (entity.text("id"), entity.text("title"), entity.text("status"));
            text.push_str(&format!("\n{id} ({title}, status={status})"));
        }
        bounded(text)
    }
}
