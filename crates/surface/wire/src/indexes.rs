//! Ordered indexes of the graph.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What to make an index of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexJob {
    /// In which space; `memory` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The type of the concepts.
    #[serde(rename = "type")]
    #[schema(example = "Drug")]
    pub kind: String,
    /// The field to sort them by: `attributes.KEY` or `metadata.KEY`, with up to four keys.
    #[schema(example = "attributes.dose")]
    pub field: String,
}

/// An ordered index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KipIndex {
    /// The type of the concepts.
    #[serde(rename = "type")]
    #[schema(example = "Drug")]
    pub kind: String,
    /// The field that they are sorted by.
    #[schema(example = "attributes.dose")]
    pub field: String,
    /// `ready`; `building` or `dropping` while it is of no use to queries.
    #[schema(example = "ready")]
    pub state: String,
    /// How many concepts it holds; null before it is ready.
    pub entries: Option<u64>,
    /// How many concepts there are of the type.
    pub concepts: u64,
    /// Whether it was made by the server itself.
    pub automatic: bool,
}

/// The ordered indexes of a space.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KipIndexes {
    /// In the order in which they were made.
    pub indexes: Vec<KipIndex>,
}
