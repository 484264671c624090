//! Keys of attributes and metadata, as answers show them.

use std::collections::BTreeSet;

use cairn_kip::is_identifier;
use serde_json::Value;

/// Keys that are remembered.
const KEYS_MAX: usize = 1_000;
/// Values of an answer that are looked at: it may have ten thousand rows.
const LOOKED_AT_MAX: usize = 2_000;

/// Adds the keys of concepts and links in an answer; says whether any was new. Other keys than identifiers can
/// be asked for by no path, and may do something to a terminal that shows them.
pub(super) fn collect(answer: &Value, known: &mut BTreeSet<String>) -> bool {
    let before = known.len();
    let mut waiting = vec![&answer["result"]];
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
                    maps.flat_map(serde_json::Map::keys)
                        .filter(|key| is_identifier(key))
                        .take(KEYS_MAX)
                        .cloned(),
                );
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    known.len() > before
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_of_whole_elements_are_found_wherever_they_are() {
        let mut known = BTreeSet::new();
        let drug =
            json!({"name": "Aspirin", "attributes": {"risk": {"inner": 1}}, "metadata": {"source": ""}});
        assert!(collect(&json!({"result": [["x", drug]]}), &mut known));
        assert_eq!(known, BTreeSet::from(["risk".to_owned(), "source".to_owned()]));
        assert!(!collect(&json!({"result": [drug]}), &mut known), "they are known");
        for key in ["\u{1b}[2J", "two words", "", "a\nb", "漢"] {
            assert!(!collect(&json!({"result": [{"attributes": {key: 1}}]}), &mut known), "{key:?}");
        }
        assert!(!collect(&json!({"error": {"attributes": {"x": 1}}}), &mut known));
    }
}
