//! From the tree of a condition to one that rows are asked.

use cairn_kip::KipError;
use cairn_kip::tree::{self, Text, TextTest};

use super::{Condition, Filter, Literals, Operand};
use crate::Result;
use crate::fields::{Field, FieldOf};
use crate::plan::Slot;

/// Steps of a budget that every row takes: texts may be long, and the clock is looked at in time.
const ROW_WEIGHT: u32 = 16;

type Kip<T> = std::result::Result<T, KipError>;

impl Filter {
    /// Compiles a condition. Fails on variables that are not bound, on fields that nothing has and on regular
    /// expressions that are none, or too many.
    pub(crate) fn compile(
        condition: &tree::Condition,
        literals: &mut Literals,
        slot_of: impl FnMut(&Text) -> Kip<Slot>,
    ) -> Result<Self> {
        let mut compiler =
            Compiler { literals, slot_of, slots: Vec::new(), fields: Vec::new(), weight: ROW_WEIGHT };
        let condition = compiler.condition(condition)?;
        Ok(Filter { condition, slots: compiler.slots, fields: compiler.fields, weight: compiler.weight })
    }
}

struct Compiler<'l, F> {
    literals: &'l mut Literals,
    slot_of: F,
    slots: Vec<Slot>,
    fields: Vec<FieldOf>,
    weight: u32,
}

impl<F: FnMut(&Text) -> Kip<Slot>> Compiler<'_, F> {
    fn condition(&mut self, condition: &tree::Condition) -> Kip<Condition> {
        Ok(match condition {
            tree::Condition::Or(parts) => Condition::Or(self.conditions(parts)?),
            tree::Condition::And(parts) => Condition::And(self.conditions(parts)?),
            tree::Condition::Not(part) => Condition::Not(Box::new(self.condition(part)?)),
            tree::Condition::Compare { left, sign, right } => {
                Condition::Compare { left: self.operand(left)?, sign: *sign, right: self.operand(right)? }
            }
            tree::Condition::Text { test, subject, pattern } => self.text(*test, subject, pattern)?,
            tree::Condition::In { operand, list } => {
                Condition::In { operand: self.operand(operand)?, list: self.operand(list)? }
            }
            tree::Condition::IsNull { operand, negated } => {
                Condition::IsNull { operand: self.operand(operand)?, negated: *negated }
            }
        })
    }

    fn conditions(&mut self, parts: &[tree::Condition]) -> Kip<Vec<Condition>> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn text(&mut self, test: TextTest, subject: &tree::Operand, pattern: &tree::Operand) -> Kip<Condition> {
        let subject = self.operand(subject)?;
        let compiled = self.operand(pattern)?;
        // A mistake in the query is one whether or not a row gets that far.
        if let (TextTest::Regex, tree::Operand::Value(json), Operand::Value(value)) =
            (test, pattern, &compiled)
            && let Some(text) = value.as_str()
        {
            let pattern = self.literals.get(text).map_err(|error| error.at(json.span))?;
            return Ok(Condition::Expression { subject, pattern });
        }
        Ok(Condition::Text { test, subject, pattern: compiled })
    }

    fn operand(&mut self, operand: &tree::Operand) -> Kip<Operand> {
        self.weight = self.weight.saturating_add(1);
        let path = match operand {
            tree::Operand::Value(json) => {
                let value = json.value()?;
                let items = value.as_array().map_or(0, <[_]>::len);
                self.weight = self.weight.saturating_add(u32::try_from(items).unwrap_or(u32::MAX));
                return Ok(Operand::Value(value));
            }
            tree::Operand::Path(path) => path,
        };
        let of = FieldOf::parse((self.slot_of)(&path.variable)?, path)?;
        self.slots.push(of.slot);
        // Whole elements are compared by their bindings.
        if of.field != Field::Whole {
            self.fields.push(of.clone());
        }
        Ok(Operand::Field(of))
    }
}
