//! `kb_upsert`: creates or updates one entity and adds relationships that start at it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::advisor::Receipt;
use crate::entity::Properties;
use crate::model::{EntityType, Relation};
use crate::write::SymbolFacts;

/// Arguments of `kb_upsert`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "type": "req", "id": "REQ-001",
    "properties": {"title": "Sessions expire after 30 minutes", "status": "open", "priority": "must"},
    "relationships": [{"type": "specified_by", "from": "REQ-001", "to": "SCEN-001"}]
}))]
pub struct UpsertInput {
    /// Type of the entity.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its id, unique in the branch across types.
    pub id: String,
    /// Its properties; `title` and `status` are required for a new entity.
    #[serde(default)]
    pub properties: Properties,
    /// Relationships that start at the entity. Both ends must exist. Relationships that are there stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<RelationshipInput>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Arguments of `kb_upsert` from a client that has the working tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpsertRequest {
    /// Type of the entity.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its id, unique in the branch across types.
    pub id: String,
    /// Its properties; `title` and `status` are required for a new entity.
    #[serde(default)]
    pub properties: Properties,
    /// Relationships that start at the entity. Both ends must exist. Relationships that are there stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<RelationshipInput>,
    /// Symbols of the source file of a symbol, read by the client. The server reads no files, so without them a symbol
    /// that is linked as a whole file is a warning, and with them an error.
    #[serde(rename = "symbolFacts", default, skip_serializing_if = "Option::is_none")]
    pub symbol_facts: Option<SymbolFacts>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

impl UpsertRequest {
    /// Adds what the client read to an upsert.
    pub fn of(input: UpsertInput, symbol_facts: Option<SymbolFacts>) -> Self {
        let UpsertInput { kind, id, properties, relationships, request_id } = input;
        UpsertRequest { kind, id, properties, relationships, symbol_facts, request_id }
    }

    /// Returns the upsert, and what the client read.
    pub fn into_parts(self) -> (UpsertInput, Option<SymbolFacts>) {
        let UpsertRequest { kind, id, properties, relationships, symbol_facts, request_id } = self;
        (UpsertInput { kind, id, properties, relationships, request_id }, symbol_facts)
    }
}

/// A relationship.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RelationshipInput {
    /// Its type.
    #[serde(rename = "type")]
    pub relation: Relation,
    /// Id of its source: the upserted entity.
    pub from: String,
    /// Id of its target.
    pub to: String,
    /// Time of creation, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Who created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Confidence from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
}

/// Result of `kb_upsert`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UpsertOutput {
    /// Id of the entity.
    pub id: String,
    /// 1 if it was created.
    pub created: u32,
    /// 1 if it was there before.
    pub updated: u32,
    /// Relationships that were added.
    pub relationships_created: u32,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
    /// Receipt of the semantic advisor; null from earlier versions.
    #[serde(rename = "semanticAdvisor")]
    pub semantic_advisor: Option<Receipt>,
    /// Snapshot of the branch after the write.
    #[serde(rename = "snapshotId")]
    pub snapshot_id: String,
}

impl UpsertOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let done = if self.created > 0 { "created" } else { "updated" };
        let mut text =
            format!("Upserted {} ({done}) with {} relationship(s).", self.id, self.relationships_created);
        self.warnings.iter().for_each(|warning| text.push_str(&format!("\nWarning: {warning}")));
        super::bounded(text)
    }
}
