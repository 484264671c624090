//! Ids are opaque: two answers agree when the same ids stand in the same places.

use std::collections::BTreeMap;

use cairn_base::Value;

/// Replaces every id by its number in the order of first appearance, keys of objects in their order.
///
/// An id is `C:` and a number, or `P:`, a number and a predicate; a number in angle brackets (`C:<1>`) is how
/// expectations write one.
pub(crate) fn number_ids(value: &Value) -> Value {
    let mut seen = BTreeMap::new();
    replace(value, &mut |kind, number| {
        let next = seen.len() + 1;
        seen.entry(format!("{kind}:{number}")).or_insert(next).to_string()
    })
}

/// Makes all ids of a kind look alike.
pub(crate) fn mask_ids(value: &Value) -> Value {
    replace(value, &mut |_, _| "*".to_owned())
}

fn replace(value: &Value, name: &mut dyn FnMut(&str, &str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(replace_text(text, name)),
        Value::Array(items) => Value::Array(items.iter().map(|item| replace(item, name)).collect()),
        Value::Object(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.clone(), replace(value, name))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn replace_text(text: &str, name: &mut dyn FnMut(&str, &str) -> String) -> String {
    let Some((kind, rest)) = text.split_once(':') else { return text.to_owned() };
    let (number, predicate) = match (kind, rest.split_once(':')) {
        ("C", None) => (rest, ""),
        ("P", Some((number, predicate))) => (number, predicate),
        _ => return text.to_owned(),
    };
    let digits = number.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.to_owned();
    }
    let place = name(kind, digits);
    if kind == "C" { format!("C:<{place}>") } else { format!("P:<{place}>:{predicate}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: &str) {
        let value = Value::parse_json(json.as_bytes()).unwrap();
        assert_eq!(number_ids(&value).to_json(), expected, "{json}");
    }

    #[test]
    fn ids_are_numbered_as_they_appear() {
        check(r#"["C:70","P:9:treats","C:3","C:70"]"#, r#"["C:<1>","P:<2>:treats","C:<3>","C:<1>"]"#);
        check(r#"["C:<9>","P:<9>:treats"]"#, r#"["C:<1>","P:<2>:treats"]"#);
        check(r#"{"z":"C:1","a":["C:2"]}"#, r#"{"a":["C:<1>"],"z":"C:<2>"}"#);
    }

    #[test]
    fn what_is_no_id_stays() {
        let text = r#"["C:","C:x","C:1:a","P:1","D:1","ratio: 1","C:<>",1,null]"#;
        check(text, text);
    }

    #[test]
    fn masks_keep_predicates() {
        let value = Value::parse_json(br#"["C:7","P:8:knows"]"#).unwrap();
        assert_eq!(mask_ids(&value).to_json(), r#"["C:<*>","P:<*>:knows"]"#);
    }
}
