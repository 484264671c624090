//! From the fields of a fact to its claim.

use crate::{Claim, ClaimValue, FactFields, FactKind, Operator, Polarity, ValueType};

/// A reason why a fact makes no claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// Another kind of fact.
    #[error("the fact is no property value; only facts of kind `property_value` make claims")]
    NotAPropertyValue,
    /// A missing field.
    #[error("missing `{0}`; add it to the fact")]
    Missing(&'static str),
    /// A field with an unknown word or a value of the wrong type.
    #[error("invalid `{field}`: `{value}`; use {expected}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
        /// Values that are accepted.
        expected: String,
    },
}

impl FactFields {
    /// Returns the claim of a property value. A missing operator is `eq`, a missing type `string`, a missing polarity
    /// `require`; value fields of other types are ignored.
    ///
    /// Fails if the fact is no property value, lacks a key or the value of its type, or has an unknown word.
    pub fn claim(&self) -> Result<Claim<'_>, ClaimError> {
        if self.kind() != Some(FactKind::PropertyValue) {
            return Err(ClaimError::NotAPropertyValue);
        }
        let value_type = word(
            "value_type",
            self.value_type.as_deref(),
            ValueType::String,
            ValueType::parse,
            ValueType::TEXTS,
        )?;
        Ok(Claim {
            subject_key: self.subject_key.as_deref().ok_or(ClaimError::Missing("subject_key"))?,
            property_key: self.property_key.as_deref().ok_or(ClaimError::Missing("property_key"))?,
            operator: word(
                "operator",
                self.operator.as_deref(),
                Operator::Eq,
                Operator::parse,
                Operator::TEXTS,
            )?,
            value_type,
            value: self.value_of(value_type)?,
            unit: self.unit.as_deref().unwrap_or_default(),
            scope: self.scope.as_deref().unwrap_or_default(),
            polarity: word(
                "polarity",
                self.polarity.as_deref(),
                Polarity::Require,
                polarity_of_property,
                &["require", "forbid"],
            )?,
            valid_from: self.valid_from.as_deref().unwrap_or_default(),
            valid_to: self.valid_to.as_deref().unwrap_or_default(),
        })
    }

    fn value_of(&self, value_type: ValueType) -> Result<ClaimValue, ClaimError> {
        match value_type {
            ValueType::String => {
                self.value_string.clone().map(ClaimValue::Text).ok_or(ClaimError::Missing("value_string"))
            }
            ValueType::Bool => self.value_bool.map(ClaimValue::Bool).ok_or(ClaimError::Missing("value_bool")),
            ValueType::Number => {
                self.value_number.map(ClaimValue::Number).ok_or(ClaimError::Missing("value_number"))
            }
            ValueType::Int => {
                let value = self.value_int.ok_or(ClaimError::Missing("value_int"))?;
                if value.to_f64().fract() != 0.0 {
                    return Err(ClaimError::Invalid {
                        field: "value_int",
                        value: value.to_string(),
                        expected: "an integer, or `value_number`".to_owned(),
                    });
                }
                Ok(ClaimValue::Number(value))
            }
        }
    }
}

fn word<T>(
    field: &'static str,
    text: Option<&str>,
    default: T,
    parse: impl Fn(&str) -> Option<T>,
    allowed: &[&str],
) -> Result<T, ClaimError> {
    let Some(text) = text else { return Ok(default) };
    parse(text).ok_or_else(|| ClaimError::Invalid {
        field,
        value: text.to_owned(),
        expected: format!("one of {}", allowed.join(", ")),
    })
}

fn polarity_of_property(text: &str) -> Option<Polarity> {
    Polarity::parse(text).filter(|polarity| matches!(polarity, Polarity::Require | Polarity::Forbid))
}
