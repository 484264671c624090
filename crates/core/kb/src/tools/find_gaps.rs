//! `kb_find_gaps`: entities by missing and present relationships.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{StatusOutput, bounded};
use crate::model::{EntityType, Relation};

/// Arguments of `kb_find_gaps`. Relationships count in both directions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"type": "req", "missingRelationships": ["specified_by", "verified_by"]}))]
pub struct FindGapsInput {
    /// Only entities of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntityType>,
    /// Relationship types that the entity must not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_relationships: Vec<Relation>,
    /// Relationship types that the entity must have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub present_relationships: Vec<Relation>,
    /// Only entities with any of these tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Only entities whose source file contains this text; entities without one are compared by their source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_file: Option<String>,
    /// Rows of one page; 100 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Rows to skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_find_gaps`, ordered by type and id.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindGapsOutput {
    /// Rows of this page.
    pub rows: Vec<GapRow>,
    /// Matching entities of all pages.
    pub count: u64,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// An entity with a gap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapRow {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
    /// The relationship types that were asked to be missing.
    pub missing_relationships: Vec<Relation>,
    /// The relationship types that were asked to be present.
    pub present_relationships: Vec<Relation>,
    /// Relationships of each type, in either direction.
    #[schema(value_type = Object)]
    pub relationship_counts: BTreeMap<String, u64>,
    /// Its source.
    pub source: String,
}

impl FindGapsOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        if self.count == 0 {
            return "No matching gaps found.".into();
        }
        let ids: Vec<&str> = self.rows.iter().map(|row| row.id.as_str()).collect();
        bounded(format!("Found {} gap rows. Showing {}: {}", self.count, ids.len(), ids.join(", ")))
    }
}
