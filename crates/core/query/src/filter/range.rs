//! What a condition says about the values of single fields: where in an ordered index to look.

use std::ops::Bound;

use cairn_base::{Value, value_key, value_kind_key};
use cairn_kip::tree::Comparison;

use super::instant::Instant;
use super::{Condition, Filter, Operand};
use crate::fields::FieldOf;

/// Values of a field outside of these bounds are not what a condition asks for; those inside may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) of: FieldOf,
    pub(crate) low: Bound<Vec<u8>>,
    pub(crate) high: Bound<Vec<u8>>,
}

impl Filter {
    /// What has to be true of single fields for the condition to be.
    pub(crate) fn ranges(&self) -> Vec<Range> {
        let mut found = Vec::new();
        ranges(&self.condition, &mut found);
        found
    }
}

fn ranges(condition: &Condition, found: &mut Vec<Range>) {
    match condition {
        Condition::And(parts) => parts.iter().for_each(|part| ranges(part, found)),
        Condition::Compare { left: Operand::Field(of), sign, right: Operand::Value(value) } => {
            found.extend(range(of, *sign, value));
        }
        Condition::Compare { left: Operand::Value(value), sign, right: Operand::Field(of) } => {
            found.extend(range(of, turned(*sign), value));
        }
        Condition::Or(_)
        | Condition::Not(_)
        | Condition::Compare { .. }
        | Condition::Text { .. }
        | Condition::Expression { .. }
        | Condition::In { .. }
        | Condition::IsNull { .. } => {}
    }
}

/// The same sign, read from the other side.
fn turned(sign: Comparison) -> Comparison {
    match sign {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        Comparison::Equal | Comparison::NotEqual => sign,
    }
}

fn range(of: &FieldOf, sign: Comparison, value: &Value) -> Option<Range> {
    match value {
        // Times are compared by what they mean, not by how they are written.
        Value::String(text) if Instant::parse(text).is_some() => return None,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    let key = value_key(value).into_vec();
    // Only values of the same kind compare.
    let kind = || Bound::Included(value_kind_key(value).to_vec());
    let (low, high) = match sign {
        Comparison::Equal => (Bound::Included(key.clone()), Bound::Included(key)),
        Comparison::Less => (kind(), Bound::Excluded(key)),
        Comparison::LessOrEqual => (kind(), Bound::Included(key)),
        Comparison::Greater => (Bound::Excluded(key), kind()),
        Comparison::GreaterOrEqual => (Bound::Included(key), kind()),
        Comparison::NotEqual => return None,
    };
    Some(Range { of: of.clone(), low, high })
}
