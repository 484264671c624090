//! Random FILTER conditions, and paths to what they and FIND look at.

use cairn_base::Value;
use cairn_kip::tree::{Comparison, Condition, Operand, Path, TextTest};

use super::graph::End;
use super::patterns::{Author, Seen};
use super::tree::{literal, path};
use super::words::{ATTRIBUTES, METADATA, NAMES, value_of};

const SIGNS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];
const TESTS: [TextTest; 4] = [TextTest::Contains, TextTest::StartsWith, TextTest::EndsWith, TextTest::Regex];

impl Author<'_, '_> {
    pub(crate) fn condition(&mut self, seen: &[Seen], depth: usize) -> Condition {
        let nested = usize::from(depth > 0);
        match self.dice.weighted(&[
            (50, 0),
            (14, 1),
            (12, 2),
            (12, 3),
            (8 * nested, 4),
            (8 * nested, 5),
            (8 * nested, 6),
        ]) {
            0 => {
                let left = self.path(seen);
                let right = self.other_side(&left, seen);
                let left = match self.dice.below(25) {
                    0 => operand(self.value_like("any")),
                    _ => Operand::Path(left),
                };
                let sides = [left, right];
                let [left, right] =
                    if self.dice.chance(15) { [sides[1].clone(), sides[0].clone()] } else { sides };
                Condition::Compare { left, sign: self.dice.one(&SIGNS), right }
            }
            1 => self.text_test(seen),
            2 => {
                let operand = self.path(seen);
                let key = last_field(&operand);
                let items = (0..1 + self.dice.below(3)).map(|_| scalar(self.value_like(&key))).collect();
                let list = Operand::Value(literal(&Value::Array(items)));
                Condition::In { operand: Operand::Path(operand), list }
            }
            3 => Condition::IsNull { operand: Operand::Path(self.path(seen)), negated: self.dice.chance(50) },
            4 => Condition::And(self.conditions(seen, depth)),
            5 => Condition::Or(self.conditions(seen, depth)),
            _ => Condition::Not(Box::new(self.condition(seen, depth - 1))),
        }
    }

    fn conditions(&mut self, seen: &[Seen], depth: usize) -> Vec<Condition> {
        (0..2 + self.dice.below(2)).map(|_| self.condition(seen, depth - 1)).collect()
    }

    /// Something that the left side may well be compared with.
    fn other_side(&mut self, left: &Path, seen: &[Seen]) -> Operand {
        match self.dice.below(100) {
            0..30 => Operand::Path(self.path(seen)),
            // The same field of something else.
            30..45 => {
                let fields: Vec<&str> = left.fields.iter().map(|field| field.node.as_str()).collect();
                Operand::Path(path(&self.seen_variable(seen), &fields))
            }
            45..70 => operand(self.meant_value(left, seen)),
            _ => operand(self.value_like(&last_field(left))),
        }
    }

    /// What a path shows in the solution that the author has in mind.
    fn meant_value(&self, path: &Path, seen: &[Seen]) -> Value {
        let meant = seen.iter().find(|seen| seen.name == path.variable.node).and_then(|seen| seen.meant);
        let attributes = match meant {
            Some(End::Node(place)) => &self.graph.concepts[place].attributes,
            Some(End::Fact(place)) => &self.graph.links[place].attributes,
            None => return Value::Null,
        };
        attributes.get(&last_field(path)).cloned().unwrap_or_default()
    }

    fn value_like(&mut self, key: &str) -> Value {
        match self.dice.below(20) {
            0 => Value::Null,
            1 => value_of(self.dice, "any"),
            2 => value_of(self.dice, "ratio"),
            _ if key == "name" => self.dice.one(&NAMES).into(),
            _ if key == "_version" => 1_i64.into(),
            _ => value_of(self.dice, key),
        }
    }

    fn text_test(&mut self, seen: &[Seen]) -> Condition {
        let test = self.dice.one(&TESTS);
        let patterns: &[&str] = match test {
            TextTest::Regex => &["^a", "a$", "l.*a", "^.a*$", "", "b", "e*d"],
            TextTest::Contains | TextTest::StartsWith | TextTest::EndsWith => {
                &["a", "al", "", "ta", "b", "2025"]
            }
        };
        let pattern = match self.dice.below(80) {
            // Of what can be read there, labels are patterns of the simple kind.
            0..12 => Operand::Path(path(&self.seen_variable(seen), &["attributes", "label"])),
            12 => Operand::Value(literal(&1_i64.into())),
            13 => Operand::Value(literal(&"(".into())),
            _ => Operand::Value(literal(&self.dice.one(patterns).into())),
        };
        Condition::Text { test, subject: Operand::Path(self.path(seen)), pattern }
    }

    /// What of a variable somebody may want to see.
    pub(crate) fn path(&mut self, seen: &[Seen]) -> Path {
        let variable = self.seen_variable(seen);
        let bare = if ["p", "q"].contains(&variable.as_str()) { 300 } else { 22 };
        let key = self.dice.one(&ATTRIBUTES);
        let metadata = self.dice.one(&METADATA);
        let end = self.dice.one(&["subject", "predicate", "object"]);
        let fields: Vec<&str> = self.dice.weighted(&[
            (bare, vec![]),
            (22, vec!["name"]),
            (30, vec!["attributes", key]),
            (6, vec!["id"]),
            (5, vec!["type"]),
            (5, vec!["metadata", metadata]),
            (1, vec!["metadata", "_version"]),
            (6, vec![end]),
            (2, vec!["attributes"]),
            (1, vec!["metadata"]),
            (2, vec!["attributes", "tags", "a"]),
            (1, vec!["attributes", "missing"]),
        ]);
        let mistake = self.dice.below(400);
        match mistake {
            0 => path(&variable, &["names"]),
            1 => path(&variable, &["name", "first"]),
            _ => path(&variable, &fields),
        }
    }

    /// A variable that is there, or seldom one that is not.
    fn seen_variable(&mut self, seen: &[Seen]) -> String {
        if seen.is_empty() || self.dice.below(300) == 0 {
            return "nobody".into();
        }
        self.dice.one(seen).name
    }
}

/// What can stand in a list of a FILTER.
fn scalar(value: Value) -> Value {
    match value {
        Value::Array(_) | Value::Object(_) => Value::Null,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// A literal of a FILTER: it has no objects, and lists of scalars only.
fn operand(value: Value) -> Operand {
    let value = match value.as_array().filter(|items| !items.is_empty()) {
        Some(items) => Value::Array(items.iter().cloned().map(scalar).collect()),
        None => scalar(value),
    };
    Operand::Value(literal(&value))
}

fn last_field(path: &Path) -> String {
    path.fields.last().map_or_else(String::new, |field| field.node.clone())
}
