//! Canonical JSON: of everything that means the same one text, so that it can be signed.
//!
//! The text is what Python writes with sorted keys and without spaces, because signatures of the artifact
//! protocol are made over that: keys in the order of code points, ASCII alone, integers digit by digit
//! however many there are, floats in their shortest form with a point or an exponent of two digits. `1` and
//! `1.0` are two things.
//!
//! Text is rewritten as text, over the lexer of [`Value`]: no integer has to fit anywhere. What depends on
//! who reads it is refused: a key twice in one object, half a surrogate pair, numbers beyond all floats.
//! Does not sign anything, and knows no fields.

mod error;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

pub use error::CanonicalError;

use crate::limits::CANONICAL_JSON_BYTES_MAX;
use crate::value::Lexer;
use crate::{Value, ValueError};

/// Rewrites JSON as canonical JSON, which is ASCII.
///
/// Canonical JSON stays as it is. Nesting ends at [`JSON_DEPTH_MAX`](crate::limits::JSON_DEPTH_MAX), text at
/// [`CANONICAL_JSON_BYTES_MAX`].
pub fn canonical_json(json: &[u8]) -> Result<String, CanonicalError> {
    check_length(json)?;
    let mut out = String::with_capacity(json.len());
    Lexer::read_all(json, |lexer| value(lexer, &mut out))?;
    Ok(out)
}

impl Value {
    /// Writes canonical JSON; fails only when it is deeper or longer than what is read.
    ///
    /// For values that are made here. What somebody else signed goes through [`canonical_json`] as it came: a
    /// value has no integers over 64 bits.
    pub fn to_canonical_json(&self) -> Result<String, CanonicalError> {
        canonical_json(self.to_json().as_bytes())
    }
}

/// An object whose values are canonical JSON, so that keys can be left out before it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalObject {
    entries: BTreeMap<String, String>,
}

impl CanonicalObject {
    /// Reads an object, within the bounds of [`canonical_json`].
    pub fn parse(json: &[u8]) -> Result<Self, CanonicalError> {
        check_length(json)?;
        let entries = Lexer::read_all(json, |lexer| {
            if lexer.peek() != Some(b'{') {
                // What is no JSON at all is told as such.
                return value(lexer, &mut String::new()).map(|()| None);
            }
            let mut entries = BTreeMap::new();
            lexer.object(|lexer, key, key_at| match entries.entry(key) {
                Entry::Vacant(entry) => value(lexer, entry.insert(String::new())),
                Entry::Occupied(entry) => Err(lexer.duplicate(entry.key(), key_at)),
            })?;
            Ok(Some(entries))
        })?;
        entries.map(|entries| CanonicalObject { entries }).ok_or(CanonicalError::NotAnObject)
    }

    /// What is under a key, as canonical JSON.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.get(key).map(String::as_str)
    }

    /// The text under a key, if it is a string.
    pub fn get_str(&self, key: &str) -> Option<String> {
        match Value::parse_json(self.get(key)?.as_bytes()) {
            Ok(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Sets a key. Fails when the value is deeper or longer than what is read.
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), CanonicalError> {
        self.entries.insert(key.to_owned(), value.to_canonical_json()?);
        Ok(())
    }

    /// Removes a key and returns its value as canonical JSON.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        self.entries.remove(key)
    }

    /// Its keys, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Canonical JSON of the entries whose keys are kept.
    pub fn to_json(&self, is_kept: impl Fn(&str) -> bool) -> String {
        let mut out = String::new();
        for (key, value) in self.entries.iter().filter(|(key, _)| is_kept(key)) {
            out.push(if out.is_empty() { '{' } else { ',' });
            write::string(&mut out, key);
            out.push(':');
            out.push_str(value);
        }
        out.push_str(if out.is_empty() { "{}" } else { "}" });
        out
    }
}

fn check_length(json: &[u8]) -> Result<(), CanonicalError> {
    let bytes = json.len();
    if bytes > CANONICAL_JSON_BYTES_MAX { Err(CanonicalError::TooLong { bytes }) } else { Ok(()) }
}

fn value(lexer: &mut Lexer<'_>, out: &mut String) -> Result<(), ValueError> {
    match lexer.peek() {
        Some(b'{') => object(lexer, out),
        Some(b'[') => array(lexer, out),
        Some(b'"') => lexer.string().map(|text| write::string(out, &text)),
        Some(b'-' | b'0'..=b'9') => number(lexer, out),
        Some(b'n') => lexer.word("null", "null").map(|word| out.push_str(word)),
        Some(b't') => lexer.word("true", "true").map(|word| out.push_str(word)),
        Some(b'f') => lexer.word("false", "false").map(|word| out.push_str(word)),
        _ => Err(lexer.expected("a value")),
    }
}

fn array(lexer: &mut Lexer<'_>, out: &mut String) -> Result<(), ValueError> {
    out.push('[');
    let mut is_first = true;
    lexer.array(|lexer| {
        if !std::mem::take(&mut is_first) {
            out.push(',');
        }
        value(lexer, out)
    })?;
    out.push(']');
    Ok(())
}

fn object(lexer: &mut Lexer<'_>, out: &mut String) -> Result<(), ValueError> {
    // Values in the order they come, and where each one stands: their keys say in which order they go.
    let mut values = String::new();
    let mut places: BTreeMap<String, Range<usize>> = BTreeMap::new();
    lexer.object(|lexer, key, key_at| match places.entry(key) {
        Entry::Vacant(place) => {
            let start = values.len();
            value(lexer, &mut values)?;
            place.insert(start..values.len());
            Ok(())
        }
        Entry::Occupied(place) => Err(lexer.duplicate(place.key(), key_at)),
    })?;
    out.push('{');
    for (index, (key, place)) in places.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write::string(out, &key);
        out.push(':');
        out.push_str(&values[place]);
    }
    out.push('}');
    Ok(())
}

fn number(lexer: &mut Lexer<'_>, out: &mut String) -> Result<(), ValueError> {
    let number = lexer.number()?;
    if number.is_integer {
        out.push_str(if number.text == "-0" { "0" } else { number.text });
        return Ok(());
    }
    let float = number.text.parse::<f64>().ok().filter(|float| float.is_finite());
    write::float(out, float.ok_or_else(|| lexer.out_of_range(&number))?);
    Ok(())
}
