//! Fields of answers, for a terminal.

use cairn_base::Harmless;
use serde_json::Value;

/// A text of an answer, for a terminal; empty if it is not there.
pub(crate) fn text(object: &Value, name: &str) -> String {
    Harmless(object[name].as_str().unwrap_or("")).to_string()
}

/// A number of an answer; 0 if it is not there.
pub(crate) fn number(object: &Value, name: &str) -> u64 {
    object[name].as_u64().unwrap_or(0)
}

/// What is in a list of an answer; nothing if it is not there.
pub(crate) fn items<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of a list, one after another; `-` if there are none.
pub(crate) fn joined(object: &Value, name: &str) -> String {
    let texts: Vec<_> = items(object, name).iter().filter_map(Value::as_str).collect();
    if texts.is_empty() { "-".to_owned() } else { Harmless(&texts.join(", ")).to_string() }
}
