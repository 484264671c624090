//! `kb_delete`: deletes entities that nothing refers to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::entity::cut;

/// Arguments of `kb_delete`. All of them are deleted, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"ids": ["REQ-001"]}))]
pub struct DeleteInput {
    /// Ids of the entities, which may refer to each other.
    pub ids: Vec<String>,
    /// A correlation id of the caller; ignored.
    #[serde(rename = "_requestId", default, skip_serializing)]
    #[schema(ignore)]
    pub request_id: Option<String>,
}

/// Result of `kb_delete`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteOutput {
    /// Entities that were deleted.
    pub deleted: u64,
    /// Ids that no entity has.
    pub skipped: Vec<String>,
    /// Always empty: a deletion that is blocked fails as a whole.
    pub errors: Vec<String>,
    /// Remarks that block nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Snapshot of the branch after the write.
    pub snapshot_id: String,
}

impl DeleteOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let skipped = match self.skipped.len() {
            0 => String::new(),
            count => {
                let named: Vec<_> = self.skipped[..count.min(20)].iter().map(|id| cut(id)).collect();
                format!(" ({})", named.join(", "))
            }
        };
        let mut text = format!("Deleted {} entities. Skipped {}{skipped}.", self.deleted, self.skipped.len());
        self.warnings.iter().for_each(|warning| text.push_str(&format!("\nWarning: {warning}")));
        super::bounded(text)
    }
}
