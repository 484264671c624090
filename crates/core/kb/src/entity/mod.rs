//! Entities: their fields, the validation of what clients send, and their form as concepts.

mod check;
mod field;
mod properties;
mod record;

pub(crate) use check::{bytes_of, check_fact_shape, check_id, check_properties, check_size};
pub(crate) use field::cut;
pub use field::{FIELDS, Field, Shape, field, field_of_attribute};
pub use properties::Properties;
pub use record::Entity;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A field of a request that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// The field, or a path to it.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
    /// How to correct it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl FieldError {
    pub(crate) fn new(field: impl Into<String>, message: impl Into<String>, hint: Option<String>) -> Self {
        FieldError { field: field.into(), message: message.into(), hint }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.field, self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}
