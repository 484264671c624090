//! The hash of a payload: SHA-256 of JSON with recursively sorted keys and without blanks, written as JavaScript
//! writes numbers and strings, so that clients in that language get the same hash.

use cairn_base::{Hex, Number, Value};
use cairn_seam::Sha256;

use crate::tools::{RelationshipInput, UpsertInput};

/// Returns the hash of a payload, as 64 hexadecimal digits.
pub(super) fn payload_hash(input: &UpsertInput) -> String {
    let mut json = String::new();
    write(&mut json, &payload(input));
    Hex(Sha256::of(json.as_bytes()).as_bytes()).to_string()
}

/// The payload as it was sent; relationships only if there are any.
fn payload(input: &UpsertInput) -> Value {
    let mut entries = vec![
        ("type", input.kind.text().into()),
        ("id", input.id.as_str().into()),
        ("properties", Value::Object(input.properties.0.clone())),
    ];
    if !input.relationships.is_empty() {
        entries.push(("relationships", Value::Array(input.relationships.iter().map(relationship).collect())));
    }
    object(entries)
}

fn relationship(link: &RelationshipInput) -> Value {
    let RelationshipInput { relation, from, to, created_at, created_by, source, confidence } = link;
    let mut entries =
        vec![("type", relation.text().into()), ("from", from.as_str().into()), ("to", to.as_str().into())];
    for (name, text) in [("created_at", created_at), ("created_by", created_by), ("source", source)] {
        entries.extend(text.as_deref().map(|text| (name, text.into())));
    }
    entries.extend(confidence.and_then(Number::from_f64).map(|number| ("confidence", number.into())));
    object(entries)
}

fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::Object(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&js_number(*number)),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            // JavaScript compares the 16-bit units of strings.
            entries.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            out.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write_string(out, key);
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if u32::from(control) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Writes a number as JavaScript does: whole floats without a point, an exponent from 1e21 and below 1e-6. Integers
/// keep all their digits.
fn js_number(number: Number) -> String {
    if !number.is_float() {
        return number.to_string();
    }
    let value = number.to_f64();
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if (1e-6..1e21).contains(&size) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Properties;
    use crate::model::EntityType;

    #[test]
    fn numbers_are_written_as_in_javascript() {
        for (json, expected) in [
            ("1", "1"),
            ("1.0", "1"),
            ("-0.0", "0"),
            ("0.5", "0.5"),
            ("1e21", "1e+21"),
            ("1.5e300", "1.5e+300"),
            ("123456789012345680000.0", "123456789012345680000"),
            ("1e-6", "0.000001"),
            ("1.5e-7", "1.5e-7"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            let number = Value::parse_json(json.as_bytes()).unwrap().as_number().unwrap();
            assert_eq!(js_number(number), expected, "{json}");
        }
    }

    #[test]
    fn json_is_sorted_and_escaped_as_in_javascript() {
        let value =
            Value::parse_json("{\"b\":[1,{\"d\":null,\"c\":true}],\"a\":\"x\\u0001\\n\\\"é😀/\"}".as_bytes());
        let mut json = String::new();
        write(&mut json, &value.unwrap());
        assert_eq!(json, "{\"a\":\"x\\u0001\\n\\\"é😀/\",\"b\":[1,{\"c\":true,\"d\":null}]}");
    }

    #[test]
    fn a_payload_has_a_known_hash() {
        let input = UpsertInput {
            kind: EntityType::Req,
            id: "REQ-1".into(),
            properties: Properties::from([("title", "T".into()), ("status", "open".into())]),
            relationships: Vec::new(),
            request_id: None,
        };
        // printf '%s' '{"id":"REQ-1","properties":{"status":"open","title":"T"},"type":"req"}' | sha256sum
        let expected = "89264ae204c433fff859370f9ef77792157b787edbf6f6433421b87b48930984";
        assert_eq!(payload_hash(&input), expected);
        let other = UpsertInput { request_id: Some("x".into()), ..input.clone() };
        assert_eq!(payload_hash(&other), expected);
        let other = UpsertInput { id: "REQ-2".into(), ..input };
        assert_ne!(payload_hash(&other), expected);
    }
}
