//! Keys of attributes and metadata, as answers show them.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Value;
use cairn_kip::is_identifier;

/// Keys that are remembered.
const KEYS_MAX: usize = 1_000;
/// Values of an answer that are looked at: it may have ten thousand rows.
const LOOKED_AT_MAX: usize = 2_000;

/// Adds the keys of concepts and links in a result; says whether any was new. Other keys than identifiers can
/// be asked for by no path, and may do something to a terminal that shows them.
pub(super) fn collect(result: &Value, known: &mut BTreeSet<String>) -> bool {
    let before = known.len();
    let mut waiting = vec![result];
    let mut looked_at = 0;
    while let Some(value) = waiting.pop() {
        looked_at += 1;
        if looked_at > LOOKED_AT_MAX || known.len() >= KEYS_MAX {
            break;
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().take(LOOKED_AT_MAX)),
            Value::Object(fields) => {
                let maps =
                    ["attributes", "metadata"].iter().filter_map(|part| fields.get(*part)?.as_object());
                known.extend(
                    maps.flat_map(BTreeMap::keys).filter(|key| is_identifier(key)).take(KEYS_MAX).cloned(),
                );
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    known.len() > before
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        Value::parse_json(json.as_bytes()).expect("JSON")
    }

    #[test]
    fn keys_of_whole_elements_are_found_wherever_they_are() {
        let mut known = BTreeSet::new();
        let drug = r#"{"name":"Aspirin","attributes":{"risk":{"inner":1}},"metadata":{"source":""}}"#;
        assert!(collect(&value(&format!("[[\"x\",{drug}]]")), &mut known));
        assert_eq!(known, BTreeSet::from(["risk".to_owned(), "source".to_owned()]));
        assert!(!collect(&value(&format!("[{drug}]")), &mut known), "they are known");
        for key in ["\u{1b}[2J", "two words", "", "a\nb", "漢"] {
            let keys = Value::Object([(key.to_owned(), Value::Null)].into());
            let element = Value::Object([("attributes".to_owned(), keys)].into());
            assert!(!collect(&Value::Array(vec![element]), &mut known), "{key:?}");
        }
        assert!(!collect(&Value::Null, &mut known));
    }
}
