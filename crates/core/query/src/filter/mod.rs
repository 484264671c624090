//! FILTER: which rows something is true of.
//!
//! Two values and no third: a condition is true or false. There is no coercion; what cannot be compared is
//! neither less nor greater nor equal.

mod compare;
mod compile;
mod instant;
mod pattern;

use std::borrow::Cow;

use cairn_base::Value;
use cairn_kip::tree::{Comparison, TextTest};

use crate::Result;
use crate::cell::Cell;
use crate::fields::{Field, FieldOf, Records};
use crate::plan::Slot;
pub(crate) use pattern::Patterns;

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
    Compare { left: Operand, sign: Comparison, right: Operand },
    Text { test: TextTest, subject: Operand, pattern: Operand },
    In { operand: Operand, list: Operand },
    IsNull { operand: Operand, negated: bool },
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
    pub(crate) fn holds(&self, row: &[Cell], records: &Records<'_>, patterns: &mut Patterns) -> Result<bool> {
        self.condition.holds(Asked { row, records }, patterns)
    }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Asked<'a, 'v> {
    row: &'a [Cell],
    records: &'a Records<'v>,
}

impl Condition {
    fn holds(&self, asked: Asked<'_, '_>, patterns: &mut Patterns) -> Result<bool> {
        match self {
            Condition::Or(parts) => any(parts, asked, patterns, true),
            Condition::And(parts) => Ok(!any(parts, asked, patterns, false)?),
            Condition::Not(part) => Ok(!part.holds(asked, patterns)?),
            Condition::Compare { left, sign, right } => {
                Ok(compare::compares(&left.side(asked)?, *sign, &right.side(asked)?))
            }
            Condition::Text { test, subject, pattern } => {
                let (subject, pattern) = (subject.side(asked)?, pattern.side(asked)?);
                let (Some(subject), Some(pattern)) = (subject.text(), pattern.text()) else {
                    return Ok(false);
                };
                Ok(is_text(*test, subject, pattern, patterns))
            }
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
fn any(parts: &[Condition], asked: Asked<'_, '_>, patterns: &mut Patterns, wanted: bool) -> Result<bool> {
    for part in parts {
        if part.holds(asked, patterns)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_text(test: TextTest, subject: &str, pattern: &str, patterns: &mut Patterns) -> bool {
    match test {
        TextTest::Contains => subject.contains(pattern),
        TextTest::StartsWith => subject.starts_with(pattern),
        TextTest::EndsWith => subject.ends_with(pattern),
        // One that stands in the query was checked before; one that was read and is none finds nothing. Else a
        // value in the graph could make a query fail, or not, by the order in which rows are looked at.
        TextTest::Regex => patterns.get(pattern).is_ok_and(|regex| regex.is_match(subject)),
    }
}

impl Operand {
    fn side<'a>(&'a self, asked: Asked<'a, '_>) -> Result<Side<'a>> {
        let of = match self {
            Operand::Value(value) => return Ok(Side::Value(Cow::Borrowed(value))),
            Operand::Field(of) => of,
        };
        let cell = asked.row[of.slot];
        if of.field == Field::Whole && cell.element().is_some() {
            return Ok(Side::Element(cell));
        }
        Ok(Side::Value(asked.records.value(asked.row, of)?))
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
