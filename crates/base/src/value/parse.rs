//! Reading JSON.
//!
//! Our own reader rather than serde's, which rounds integers over 64 bits without a word and some
//! floats to the second nearest.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::lexer::Lexer;
use super::{Number, Value, ValueError};

pub(super) fn parse(json: &[u8]) -> Result<Value, ValueError> {
    Lexer::read_all(json, value)
}

fn value(lexer: &mut Lexer<'_>) -> Result<Value, ValueError> {
    match lexer.peek() {
        Some(b'{') => object(lexer),
        Some(b'[') => array(lexer),
        Some(b'"') => lexer.string().map(Value::String),
        Some(b'-' | b'0'..=b'9') => number(lexer).map(Value::Number),
        Some(b'n') => lexer.word("null", Value::Null),
        Some(b't') => lexer.word("true", Value::Bool(true)),
        Some(b'f') => lexer.word("false", Value::Bool(false)),
        _ => Err(lexer.expected("a value")),
    }
}

fn array(lexer: &mut Lexer<'_>) -> Result<Value, ValueError> {
    let mut items = Vec::new();
    lexer.array(|lexer| {
        items.push(value(lexer)?);
        Ok(())
    })?;
    Ok(items.into())
}

fn object(lexer: &mut Lexer<'_>) -> Result<Value, ValueError> {
    let mut entries = BTreeMap::new();
    lexer.object(|lexer, key, key_at| match entries.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(value(lexer)?);
            Ok(())
        }
        Entry::Occupied(entry) => Err(lexer.duplicate(entry.key(), key_at)),
    })?;
    Ok(entries.into())
}

fn number(lexer: &mut Lexer<'_>) -> Result<Number, ValueError> {
    let number = lexer.number()?;
    let read = if number.is_integer { exact_integer(number.text) } else { float(number.text) };
    read.ok_or_else(|| lexer.out_of_range(&number))
}

/// A number written as an integer, unless it would have to be rounded.
fn exact_integer(text: &str) -> Option<Number> {
    if let Some(number) = text.parse().ok().and_then(Number::from_i128) {
        return Some(number);
    }
    // Without decimals, all digits of a float are written out: the same digits, the same number.
    let number = float(text)?;
    (format!("{:.0}", number.to_f64()) == text).then_some(number)
}

/// The nearest float, unless that is infinity.
fn float(text: &str) -> Option<Number> {
    Number::from_f64(text.parse().ok()?)
}
