//! JSON values with exact numbers and one order of keys.
//!
//! Objects are sorted and hold each key once, so that equal values built in different ways print
//! the same. Canonical JSON for signing also rewrites numbers and keeps integers of any size: that is
//! `canonical.rs`, over the same lexer.

mod error;
mod lexer;
mod number;
mod parse;
mod serde;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use error::ValueError;
pub(crate) use lexer::Lexer;
pub use number::Number;
#[cfg(test)]
pub(crate) use tests::any_value;

/// A JSON value.
///
/// Ordered by kind, in the order of the variants, then by content; numbers compare as numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Value>),
    /// An object, sorted by the bytes of its keys.
    Object(BTreeMap<String, Value>),
}

impl Value {
    /// Reads JSON as RFC 8259 has it, strictly: UTF-8, one value, each key of an object once.
    ///
    /// Nesting ends at [`JSON_DEPTH_MAX`](crate::limits::JSON_DEPTH_MAX). A number written as an
    /// integer is read exactly or refused: one outside `i64` and `u64` is taken as a float if that
    /// is the very same number. A number with a point or an exponent is the nearest float, as
    /// everywhere, and refused when it is too large for one.
    pub fn parse_json(json: &[u8]) -> Result<Value, ValueError> {
        parse::parse(json)
    }

    /// Writes JSON without white space; the same value gives the same text.
    ///
    /// [`Value::parse_json`] reads it back, integers as integers and floats as floats.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("keys are strings and numbers are finite, so JSON can say it")
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// What is under `key`, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Value> {
        if let Value::Object(entries) = self { entries.get(key) } else { None }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<Number> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    /// The items, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Value::Array(items) = self { Some(items) } else { None }
    }

    /// The entries, if it is an object.
    pub fn as_object(&self) -> Option<&BTreeMap<String, Value>> {
        if let Value::Object(entries) = self { Some(entries) } else { None }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Number(value.into())
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Number(value.into())
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Self {
        Value::Number(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::String(value)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::Array(items)
    }
}

impl From<BTreeMap<String, Value>> for Value {
    fn from(entries: BTreeMap<String, Value>) -> Self {
        Value::Object(entries)
    }
}
