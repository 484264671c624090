//! Places in the order of answers, as bytes that compare as the places do.
//!
//! Truth values come before numbers, texts, arrays and objects; null comes last, whichever way is asked for.
//! Concepts come before links, each by their numbers, and then names of predicates. No encoding is the
//! beginning of another, so that one can follow the other, and one that is turned over sorts the other way.

use cairn_base::{KeyBuf, KeyReader, Value, value_key};
use cairn_graph::{ConceptId, Element, LinkId};

use crate::Result;
use crate::cell::Cell;
use crate::fields::Records;

/// After everything else, also after what is turned over.
const LAST: u8 = 0xff;

/// Adds a value that rows are sorted or grouped by.
pub(super) fn put_value(out: &mut Vec<u8>, value: &Value, descending: bool) {
    if value.is_null() {
        return out.push(LAST);
    }
    put(out, &value_key(value), descending);
}

/// Adds what a variable is bound to.
pub(super) fn put_cell(out: &mut Vec<u8>, cell: Cell, descending: bool, records: &Records<'_>) -> Result<()> {
    let key = match cell {
        Cell::Null => {
            out.push(LAST);
            return Ok(());
        }
        Cell::Concept(id, _) => element_key(id.into()),
        Cell::Link(id) => element_key(id.into()),
        Cell::Predicate(id) => KeyBuf::new().u8(3).str(&records.name(id.0)?),
    };
    put(out, &key, descending);
    Ok(())
}

/// How a place begins that has this element in front.
pub(super) fn element_key(element: Element) -> KeyBuf {
    match element {
        Element::Concept(id) => KeyBuf::new().u8(1).u64(id.0),
        Element::Link(id) => KeyBuf::new().u8(2).u64(id.0),
    }
}

/// The element that a place has in front, if it is one.
pub(super) fn first_element(place: &[u8]) -> Option<Element> {
    let mut key = KeyReader::new(place);
    match (key.u8().ok()?, key.u64().ok()?) {
        (1, number) => Some(Element::Concept(ConceptId(number))),
        (2, number) => Some(Element::Link(LinkId(number))),
        _ => None,
    }
}

fn put(out: &mut Vec<u8>, key: &[u8], descending: bool) {
    if descending {
        out.extend(key.iter().map(|byte| !byte));
    } else {
        out.extend_from_slice(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(value: &Value, descending: bool) -> Vec<u8> {
        let mut out = Vec::new();
        put_value(&mut out, value, descending);
        // What follows must not matter.
        out.extend([0x80; 3]);
        out
    }

    #[test]
    fn bytes_sort_as_values_do_and_the_other_way_round_with_nulls_last() {
        // One of each kind, and neighbours; how values sort is tested where their keys are made.
        let ascending = [
            "false",
            "true",
            "-1.5",
            "0",
            "0.5",
            "18446744073709551615",
            r#""""#,
            r#""a""#,
            r#""a\u0000""#,
            r#""ab""#,
            "[]",
            "[null]",
            "[1]",
            "{}",
            r#"{"a":null}"#,
            r#"{"b":0}"#,
            "null",
        ];
        let values: Vec<Value> =
            ascending.iter().map(|json| Value::parse_json(json.as_bytes()).unwrap()).collect();
        for (at, one) in values.iter().enumerate() {
            for (other_at, other) in values.iter().enumerate() {
                let shown = format!("{} and {}", ascending[at], ascending[other_at]);
                assert_eq!(bytes(one, false).cmp(&bytes(other, false)), at.cmp(&other_at), "{shown}");
                let turned = match (one.is_null(), other.is_null()) {
                    (false, false) => other_at.cmp(&at),
                    (one, other) => one.cmp(&other),
                };
                assert_eq!(bytes(one, true).cmp(&bytes(other, true)), turned, "{shown}, descending");
            }
        }
    }
}
