//! Values as they are written, before they have a type.

use std::fmt;

use serde_json::Value;

/// What stands in a file, a variable or a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Raw {
    /// Text; variables and flags are always this.
    Text(String),
    /// A number.
    Number(u64),
    /// A list of texts.
    List(Vec<String>),
    /// Something no setting is, by the name of its type.
    Other(&'static str),
}

impl Raw {
    /// The value for `--json`.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Raw::Text(text) => Value::from(text.as_str()),
            Raw::Number(number) => Value::from(*number),
            Raw::List(items) => Value::from(items.as_slice()),
            Raw::Other(_) => Value::Null,
        }
    }
}

/// As it would stand in `cairn.toml`.
impl fmt::Display for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Raw::Text(text) => write!(f, "{text:?}"),
            Raw::Number(number) => number.fmt(f),
            Raw::List(items) => write!(f, "{items:?}"),
            Raw::Other(kind) => write!(f, "a {kind}"),
        }
    }
}
