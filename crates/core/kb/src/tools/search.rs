//! `kb_search`: entities by their words.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EntityJson, bounded};
use crate::model::EntityType;

/// Arguments of `kb_search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"query": "login flow", "type": "req", "limit": 10}))]
pub struct SearchInput {
    /// Words to search for.
    pub query: String,
    /// Only entities of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntityType>,
    /// Results of one page; 20 by default, at most 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Results to skip; the first 1,000 can be paged through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_search`, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchOutput {
    /// Results of this page.
    pub results: Vec<SearchResult>,
    /// Results of all pages.
    pub count: u64,
    /// The index does not hold everything of this branch yet: there may be more results in a moment.
    pub behind: bool,
}

/// An entity that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchResult {
    /// The entity, without its body.
    pub entity: EntityJson,
    /// From 0 to 1.
    pub score: f64,
    /// Reasons why it matched.
    pub reasons: Vec<String>,
    /// The line of its body or prose that matched best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl SearchOutput {
    /// Returns the essentials as text.
    pub fn text(&self, input: &SearchInput) -> String {
        let behind = if self.behind { "\nThe search index is behind; search again in a moment." } else { "" };
        if self.results.is_empty() {
            return format!("No search results for '{}'.{behind}", crate::entity::cut(&input.query));
        }
        let query = crate::entity::cut(&input.query);
        let mut text =
            format!("Found {} search results for '{query}'. Showing {}:", self.count, self.results.len());
        for result in &self.results {
            let (id, title) = (result.entity.text("id"), result.entity.text("title"));
            text.push_str(&format!("\n{id} ({title}) [{}]", result.reasons.join(", ")));
            if let Some(snippet) = &result.snippet {
                text.push_str(&format!("\n  {snippet}"));
            }
        }
        text.push_str(behind);
        bounded(text)
    }
}
