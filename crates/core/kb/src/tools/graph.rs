//! `kb_graph`: bounded traversal from seeds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{StatusOutput, bounded};
use crate::model::{EntityType, Relation};

/// Arguments of `kb_graph`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({"seedIds": ["REQ-001"], "direction": "both", "depth": 2, "maxNodes": 100, "maxEdges": 200}))]
pub struct GraphInput {
    /// Ids to start from. Unknown ones are reported.
    pub seed_ids: Vec<String>,
    /// Relationship types to follow; all by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relationships: Vec<Relation>,
    /// Direction to follow them in.
    #[serde(default)]
    pub direction: Direction,
    /// Relationships between a seed and the farthest node, 1 to 5; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Only nodes of these types are returned; traversal goes through all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entity_types: Vec<EntityType>,
    /// Maximum nodes; 200 by default, at most 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_nodes: Option<u32>,
    /// Maximum relationships; 500 by default, at most 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_edges: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Direction of a traversal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From source to target.
    #[default]
    Outgoing,
    /// From target to source.
    Incoming,
    /// Both ways.
    Both,
}

/// Result of `kb_graph`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphOutput {
    /// Entities, ordered by id.
    pub nodes: Vec<GraphNode>,
    /// Relationships, ordered by type, source and target.
    pub edges: Vec<GraphEdge>,
    /// Whether nodes or relationships were left out because of a limit.
    pub truncated: bool,
    /// Seeds that are no entities of the branch.
    pub unknown_seeds: Vec<String>,
    /// State of the branch.
    pub meta: StatusOutput,
}

/// An entity of a traversal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct GraphNode {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its title.
    pub title: String,
    /// Its status.
    pub status: String,
}

/// A relationship of a traversal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphEdge {
    /// Its type.
    #[serde(rename = "type")]
    pub relation: Relation,
    /// Id of its source.
    pub from: String,
    /// Id of its target.
    pub to: String,
}

impl GraphOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let truncated = if self.truncated { " (truncated)" } else { "" };
        let mut text = format!("{} nodes, {} edges{truncated}.", self.nodes.len(), self.edges.len());
        if !self.unknown_seeds.is_empty() {
            text.push_str(&format!("\nUnknown seeds: {}", self.unknown_seeds.join(", ")));
        }
        for node in &self.nodes {
            text.push_str(&format!("\n{} ({}, {}, status={})", node.id, node.kind, node.title, node.status));
        }
        for edge in &self.edges {
            text.push_str(&format!("\n{} -{}-> {}", edge.from, edge.relation, edge.to));
        }
        bounded(text)
    }
}
