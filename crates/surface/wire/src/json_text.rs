//! Free-form JSON as text.

use cairn_base::{Value, ValueError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Free-form JSON, kept as it was written: numbers are exact, and nothing is parsed on its way through.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonText(Box<RawValue>);

impl JsonText {
    /// Takes JSON text; fails if it is none.
    pub fn from_text(json: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(json).map(JsonText)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Parses the text, with exact numbers.
    pub fn to_value(&self) -> Result<Value, ValueError> {
        Value::parse_json(self.as_str().as_bytes())
    }
}

impl PartialEq for JsonText {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for JsonText {}
