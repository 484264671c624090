//! What is computed over a group.

use std::collections::HashSet;

use cairn_base::{Number, Value};
use cairn_kip::tree::Function;

use super::encode::{put_cell, put_value};
use super::request::{AggregateOf, Request};
use super::sum::Sum;
use crate::cell::Cell;
use crate::fields::{Field, Fields, Records, value_bytes};
use crate::{Budget, Result};

/// All aggregates of one group.
#[derive(Debug)]
pub(super) struct Aggregates {
    own: Vec<Aggregate>,
}

#[derive(Debug)]
struct Aggregate {
    function: Function,
    /// What counted already, if equal values count once.
    seen: Option<HashSet<Vec<u8>>>,
    count: u64,
    sum: Sum,
    /// The least or the greatest.
    extreme: Option<Value>,
}

impl Aggregates {
    pub(super) fn new(request: &Request) -> Self {
        let own = |of: &AggregateOf| Aggregate {
            function: of.function,
            // The least and the greatest are the same however often a value counts.
            seen: (of.distinct && !matches!(of.function, Function::Min | Function::Max)).then(HashSet::new),
            count: 0,
            sum: Sum::default(),
            extreme: None,
        };
        Aggregates { own: request.aggregates.iter().map(own).collect() }
    }

    /// Bytes of one, before it has seen any value.
    pub(super) fn bytes(&self) -> usize {
        let adds = |own: &&Aggregate| matches!(own.function, Function::Sum | Function::Avg);
        let sums = self.own.iter().filter(adds).count() * Sum::BYTES;
        size_of::<Self>() + self.own.len() * size_of::<Aggregate>() + sums
    }

    /// Adds a row whose fields were loaded.
    pub(super) fn add(
        &mut self,
        row: &[Cell],
        request: &Request,
        records: &Records<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        for (own, of) in self.own.iter_mut().zip(&request.aggregates) {
            own.add(row, of, records, budget)?;
        }
        Ok(())
    }

    pub(super) fn value(&self, nth: usize) -> Value {
        self.own[nth].value()
    }
}

impl Aggregate {
    fn add(
        &mut self,
        row: &[Cell],
        aggregate: &AggregateOf,
        records: &Records<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<()> {
        let of = &aggregate.of;
        let cell = row[of.slot];
        // A whole element counts, and is neither a number nor a text.
        let is_element = of.field == Field::Whole && cell.element().is_some();
        let value = if is_element { None } else { Some(records.value(row, of)?) };
        if value.as_ref().is_some_and(|value| value.is_null()) {
            return Ok(());
        }
        // The kind of a sum does not depend on which of 1 and 1.0 is looked at first.
        if value.as_ref().and_then(|value| value.as_number()).is_some_and(Number::is_float) {
            self.sum.has_float = true;
        }
        if let Some(seen) = &mut self.seen {
            let mut key = Vec::new();
            match &value {
                Some(value) => put_value(&mut key, value, false),
                None => put_cell(&mut key, cell, false, records)?,
            }
            let bytes = size_of::<Vec<u8>>() + key.len();
            if !seen.insert(key) {
                return Ok(());
            }
            budget.hold(bytes)?;
        }
        match (self.function, value) {
            (Function::Count, _) => self.count += 1,
            (Function::Sum | Function::Avg, value) => {
                if let Some(number) = value.and_then(|value| value.as_number()) {
                    self.count += 1;
                    self.sum.add(number);
                }
            }
            (Function::Min | Function::Max, Some(value)) => self.compare(&value, budget)?,
            (Function::Min | Function::Max, None) => {}
        }
        Ok(())
    }

    /// Numbers and texts have a least and a greatest; numbers come before texts.
    fn compare(&mut self, value: &Value, budget: &mut Budget<'_>) -> Result<()> {
        if !matches!(value, Value::Number(_) | Value::String(_)) {
            return Ok(());
        }
        let is_better = self.extreme.as_ref().is_none_or(|extreme| {
            let order = if self.function == Function::Min { value.cmp(extreme) } else { extreme.cmp(value) };
            // Of 1 and 1.0 the integer, of -0.0 and 0.0 the first, whichever is looked at first.
            let is_plainer = || written(value) < written(extreme);
            order.is_lt() || (order.is_eq() && is_plainer())
        });
        if is_better {
            budget.hold(value_bytes(value))?;
            let before = self.extreme.replace(value.clone());
            budget.release(before.as_ref().map_or(0, value_bytes));
        }
        Ok(())
    }

    fn value(&self) -> Value {
        match self.function {
            Function::Count => Value::from(self.count),
            Function::Sum => self.sum.total().map(Value::Number).unwrap_or_default(),
            Function::Avg => self.sum.mean(self.count).map(Value::Number).unwrap_or_default(),
            Function::Min | Function::Max => self.extreme.clone().unwrap_or_default(),
        }
    }
}

/// How a value is written, integers before floats.
fn written(value: &Value) -> (bool, String) {
    (value.as_number().is_some_and(Number::is_float), value.to_json())
}
