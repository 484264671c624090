//! How much memory a value takes, roughly.

use cairn_base::Value;

/// Bytes of a value with everything inside it.
pub(crate) fn value_bytes(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(value_bytes).sum(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| size_of::<String>() + key.len() + value_bytes(value)).sum()
        }
    };
    size_of::<Value>() + inside
}
