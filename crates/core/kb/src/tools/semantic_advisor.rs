//! `kb_semantic_advisor`: the claims in the prose of a requirement, and the facts that would carry them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bounded;
use crate::Result;
use crate::advisor::{Receipt, advise_text};
use crate::model::EntityType;

/// Arguments of `kb_semantic_advisor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "text": "Sessions expire after 30 minutes and customer data must be retained for 7 years.", "id": "REQ-001"
}))]
pub struct SemanticAdvisorInput {
    /// Prose of a requirement.
    pub text: String,
    /// Type of the entity; `req` by default. Only requirements are analysed.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<EntityType>,
    /// Id of the requirement, for the drafts of relationships.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Title of the requirement; its first sentence by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Provenance of the drafts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Status of the requirement; `open` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_semantic_advisor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SemanticAdvisorOutput {
    /// Receipt of the analysis.
    pub receipt: Receipt,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
}

impl SemanticAdvisorInput {
    /// Analyses the text. Fails if the text is blank or too long, or if another argument is invalid.
    pub fn run(&self) -> Result<SemanticAdvisorOutput> {
        advise_text(self)
    }
}

impl SemanticAdvisorOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let mut text = self.receipt.text();
        self.warnings.iter().for_each(|warning| text.push_str(&format!("\nWarning: {warning}")));
        bounded(text)
    }
}
