//! What is computed over a group.

use std::cmp::Ordering;

use cairn_base::{Number, Value};
use cairn_kip::tree::{Aggregate, Function};

use super::{Solution, World};

/// Over all solutions of a group, of which many may be alike (decision 6: rows are counted).
pub(super) fn of(world: &World, aggregate: &Aggregate, members: &[&Solution]) -> Value {
    // 1.5: nulls do not count.
    let mut values: Vec<Value> = members.iter().map(|row| world.value(&aggregate.path, row)).collect();
    values.retain(|value| !value.is_null());
    // Also if one of them counts for none because an integer equals it (silent).
    let has_float = values.iter().filter_map(Value::as_number).any(Number::is_float);
    // For the least and the greatest it makes no difference.
    if aggregate.distinct && !matches!(aggregate.function, Function::Min | Function::Max) {
        values.sort();
        values.dedup();
    }
    let numbers = || values.iter().filter_map(Value::as_number);
    match aggregate.function {
        Function::Count => Value::from(values.len() as u64),
        // 1.5: what is no number is skipped, and the sum of nothing is 0.
        Function::Sum => sum(numbers(), has_float),
        Function::Avg => average(numbers()),
        // 1.5: numbers and texts; a mixture has them in the order of answers.
        Function::Min => first(values, Value::cmp),
        Function::Max => first(values, |one, other| other.cmp(one)),
    }
}

/// The first number or text in an order. Of 1 and 1.0 it is the integer (silent), and -0.0 comes before 0.0.
fn first(values: Vec<Value>, order: impl Fn(&Value, &Value) -> Ordering) -> Value {
    let comparable = values.into_iter().filter(|value| matches!(value, Value::Number(_) | Value::String(_)));
    let written = |value: &Value| (value.as_number().is_some_and(Number::is_float), value.to_json());
    comparable
        .min_by(|one, other| order(one, other).then_with(|| written(one).cmp(&written(other))))
        .unwrap_or_default()
}

/// 1.5: integers stay integers.
fn sum(numbers: impl Iterator<Item = Number>, has_float: bool) -> Value {
    let total: Number = if has_float {
        Number::from_f64(numbers.map(Number::to_f64).sum()).unwrap()
    } else {
        let whole = numbers.map(|number| i128::from(number.as_i64().unwrap()));
        Number::from_i128(whole.sum()).unwrap()
    };
    Value::Number(total)
}

/// 1.5: always a float, and that of nothing is null.
fn average(numbers: impl Iterator<Item = Number>) -> Value {
    let numbers: Vec<f64> = numbers.map(Number::to_f64).collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    Number::from_f64(mean).map_or(Value::Null, Value::Number)
}
