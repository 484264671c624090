//! What a FILTER says of a solution: the table of 1.5.

use std::cmp::Ordering;

use cairn_base::{Value, from_iso};
use cairn_kip::tree::{Comparison, Condition, Operand, TextTest};

use super::{Cell, Element, Solution, World, pattern};

/// What stands on one side of a sign.
#[derive(Debug, Clone)]
enum Side {
    /// A whole concept or link.
    Element(Element),
    /// Anything else.
    Value(Value),
}

/// 1.5: two values, no third; every condition is true or false.
pub(super) fn holds(world: &World, condition: &Condition, row: &Solution) -> bool {
    let side = |operand: &Operand| side(world, operand, row);
    match condition {
        Condition::Or(parts) => parts.iter().any(|part| holds(world, part, row)),
        Condition::And(parts) => parts.iter().all(|part| holds(world, part, row)),
        Condition::Not(part) => !holds(world, part, row),
        Condition::Compare { left, sign, right } => compares(&side(left), *sign, &side(right)),
        Condition::Text { test, subject, pattern } => is_text(*test, &side(subject), &side(pattern)),
        // 1.5: the same equality as `==`.
        Condition::In { operand, list } => match side(list) {
            Side::Value(Value::Array(items)) => {
                items.into_iter().any(|item| compares(&side(operand), Comparison::Equal, &Side::Value(item)))
            }
            Side::Value(_) | Side::Element(_) => false,
        },
        Condition::IsNull { operand, negated } => is_null(&side(operand)) != *negated,
    }
}

fn side(world: &World, operand: &Operand, row: &Solution) -> Side {
    match operand {
        Operand::Value(json) => Side::Value(json.value().unwrap()),
        Operand::Path(path) => match &row[&path.variable.node] {
            Cell::Element(element) if path.fields.is_empty() => Side::Element(*element),
            Cell::Element(_) | Cell::Text(_) | Cell::Null => Side::Value(world.value(path, row)),
        },
    }
}

fn compares(left: &Side, sign: Comparison, right: &Side) -> bool {
    // Decision 15: with an array or an object every comparison is false.
    if is_compound(left) || is_compound(right) {
        return false;
    }
    match sign {
        Comparison::Equal => is_equal(left, right),
        Comparison::NotEqual => !is_equal(left, right),
        Comparison::Less => order(left, right) == Some(Ordering::Less),
        Comparison::LessOrEqual => order(left, right).is_some_and(Ordering::is_le),
        Comparison::Greater => order(left, right) == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => order(left, right).is_some_and(Ordering::is_ge),
    }
}

fn is_equal(left: &Side, right: &Side) -> bool {
    match (left, right) {
        // Whole elements are equal if they are the same one (silent): `?a != ?b` means two of them.
        (Side::Element(left), Side::Element(right)) => left == right,
        // 1.5: null equals null only, so a missing value differs from every value.
        (Side::Value(Value::Null), Side::Value(Value::Null)) => true,
        _ => order(left, right) == Some(Ordering::Equal),
    }
}

/// 1.5: numbers as numbers, texts as times where both are, `false` before `true`. Nothing else has an order:
/// no coercion, and null is neither before nor after anything.
fn order(left: &Side, right: &Side) -> Option<Ordering> {
    let (Side::Value(left), Side::Value(right)) = (left, right) else { return None };
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Some(match (from_iso(left), from_iso(right)) {
            // The same instant is equal too (silent): otherwise `<=` and `>=` without `==`.
            (Some(left), Some(right)) => left.cmp(&right),
            (Some(_), None) | (None, _) => left.cmp(right),
        }),
        _ => None,
    }
}

/// 1.5: what is not a text has no beginning, end or inside.
fn is_text(test: TextTest, subject: &Side, pattern: &Side) -> bool {
    let (Side::Value(Value::String(subject)), Side::Value(Value::String(pattern))) = (subject, pattern)
    else {
        return false;
    };
    match test {
        TextTest::Contains => subject.contains(pattern),
        TextTest::StartsWith => subject.starts_with(pattern),
        TextTest::EndsWith => subject.ends_with(pattern),
        // What is read from the graph and is no pattern finds nothing (silent); in the query it is a mistake.
        TextTest::Regex => pattern::is_pattern(pattern) && pattern::is_found(pattern, subject),
    }
}

fn is_null(side: &Side) -> bool {
    matches!(side, Side::Value(Value::Null))
}

fn is_compound(side: &Side) -> bool {
    matches!(side, Side::Value(Value::Array(_) | Value::Object(_)))
}
