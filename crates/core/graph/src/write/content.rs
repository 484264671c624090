//! Attributes and metadata on their way in.

use cairn_base::Value;

use crate::element::RESERVED_PREFIX;
use crate::name::check_length;
use crate::{GraphError, Map, Part, Result, limits};

/// Whether these may be written at all.
///
/// Keys that begin with `_` are cairn's in metadata only: what an attribute is called is its writer's business.
pub(super) fn check(attributes: &Map, metadata: &Map) -> Result<()> {
    for (part, map) in [(Part::Attributes, attributes), (Part::Metadata, metadata)] {
        check_keys(part, map.keys())?;
        for (key, value) in map {
            if !fits(value, limits::ELEMENT_LEVELS_MAX) {
                return Err(GraphError::TooDeep { key: key.clone(), max: limits::ELEMENT_LEVELS_MAX });
            }
        }
    }
    Ok(())
}

/// Whether keys may be written or removed.
pub(super) fn check_keys<'k>(part: Part, keys: impl Iterator<Item = &'k String>) -> Result<()> {
    for key in keys {
        check_length("key", key, limits::ELEMENT_KEY_BYTES_MAX)?;
        if part == Part::Metadata && key.starts_with(RESERVED_PREFIX) {
            return Err(GraphError::ReservedKey(key.clone()));
        }
    }
    Ok(())
}

fn fits(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => true,
        (Value::Array(_) | Value::Object(_), None) => false,
        (Value::Array(items), Some(levels)) => items.iter().all(|item| fits(item, levels)),
        (Value::Object(entries), Some(levels)) => entries.values().all(|value| fits(value, levels)),
    }
}

/// Sets keys and leaves the others; says whether anything is different now.
pub(super) fn merge(stored: &mut Map, written: Map) -> bool {
    let mut has_changed = false;
    for (key, value) in written {
        if stored.get(&key).is_none_or(|old| !is_same(old, &value)) {
            stored.insert(key, value);
            has_changed = true;
        }
    }
    has_changed
}

/// Whether two values are written alike: 1 and 1.0 are equal, and not the same.
fn is_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Number(old), Value::Number(new)) => {
            old.is_float() == new.is_float() && old == new && old.to_f64().to_bits() == new.to_f64().to_bits()
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new))
        }
        (Value::Object(old), Value::Object(new)) => {
            let is_same_entry =
                |(old, new): ((&String, &Value), (&String, &Value))| old.0 == new.0 && is_same(old.1, new.1);
            old.len() == new.len() && old.iter().zip(new).all(is_same_entry)
        }
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => old == new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(json: &str) -> Map {
        let Value::Object(map) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
        map
    }

    #[test]
    fn merging_is_shallow_and_notices_what_is_written_differently() {
        let check = |stored: &str, written: &str, expected: &str, is_changed: bool| {
            let mut merged = map(stored);
            assert_eq!(merge(&mut merged, map(written)), is_changed, "{stored} {written}");
            assert_eq!(Value::Object(merged).to_json(), expected);
        };
        check(r#"{"a":1,"b":2}"#, r#"{"b":3,"c":4}"#, r#"{"a":1,"b":3,"c":4}"#, true);
        check(r#"{"a":{"x":1}}"#, r#"{"a":{"y":1}}"#, r#"{"a":{"y":1}}"#, true);
        check(r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":null}"#, true);
        check(r#"{}"#, r#"{"a":null}"#, r#"{"a":null}"#, true);
        check(r#"{"a":null}"#, r#"{"a":null}"#, r#"{"a":null}"#, false);
        check(r#"{"a":[1,{"b":"c"}]}"#, r#"{"a":[1,{"b":"c"}]}"#, r#"{"a":[1,{"b":"c"}]}"#, false);
        check(r#"{"a":[1]}"#, r#"{"a":[1.0]}"#, r#"{"a":[1.0]}"#, true);
        check(r#"{"a":{"b":0.0}}"#, r#"{"a":{"b":-0.0}}"#, r#"{"a":{"b":-0.0}}"#, true);
        check(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, r#"{"a":[1,2]}"#, true);
        check(r#"{"a":{"b":1}}"#, r#"{"a":{"c":1}}"#, r#"{"a":{"c":1}}"#, true);
        check(r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, r#"{"a":9007199254740992}"#, true);
        check(r#"{"a":"1"}"#, r#"{"a":1}"#, r#"{"a":1}"#, true);
        check(r#"{"a":1}"#, "{}", r#"{"a":1}"#, false);
    }

    #[test]
    fn values_may_be_nested_to_their_limit() {
        let nested = |levels: usize| {
            let json = format!("{{\"a\":{}1{}}}", "[".repeat(levels), "]".repeat(levels));
            map(&json)
        };
        let max = limits::ELEMENT_LEVELS_MAX;
        check(&nested(max), &Map::new()).unwrap();
        check(&Map::new(), &nested(max)).unwrap();
        assert!(matches!(check(&nested(max + 1), &Map::new()), Err(GraphError::TooDeep { .. })));
        assert!(matches!(check(&Map::new(), &nested(max + 1)), Err(GraphError::TooDeep { .. })));
    }
}
