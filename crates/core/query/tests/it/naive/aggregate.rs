//! What is computed over a group.

use cairn_base::{Number, Value};
use cairn_kip::tree::{Aggregate, Function};

use super::{Solution, World};

/// Over all solutions of a group, of which many may be alike (decision 6: rows are counted).
pub(super) fn of(world: &World, aggregate: &Aggregate, members: &[&Solution]) -> Value {
    // 1.5: nulls do not count.
    let mut values: Vec<Value> = members.iter().map(|row| world.value(&aggregate.path, row)).collect();
    values.retain(|value| !value.is_null());
    if aggregate.distinct {
        values.sort();
        values.dedup();
    }
    let numbers = || values.iter().filter_map(Value::as_number);
    match aggregate.function {
        Function::Count => Value::from(values.len() as u64),
        // 1.5: what is no number is skipped, and the sum of nothing is 0.
        Function::Sum => sum(numbers()),
        Function::Avg => average(numbers()),
        // 1.5: numbers and texts; a mixture has them in the order of answers.
        Function::Min => comparable(values).min().unwrap_or_default(),
        Function::Max => comparable(values).max().unwrap_or_default(),
    }
}

fn comparable(values: Vec<Value>) -> impl Iterator<Item = Value> {
    values.into_iter().filter(|value| matches!(value, Value::Number(_) | Value::String(_)))
}

/// 1.5: integers stay integers.
fn sum(numbers: impl Iterator<Item = Number> + Clone) -> Value {
    let total: Number = if numbers.clone().any(Number::is_float) {
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
