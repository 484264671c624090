//! A whole entity as tools show it.

use std::collections::BTreeMap;

use cairn_base::Value;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::entity::Entity;

/// A whole entity: `id`, `type`, and its properties.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object, example = json!({
    "id": "REQ-001", "type": "req", "title": "Sessions expire", "status": "open", "source": "docs/auth.md",
    "created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-01T10:00:00Z"
}))]
pub struct EntityJson(pub BTreeMap<String, Value>);

impl EntityJson {
    /// Returns the text of a property; empty if it is missing or no text.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

impl From<&Entity> for EntityJson {
    fn from(entity: &Entity) -> Self {
        EntityJson(entity.shown())
    }
}
