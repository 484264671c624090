//! What random graphs and queries are made of: few words and values, so that they meet.

use std::collections::BTreeMap;

use cairn_base::Value;

use super::dice::Dice;

pub(crate) const TYPES: [&str; 4] = ["Drug", "Herb", "Symptom", "Topic"];
pub(crate) const PREDICATES: [&str; 4] = ["treats", "part_of", "causes", "stated"];
pub(crate) const NAMES: [&str; 6] = ["alpha", "beta", "gamma", "delta", "alps", "x"];
pub(crate) const ATTRIBUTES: [&str; 9] =
    ["rank", "ratio", "size", "label", "since", "flag", "any", "tags", "note"];
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

/// A value as it stands under a key.
pub(crate) fn value_of(dice: &mut Dice<'_>, key: &str) -> Value {
    match key {
        // Integers, and a float that equals one of them.
        "rank" => dice.weighted(&[
            (5, json("0")),
            (5, json("1")),
            (5, json("2")),
            (2, json("-1")),
            (5, json("2.0")),
        ]),
        "ratio" | "confidence" => json(dice.one(&["0.5", "1.0", "2.0", "2.5", "-1.0"])),
        // What floats cannot tell apart.
        "size" => {
            let sizes = [
                "9007199254740992",
                "9007199254740993",
                "9007199254740992.0",
                "-9223372036854775808",
                "18446744073709551615",
                "18446744073709551614",
                "1e300",
                "5e-324",
                "-0.0",
                "0.0",
                "0",
            ];
            json(dice.one(&sizes))
        }
        "label" | "source" => dice.weighted(&[
            (4, "alpha".into()),
            (4, "beta".into()),
            (4, "red".into()),
            (2, "".into()),
            (2, "Al".into()),
            (1, "al\u{0}".into()),
            (1, "é日".into()),
            (2, "(".into()),
        ]),
        // The second and the third are the same instant; the last is a day, which is no instant.
        "since" => {
            let times =
                ["2025-01-01T00:00:00Z", "2025-06-01T12:00:00Z", "2025-06-01T14:00:00+02:00", "2025-03-01"];
            dice.one(&times).into()
        }
        "flag" => dice.chance(50).into(),
        "tags" => json(dice.one(&[
            r#"["red"]"#,
            r#"{"a":1}"#,
            r#"{"a":"red"}"#,
            r#"{"a":1,"b":null}"#,
            r#"{"b":0}"#,
            "[]",
            "[null]",
            "[[1],true]",
            "[[1]]",
            "{}",
        ])),
        // Longer than what a cursor keeps of a place, and alike up to there.
        "note" => format!("{}{}", "n".repeat(1_100), dice.one(&["", "a", "b"])).into(),
        _ => {
            let any = dice.one(&["rank", "ratio", "label", "flag", "tags"]);
            value_of(dice, any)
        }
    }
}

fn json(text: &str) -> Value {
    Value::parse_json(text.as_bytes()).unwrap()
}
