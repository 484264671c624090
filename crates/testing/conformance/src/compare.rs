//! Whether a result is the expected one.

use cairn_base::Value;

use crate::command::Kind;
use crate::placeholder::{mask_ids, number_ids};

/// What the engine's clock decides.
const TIMES: &[&str] = &["_created_at", "_updated_at"];

/// Both sides as they are compared; they agree when they are equal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    /// What was expected.
    pub(crate) expected: Value,
    /// What came.
    pub(crate) actual: Value,
}

impl Sides {
    /// Puts both sides into the same form.
    pub(crate) fn of(expected: &Value, actual: &Value, kind: Kind, ordered: bool) -> Sides {
        let actual = match kind {
            Kind::Find { .. } => actual.clone(),
            Kind::Other => only_expected(actual, &[expected]),
        };
        let form = |value: &Value| {
            let timeless = without_times(value);
            number_ids(&if ordered { timeless } else { sorted(&timeless, kind) })
        };
        Sides { expected: form(expected), actual: form(&actual) }
    }

    /// Whether they are the same.
    pub(crate) fn agree(&self) -> bool {
        self.expected == self.actual
    }
}

/// Whether a list holds an item that looks like this one, whatever its ids and other keys.
pub(crate) fn holds(list: &[Value], wanted: &Value) -> bool {
    list.iter().any(|item| Sides::of(wanted, item, Kind::Other, true).agree())
}

/// Leaves out keys that none of the expected objects in the same place has.
///
/// Items of lists have no fixed place yet, so that they share what is expected of any of them.
fn only_expected(actual: &Value, expected: &[&Value]) -> Value {
    match actual {
        Value::Object(entries) => {
            let shape = |key: &str| expected.iter().filter_map(|value| value.get(key)).collect::<Vec<_>>();
            let kept = entries.iter().filter_map(|(key, value)| {
                let shape = shape(key);
                (!shape.is_empty()).then(|| (key.clone(), only_expected(value, &shape)))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => {
            let shape: Vec<&Value> = expected.iter().filter_map(|value| value.as_array()).flatten().collect();
            Value::Array(items.iter().map(|item| only_expected(item, &shape)).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => actual.clone(),
    }
}

fn without_times(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            let kept = entries.iter().filter(|(key, _)| !TIMES.contains(&key.as_str()));
            Value::Object(kept.map(|(key, value)| (key.clone(), without_times(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_times).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The same rows in one order that does not depend on ids.
fn sorted(value: &Value, kind: Kind) -> Value {
    let Value::Array(items) = value else { return value.clone() };
    match kind {
        Kind::Find { columns } if columns > 1 => rows(items).map_or_else(
            // Aggregates alone are one row of values that have their places.
            || value.clone(),
            |rows| Value::Array(columns_of(&in_order(rows), items.len())),
        ),
        Kind::Find { .. } | Kind::Other => Value::Array(in_order(items.clone())),
    }
}

fn in_order(mut rows: Vec<Value>) -> Vec<Value> {
    rows.sort_by_cached_key(mask_ids);
    rows
}

/// Rows out of columns, if these are columns of one length.
fn rows(columns: &[Value]) -> Option<Vec<Value>> {
    let columns: Vec<&[Value]> = columns.iter().map(Value::as_array).collect::<Option<_>>()?;
    let length = columns.first()?.len();
    let row = |at: usize| Value::Array(columns.iter().map(|column| column[at].clone()).collect());
    columns.iter().all(|column| column.len() == length).then(|| (0..length).map(row).collect())
}

fn columns_of(rows: &[Value], count: usize) -> Vec<Value> {
    let cell = |row: &Value, at: usize| row.as_array().map_or(Value::Null, |cells| cells[at].clone());
    (0..count).map(|at| Value::Array(rows.iter().map(|row| cell(row, at)).collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(expected: &str, actual: &str, kind: Kind, ordered: bool) -> bool {
        let read = |json: &str| Value::parse_json(json.as_bytes()).unwrap();
        Sides::of(&read(expected), &read(actual), kind, ordered).agree()
    }

    fn check(expected: &str, actual: &str, columns: usize, same: bool) {
        let kind = Kind::Find { columns };
        assert_eq!(agree(expected, actual, kind, false), same, "{expected} and {actual}");
    }

    #[test]
    fn rows_come_in_any_order_unless_they_are_ordered() {
        check(r#"["a","b"]"#, r#"["b","a"]"#, 1, true);
        assert!(!agree(r#"["a","b"]"#, r#"["b","a"]"#, Kind::Find { columns: 1 }, true));
        check(r#"["a","a"]"#, r#"["a"]"#, 1, false);
        check("[]", "[null]", 1, false);
    }

    #[test]
    fn columns_move_together() {
        check(r#"[["a","b"],[1,2]]"#, r#"[["b","a"],[2,1]]"#, 2, true);
        check(r#"[["a","b"],[1,2]]"#, r#"[["b","a"],[1,2]]"#, 2, false);
        check(r#"[["a","b"],[1,2]]"#, r#"[[1,2],["a","b"]]"#, 2, false);
        check(r#"[["a"],[1]]"#, r#"[["a"],[1,2]]"#, 2, false);
        check("[1,2]", "[2,1]", 2, false);
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        check("[2]", "[2.0]", 1, true);
        check("2.5", "2.5", 1, true);
        check("9007199254740993", "9007199254740992", 1, false);
        check("[2]", r#"["2"]"#, 1, false);
    }

    #[test]
    fn ids_agree_by_place_and_not_by_number() {
        check(r#"[["C:<1>","C:<1>"],["a","b"]]"#, r#"[["C:9","C:9"],["b","a"]]"#, 2, true);
        check(r#"[["C:<1>","C:<1>"],["a","b"]]"#, r#"[["C:9","C:8"],["b","a"]]"#, 2, false);
        check(r#"[["C:<2>","C:<1>"],["a","b"]]"#, r#"[["C:5","C:9"],["a","b"]]"#, 2, true);
        check(r#"["C:<1>"]"#, r#"["P:1:x"]"#, 1, false);
        check(r#"["P:<1>:x"]"#, r#"["P:5:y"]"#, 1, false);
    }

    #[test]
    fn only_a_find_has_to_be_complete() {
        let (little, much) =
            (r#"{"a":1,"l":[{"n":"x"},{"n":"y"}]}"#, r#"{"a":1,"b":2,"l":[{"n":"x","m":3},{"n":"y"}]}"#);
        assert!(agree(little, much, Kind::Other, false));
        assert!(!agree(much, little, Kind::Other, false), "what is expected has to be there");
        assert!(!agree(little, much, Kind::Find { columns: 1 }, false));
        assert!(!agree(r#"{"a":{"b":2}}"#, r#"{"a":{"b":3,"c":1}}"#, Kind::Other, false));
        assert!(!agree("[]", r#"["x"]"#, Kind::Other, false), "a list has no more items than expected");
    }

    #[test]
    fn times_do_not_count_and_versions_do() {
        let stamped =
            |version: u32| format!(r#"[{{"_created_at":"x","_updated_at":"y","_version":{version}}}]"#);
        check(r#"[{"_version":1}]"#, &stamped(1), 1, true);
        check(r#"[{"_version":1}]"#, &stamped(2), 1, false);
    }

    #[test]
    fn a_list_holds_an_item_by_what_is_said_of_it() {
        let list = Value::parse_json(br#"[{"id":"C:4","name":"a"},{"id":"C:5","name":"b"}]"#).unwrap();
        let list = list.as_array().unwrap();
        let wanted = |json: &str| Value::parse_json(json.as_bytes()).unwrap();
        assert!(holds(list, &wanted(r#"{"name":"b"}"#)));
        assert!(holds(list, &wanted(r#"{"id":"C:<1>","name":"b"}"#)));
        assert!(!holds(list, &wanted(r#"{"name":"c"}"#)));
        assert!(!holds(list, &wanted(r#"{"name":"a","type":"T"}"#)));
    }
}
