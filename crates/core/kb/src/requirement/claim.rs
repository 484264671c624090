//! A claim: a property of a subject compared with a value.

use cairn_base::{Number, Value};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::model::words;
use crate::{KbError, Polarity, Result};

words! {
    /// A comparison of a claim with its value.
    ClaimOperator {
        /// Equal.
        Eq = "eq",
        /// At least; the value is a number.
        Gte = "gte",
        /// At most; the value is a number.
        Lte = "lte",
        /// Not equal.
        Neq = "neq",
        /// True or false; the value is a truth value.
        Bool = "bool",
        /// Required or forbidden; the value is `require` or `forbid`.
        Polarity = "polarity",
    }
}

/// A value of a claim: a string, a finite number, or a truth value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimScalar(pub Value);

impl PartialSchema for ClaimScalar {
    fn schema() -> utoipa::openapi::RefOr<Schema> {
        let kinds = [Type::String, Type::Number, Type::Boolean];
        ObjectBuilder::new().schema_type(SchemaType::from_iter(kinds)).into()
    }
}

impl ToSchema for ClaimScalar {}

impl ClaimScalar {
    /// The value as the stable key has it.
    pub(super) fn key_text(&self) -> String {
        match &self.0 {
            Value::Bool(is_true) => is_true.to_string(),
            Value::Number(number) => number_text(*number),
            Value::String(text) => super::normalize::value_key(text),
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        }
    }

    /// The value as a title has it.
    pub(super) fn shown(&self) -> String {
        match &self.0 {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => self.key_text(),
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        }
    }

    /// Checks that the value suits the operator; a string loses the white space at its ends.
    pub(super) fn checked(self, operator: ClaimOperator) -> Result<Self> {
        let wrong = |expected: &str| {
            Err(KbError::argument("value", format!("operator {operator} needs {expected} as value")))
        };
        let mut value = self.0;
        if let Value::String(text) = &mut value {
            *text = text.trim().to_owned();
        }
        match (operator, &value) {
            (_, Value::Null | Value::Array(_) | Value::Object(_)) => {
                wrong("a string, a number, or true or false")
            }
            (_, Value::String(text)) if text.is_empty() => wrong("more than an empty string"),
            (ClaimOperator::Eq | ClaimOperator::Neq, _)
            | (ClaimOperator::Gte | ClaimOperator::Lte, Value::Number(_))
            | (ClaimOperator::Bool, Value::Bool(_)) => Ok(ClaimScalar(value)),
            (ClaimOperator::Polarity, Value::String(text)) if polarity(text).is_some() => {
                Ok(ClaimScalar(value))
            }
            (ClaimOperator::Gte | ClaimOperator::Lte, _) => wrong("a number"),
            (ClaimOperator::Bool, _) => wrong("true or false"),
            (ClaimOperator::Polarity, _) => wrong("\"require\" or \"forbid\""),
        }
    }
}

/// The polarity of a property value that a text names.
pub(super) fn polarity(text: &str) -> Option<Polarity> {
    Polarity::parse(text).filter(|polarity| matches!(polarity, Polarity::Require | Polarity::Forbid))
}

/// A number as JavaScript writes it: no fraction if it has none, an exponent only far from zero and one.
fn number_text(number: Number) -> String {
    if let Some(integer) = number.as_i64() {
        return integer.to_string();
    }
    if let Some(integer) = number.as_u64() {
        return integer.to_string();
    }
    let float = number.to_f64();
    if (1e-6..1e21).contains(&float.abs()) {
        return format!("{float}");
    }
    let text = format!("{float:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A claim whose keys are normalised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SemanticClaim {
    /// Key of the subject, like `customer.data`.
    pub subject_key: String,
    /// Key of the property, like `retention_years`.
    pub property_key: String,
    /// Comparison of the property with the value.
    pub operator: ClaimOperator,
    /// The value.
    pub value: ClaimScalar,
    /// Confidence from 0 to 1, with two decimals.
    pub confidence: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_suit_their_operators() {
        let check = |operator, json: &str, expected: Option<&str>| {
            let value = Value::parse_json(json.as_bytes()).expect("JSON");
            let checked = ClaimScalar(value).checked(operator).map(|value| value.key_text());
            assert_eq!(checked.ok().as_deref(), expected, "{operator} {json}");
        };
        check(ClaimOperator::Eq, "7", Some("7"));
        check(ClaimOperator::Eq, "7.0", Some("7"));
        check(ClaimOperator::Eq, "0.5", Some("0.5"));
        check(ClaimOperator::Eq, "-12345678901", Some("-12345678901"));
        check(ClaimOperator::Eq, "18446744073709551615", Some("18446744073709551615"));
        check(ClaimOperator::Eq, "1e21", Some("1e+21"));
        check(ClaimOperator::Eq, "2.5e-7", Some("2.5e-7"));
        check(ClaimOperator::Eq, "\" AES-256 GCM \"", Some("aes-256_gcm"));
        check(ClaimOperator::Eq, "true", Some("true"));
        check(ClaimOperator::Eq, "\" \"", None);
        check(ClaimOperator::Eq, "null", None);
        check(ClaimOperator::Neq, "[1]", None);
        check(ClaimOperator::Neq, "\"x\"", Some("x"));
        check(ClaimOperator::Gte, "5", Some("5"));
        check(ClaimOperator::Gte, "\"5\"", None);
        check(ClaimOperator::Lte, "true", None);
        check(ClaimOperator::Bool, "false", Some("false"));
        check(ClaimOperator::Bool, "\"false\"", None);
        check(ClaimOperator::Polarity, "\"require\"", Some("require"));
        check(ClaimOperator::Polarity, "\"forbid\"", Some("forbid"));
        check(ClaimOperator::Polarity, "\"deny\"", None);
        check(ClaimOperator::Polarity, "true", None);
    }
}
