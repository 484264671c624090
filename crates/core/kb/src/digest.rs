//! Digests of the contents of entities.
//!
//! The content of an entity is what it says: its title, its prose, the fields of a fact, the kind of a test. Status,
//! times, tags, ownership and source are not content: they change without changing what is said.

use std::fmt;

use cairn_base::{ContentHash, Value, put_varint};
use cairn_graph::Map;

/// Attributes that are content, sorted: those of every type, the kind of a test, and all fields of facts.
const CONTENT: &[&str] = &[
    "aliases",
    "argument_descriptions",
    "argument_names",
    "argument_types",
    "body",
    "canonical_key",
    "closed_world",
    "do_not_use_when",
    "examples",
    "fact_kind",
    "operator",
    "polarity",
    "predicate_args",
    "predicate_arity",
    "predicate_name",
    "predicate_namespace",
    "property_key",
    "scope",
    "subject_key",
    "text_ref",
    "title",
    "unit",
    "use_when",
    "valid_from",
    "valid_to",
    "value_bool",
    "value_int",
    "value_number",
    "value_string",
    "value_type",
    "verification_perspective",
    "verification_scope",
];

/// The first eight bytes of the BLAKE3 hash of the content of an entity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentDigest(pub u64);

impl ContentDigest {
    /// Returns the digest of an entity with these attributes. Missing and empty attributes are the same.
    pub fn of(attributes: &Map) -> Self {
        let mut bytes = Vec::new();
        let content = attributes.iter().filter(|(name, value)| is_content(name) && !is_empty(value));
        for (name, value) in content {
            put(&mut bytes, name);
            match value {
                Value::String(text) => put(&mut bytes, text),
                // As JSON, a text has quotes: no two values have the same bytes.
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                    bytes.push(0);
                    put(&mut bytes, &value.to_json());
                }
            }
        }
        let hash = ContentHash::of(&bytes);
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        ContentDigest(u64::from_be_bytes(first))
    }

    /// Parses sixteen hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex.then(|| u64::from_str_radix(text, 16).ok().map(ContentDigest))?
    }
}

impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

fn is_content(attribute: &str) -> bool {
    CONTENT.binary_search(&attribute).is_ok()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Writes a text behind its length.
fn put(bytes: &mut Vec<u8>, text: &str) {
    // One more, so that zero marks what is no text.
    put_varint(bytes, text.len() as u64 + 1);
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::FIELDS;
    use crate::model::EntityType;

    #[test]
    fn all_fields_of_facts_are_content() {
        assert!(CONTENT.is_sorted());
        let facts =
            FIELDS.iter().filter(|field| *field.of == [EntityType::Fact]).map(|field| field.attribute);
        let others = ["title", "text_ref", "body", "verification_scope", "verification_perspective"];
        let mut expected: Vec<&str> = facts.chain(others).collect();
        expected.sort_unstable();
        assert_eq!(CONTENT, expected);
    }

    fn digest(json: &str) -> ContentDigest {
        let Value::Object(attributes) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
        ContentDigest::of(&attributes)
    }

    #[track_caller]
    fn check(one: &str, other: &str, is_same: bool) {
        assert_eq!(digest(one) == digest(other), is_same, "{one} {other}");
    }

    #[test]
    fn content_counts_and_the_rest_does_not() {
        check(r#"{"title":"A"}"#, r#"{"title":"B"}"#, false);
        check(r#"{"title":"A"}"#, r#"{"body":"A"}"#, false);
        check(r#"{"title":"A"}"#, r#"{"title":"A","text_ref":"t"}"#, false);
        check(r#"{"title":"A","body":"B"}"#, r#"{"title":"AB"}"#, false);
        check(r#"{"value_int":1}"#, r#"{"value_int":2}"#, false);
        check(r#"{"value_bool":true}"#, r#"{"value_string":"true"}"#, false);
        check(r#"{"predicate_args":["a","b"]}"#, r#"{"predicate_args":["b","a"]}"#, false);
        check(r#"{"predicate_args":["1"]}"#, r#"{"predicate_args":[1]}"#, false);
        check(r#"{"verification_scope":"unit"}"#, r#"{"verification_scope":"integration"}"#, false);
        let same = r#"{"title":"A"}"#;
        for other in [
            r#"{"title":"A","status":"open"}"#,
            r#"{"title":"A","updated_at":"2026-05-01T10:00:00Z","created_at":"2026-05-01T10:00:00Z"}"#,
            r#"{"title":"A","tags":["x"],"owner":"ada","source":"a.md","priority":"must"}"#,
            r#"{"title":"A","body":"","aliases":[],"unit":null}"#,
        ] {
            check(same, other, true);
        }
    }

    #[test]
    fn digests_are_sixteen_digits() {
        // As stored: a change of the digest makes every link of every KB suspect.
        let stored = digest(r#"{"title":"Sessions end","value_int":30}"#);
        assert_eq!(stored.to_string(), "d2f48cc5142852bd");
        assert_eq!(ContentDigest::parse(&stored.to_string()), Some(stored));
        assert_eq!(ContentDigest::parse(&ContentDigest(7).to_string()), Some(ContentDigest(7)));
        for text in ["", "7", "+000000000000000", "00000000000000000", "000000000000000g"] {
            assert_eq!(ContentDigest::parse(text), None, "{text}");
        }
    }
}
