//! `kb_validate_upsert`: the same checks as `kb_upsert`, storing nothing.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::EntityJson;
use crate::advisor::Receipt;
use crate::entity::FieldError;

/// Arguments of `kb_validate_upsert`: those of `kb_upsert`.
pub type ValidateUpsertInput = super::UpsertInput;

/// Result of `kb_validate_upsert`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidateUpsertOutput {
    /// Whether `kb_upsert` would store it now.
    pub valid: bool,
    /// Everything that is wrong.
    pub errors: Vec<FieldError>,
    /// Remarks that block nothing.
    pub warnings: Vec<String>,
    /// Receipt of the semantic advisor; null from earlier versions.
    pub semantic_advisor: Option<Receipt>,
    /// The entity as it would be stored; null if it is not valid.
    pub normalized_preview: Option<EntityJson>,
}

impl ValidateUpsertOutput {
    /// Returns the essentials as text.
    pub fn text(&self) -> String {
        let mut text = if self.valid { "Valid.".to_owned() } else { "Not valid.".to_owned() };
        self.errors.iter().for_each(|error| text.push_str(&format!("\nError: {error}")));
        self.warnings.iter().for_each(|warning| text.push_str(&format!("\nWarning: {warning}")));
        super::bounded(text)
    }
}
