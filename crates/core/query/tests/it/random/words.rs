//! What random graphs and queries are made of: few words and values, so that they meet.

use std::collections::BTreeMap;

use cairn_base::{Number, Value};

use super::dice::Dice;

pub(crate) const TYPES: [&str; 4] = ["Drug", "Herb", "Symptom", "Topic"];
pub(crate) const PREDICATES: [&str; 4] = ["treats", "part_of", "causes", "stated"];
pub(crate) const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "delta", "alps", "x"];
pub(crate) const ATTRIBUTES: [&str; 7] = ["rank", "ratio", "label", "since", "flag", "any", "tags"];
pub(crate) const METADATA: [&str; 2] = ["source", "confidence"];

/// Attributes: many keys missing, some null.
pub(crate) fn attributes(dice: &mut Dice<'_>) -> BTreeMap<String, Value> {
    some_of(dice, &ATTRIBUTES)
}

/// Metadata, in the same way.
pub(crate) fn metadata(dice: &mut Dice<'_>) -> BTreeMap<String, Value> {
    some_of(dice, &METADATA)
}

fn some_of(dice: &mut Dice<'_>, keys: &[&str]) -> BTreeMap<String, Value> {
    let mut map = BTreeMap::new();
    for key in keys {
        if dice.chance(45) {
            let value = if dice.chance(8) { Value::Null } else { value_of(dice, key) };
            map.insert((*key).to_owned(), value);
        }
    }
    map
}

/// A value as it stands under a key. No key has an integer and the float that equals it: which of the two
/// stands for a group of both is nobody's promise.
pub(crate) fn value_of(dice: &mut Dice<'_>, key: &str) -> Value {
    match key {
        "rank" => dice.one(&[Value::from(0_i64), 1_i64.into(), 2_i64.into(), 3_i64.into(), (-1_i64).into()]),
        "ratio" | "confidence" => {
            let float = dice.one(&[0.5, 1.0, 2.0, 2.5, -1.0]);
            Value::Number(Number::from_f64(float).unwrap())
        }
        "label" | "source" => dice.one(&["alpha", "beta", "red", "", "Al"]).into(),
        // The second and the third are the same instant; the last is a day, which is no instant.
        "since" => {
            let times =
                ["2025-01-01T00:00:00Z", "2025-06-01T12:00:00Z", "2025-06-01T14:00:00+02:00", "2025-03-01"];
            dice.one(&times).into()
        }
        "flag" => dice.chance(50).into(),
        "tags" => match dice.below(3) {
            0 => Value::Array(vec!["red".into()]),
            1 => Value::Object(BTreeMap::from([("a".to_owned(), 1_i64.into())])),
            _ => Value::Object(BTreeMap::from([("a".to_owned(), "red".into())])),
        },
        _ => {
            let any = dice.one(&["rank", "label", "flag", "tags"]);
            value_of(dice, any)
        }
    }
}
