//! FILTER: which rows something is true of.
//!
//! Two values and no third: a condition is true or false. There is no coercion; what cannot be compared is
//! neither less nor greater nor equal.

mod compare;
mod compile;
mod instant;
mod pattern;
mod range;

use std::borrow::Cow;

use cairn_base::Value;
use cairn_kip::tree::{Comparison, TextTest};

use crate::cell::Cell;
use crate::fields::{Field, FieldOf, Fields};
use crate::plan::Slot;
use crate::{Budget, Result};
use pattern::Pattern;
pub(crate) use pattern::{Literals, Patterns};
pub(crate) use range::Range;

/// Bytes of texts that are compared in one step of a budget.
const BYTES_PER_STEP: usize = 256;

/// A condition, ready to be asked of rows.
#[derive(Debug)]
pub(crate) struct Filter {
    condition: Condition,
    /// Everything that it looks at.
    slots: Vec<Slot>,
    /// What it reads of elements.
    fields: Vec<FieldOf>,
    /// How many steps of a budget asking it of one row takes.
    weight: u32,
}

#[derive(Debug)]
enum Condition {
    Or(Vec<Condition>),
    And(Vec<Condition>),
    Not(Box<Condition>),
    Compare {
        left: Operand,
        sign: Comparison,
        right: Operand,
    },
    Text {
        test: TextTest,
        subject: Operand,
        pattern: Operand,
    },
    /// An expression that stands in the query.
    Expression {
        subject: Operand,
        pattern: Pattern,
    },
    In {
        operand: Operand,
        list: Operand,
    },
    IsNull {
        operand: Operand,
        negated: bool,
    },
}

#[derive(Debug)]
enum Operand {
    Field(FieldOf),
    Value(Value),
}

/// What stands on one side of a sign.
#[derive(Debug)]
enum Side<'a> {
    /// A whole concept or link, which is only ever the same or another one.
    Element(Cell),
    Value(Cow<'a, Value>),
}

impl Filter {
    pub(crate) fn fields(&self) -> &[FieldOf] {
        &self.fields
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().copied()
    }

    pub(crate) fn weight(&self) -> u32 {
        self.weight
    }

    /// Whether it is true of a row whose fields were loaded.
    pub(crate) fn holds(
        &self,
        row: &[Cell],
        fields: &dyn Fields,
        patterns: &mut Patterns,
        budget: &mut Budget<'_>,
    ) -> Result<bool> {
        self.condition.holds(Asked { row, fields }, &mut Means { patterns, budget })
    }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked<'a> {
    row: &'a [Cell],
    fields: &'a dyn Fields,
}

/// What is used for it.
struct Means<'m, 'b> {
    patterns: &'m mut Patterns,
    budget: &'m mut Budget<'b>,
}

impl Condition {
    fn holds(&self, asked: Asked<'_>, means: &mut Means<'_, '_>) -> Result<bool> {
        match self {
            Condition::Or(parts) => any(parts, asked, means, true),
            Condition::And(parts) => Ok(!any(parts, asked, means, false)?),
            Condition::Not(part) => Ok(!part.holds(asked, means)?),
            Condition::Compare { left, sign, right } => {
                Ok(compare::compares(&left.side(asked)?, *sign, &right.side(asked)?))
            }
            Condition::Text { test, subject, pattern } => {
                let (subject, pattern) = (subject.side(asked)?, pattern.side(asked)?);
                let (Some(subject), Some(pattern)) = (subject.text(), pattern.text()) else {
                    return Ok(false);
                };
                is_text(*test, subject, pattern, means)
            }
            Condition::Expression { subject, pattern } => match subject.side(asked)?.text() {
                Some(subject) => Ok(pattern.is_match(subject, means.budget)?),
                None => Ok(false),
            },
            Condition::In { operand, list } => {
                let (operand, list) = (operand.side(asked)?, list.side(asked)?);
                let Side::Value(list) = list else { return Ok(false) };
                let items = list.as_array().unwrap_or_default().iter();
                let mut sides = items.map(|item| Side::Value(Cow::Borrowed(item)));
                Ok(sides.any(|side| compare::compares(&operand, Comparison::Equal, &side)))
            }
            Condition::IsNull { operand, negated } => Ok(operand.side(asked)?.is_null() != *negated),
        }
    }
}

/// Whether one of the conditions is what is looked for; those after it are not asked.
fn any(parts: &[Condition], asked: Asked<'_>, means: &mut Means<'_, '_>, wanted: bool) -> Result<bool> {
    for part in parts {
        if part.holds(asked, means)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_text(test: TextTest, subject: &str, pattern: &str, means: &mut Means<'_, '_>) -> Result<bool> {
    let steps = (subject.len() + pattern.len()) / BYTES_PER_STEP;
    means.budget.steps(u32::try_from(steps).unwrap_or(u32::MAX))?;
    Ok(match test {
        TextTest::Contains => subject.contains(pattern),
        TextTest::StartsWith => subject.starts_with(pattern),
        TextTest::EndsWith => subject.ends_with(pattern),
        TextTest::Regex => means.patterns.is_match(pattern, subject, means.budget)?,
    })
}

impl Operand {
    fn side<'a>(&'a self, asked: Asked<'a>) -> Result<Side<'a>> {
        let of = match self {
            Operand::Value(value) => return Ok(Side::Value(Cow::Borrowed(value))),
            Operand::Field(of) => of,
        };
        let cell = asked.row[of.slot];
        if of.field == Field::Whole && cell.element().is_some() {
            return Ok(Side::Element(cell));
        }
        Ok(Side::Value(asked.fields.value(asked.row, of)?))
    }
}

impl Side<'_> {
    fn text(&self) -> Option<&str> {
        match self {
            Side::Element(_) => None,
            Side::Value(value) => value.as_str(),
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Side::Value(value) if value.is_null())
    }
}
