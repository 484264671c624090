//! Validation of ids and properties as clients send them, with hints for the mistakes that models make.

use cairn_base::{Value, nearest};
use cairn_graph::Map;

use super::field::{FIELDS, cut, field};
use super::{FieldError, Properties};
use crate::branch::FactFields;
use crate::limits;
use crate::model::{EntityType, FactKind, ValueType};

/// Checks the id of an entity.
pub(crate) fn check_id(field: &str, id: &str) -> Result<(), FieldError> {
    let wrong = |message: String| {
        let hint = "use an id like `REQ-001`: no white space at its ends, no control characters";
        Err(FieldError::new(field, message, Some(hint.into())))
    };
    if id.is_empty() {
        return wrong("it is empty".into());
    }
    if id.len() > limits::ENTITY_ID_BYTES_MAX {
        return wrong(format!(
            "{} bytes are more than the {} allowed",
            id.len(),
            limits::ENTITY_ID_BYTES_MAX
        ));
    }
    if id.trim() != id || id.chars().any(char::is_control) {
        return wrong(format!("invalid id {:?}", cut(id)));
    }
    Ok(())
}

/// Checks properties of an entity of a type by themselves; adds an error for each one that is wrong.
pub(crate) fn check_properties(kind: EntityType, properties: &Properties, errors: &mut Vec<FieldError>) {
    let mut wrong = 0;
    for (name, value) in &properties.0 {
        if let Err(error) = check_property(kind, name, value, wrong < limits::FIELD_ERRORS_MAX) {
            wrong += 1;
            errors.extend(error);
        }
    }
    if let Some(more) = wrong.checked_sub(limits::FIELD_ERRORS_MAX).filter(|more| *more > 0) {
        errors.push(FieldError::new("properties", format!("{more} more of them are wrong"), None));
    }
}

/// Checks one property. Its error is only described if it is to be listed.
fn check_property(
    kind: EntityType,
    name: &str,
    value: &Value,
    is_listed: bool,
) -> Result<(), Option<FieldError>> {
    let Some(known) = field(name) else { return Err(is_listed.then(|| unknown(name, value))) };
    if value.is_null() {
        return Ok(());
    }
    if !known.of.is_empty() && !known.of.contains(&kind) {
        let of: Vec<_> = known.of.iter().map(|kind| kind.text()).collect();
        let message = format!("it is a field of {}, not of {kind}", of.join(", "));
        return Err(Some(FieldError::new(name, message, None)));
    }
    known.check(value).map_err(Some)
}

/// Checks the size of an entity as it will be.
pub(crate) fn check_size(attributes: &Map) -> Result<(), FieldError> {
    let bytes = bytes_of(attributes);
    if bytes > limits::ENTITY_BYTES_MAX {
        let message = format!("{bytes} bytes in all are more than the {} allowed", limits::ENTITY_BYTES_MAX);
        return Err(FieldError::new("properties", message, None));
    }
    Ok(())
}

/// About how many bytes attributes or metadata take.
pub(crate) fn bytes_of(attributes: &Map) -> usize {
    attributes.iter().map(|(name, value)| name.len() + size(value)).sum()
}

/// About how many bytes a value takes.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 2,
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| key.len() + size(value)).sum::<usize>() + 2
        }
    }
}

/// The error for a field that does not exist, with the name that was probably meant.
fn unknown(name: &str, value: &Value) -> FieldError {
    let message = "unknown field";
    if name == "value" {
        let (kind, field) = match value {
            Value::Bool(_) => ("bool", "value_bool"),
            Value::Number(number) if number.as_i64().is_some() && !number.is_float() => ("int", "value_int"),
            Value::Number(_) => ("number", "value_number"),
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => ("string", "value_string"),
        };
        let hint = format!(
            "send \"value_type\": \"{kind}\" and \"{field}\"; kb_model_requirement builds whole claims"
        );
        return FieldError::new(name, message, Some(hint));
    }
    let known = FIELDS.iter().map(|field| field.name);
    let snake = snake_case(name);
    let meant = known.clone().find(|known| *known == snake).or_else(|| nearest(cut(name), known));
    let hint = match meant {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => {
            format!("fields are {}", FIELDS.iter().map(|field| field.name).collect::<Vec<_>>().join(", "))
        }
    };
    FieldError::new(cut(name), message, Some(hint))
}

/// A camelCase name in snake_case.
fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in cut(name).chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// Checks that a fact has the fields that its kind needs; the first one that is missing or wrong.
pub(crate) fn check_fact_shape(fact: &FactFields) -> Result<(), FieldError> {
    let next = Some("call kb_model_requirement for a whole claim".to_owned());
    let missing =
        |name: &str, of: &str| Err(FieldError::new(name, format!("a {of} fact needs it"), next.clone()));
    let is_empty = |text: &Option<Box<str>>| text.as_deref().is_none_or(str::is_empty);
    match fact.kind() {
        None | Some(FactKind::Observation | FactKind::Meta) => Ok(()),
        Some(FactKind::Subject) if is_empty(&fact.subject_key) => missing("subject_key", "subject"),
        Some(FactKind::Subject) => Ok(()),
        Some(FactKind::PropertyValue) => {
            let needed = [
                ("subject_key", &fact.subject_key),
                ("property_key", &fact.property_key),
                ("operator", &fact.operator),
                ("value_type", &fact.value_type),
            ];
            if let Some((name, _)) = needed.into_iter().find(|(_, text)| is_empty(text)) {
                return missing(name, "property_value");
            }
            check_value(fact)
        }
        Some(FactKind::PredicateSchema) => check_schema(fact),
        Some(FactKind::Predicate) => {
            if is_empty(&fact.predicate_name) {
                return missing("predicate_name", "predicate");
            }
            if fact.predicate_args.as_ref().is_none_or(|args| args.is_empty()) {
                return missing("predicate_args", "predicate");
            }
            if is_empty(&fact.canonical_key) {
                return missing("canonical_key", "predicate");
            }
            match fact.polarity.as_deref() {
                None | Some("" | "assert" | "deny") => Ok(()),
                Some(other) => {
                    let message =
                        format!("{:?} is not assert or deny, the polarities of predicates", cut(other));
                    Err(FieldError::new("polarity", message, None))
                }
            }
        }
    }
}

/// Checks that a property value has exactly one value, of its type.
fn check_value(fact: &FactFields) -> Result<(), FieldError> {
    let values = [
        (ValueType::String, "value_string", fact.value_string.is_some()),
        (ValueType::Int, "value_int", fact.value_int.is_some()),
        (ValueType::Number, "value_number", fact.value_number.is_some()),
        (ValueType::Bool, "value_bool", fact.value_bool.is_some()),
    ];
    let present: Vec<_> = values.iter().filter(|(.., is_present)| *is_present).collect();
    let fields = "value_string, value_int, value_number, value_bool";
    match present[..] {
        [] => Err(FieldError::new(
            "value_*",
            "a property_value fact needs one value field",
            Some(format!("set one of {fields}")),
        )),
        [(kind, name, _)] => {
            let said = fact.value_type.as_deref().and_then(ValueType::parse);
            if said == Some(*kind) {
                return check_polarity_of_value(fact);
            }
            let said = fact.value_type.as_deref().unwrap_or_default();
            let hint = format!("send \"value_type\": \"{kind}\", or the value as value_{said}");
            Err(FieldError::new(*name, format!("value_type is {said:?}"), Some(hint)))
        }
        [..] => {
            let names: Vec<_> = present.iter().map(|(_, name, _)| *name).collect();
            let hint = "set exactly one; send null for the others to remove them".to_owned();
            Err(FieldError::new("value_*", format!("it has {}", names.join(" and ")), Some(hint)))
        }
    }
}

fn check_polarity_of_value(fact: &FactFields) -> Result<(), FieldError> {
    match fact.polarity.as_deref() {
        None | Some("" | "require" | "forbid") => Ok(()),
        Some(other) => {
            let message =
                format!("{:?} is not require or forbid, the polarities of property values", cut(other));
            Err(FieldError::new("polarity", message, None))
        }
    }
}

fn check_schema(fact: &FactFields) -> Result<(), FieldError> {
    let missing = |name: &str| Err(FieldError::new(name, "a predicate_schema fact needs it", None));
    if fact.predicate_name.as_deref().is_none_or(str::is_empty) {
        return missing("predicate_name");
    }
    let Some(arity) = fact.predicate_arity else { return missing("predicate_arity") };
    let arity = arity.as_u64().filter(|arity| *arity >= 1);
    let Some(arity) = arity else {
        return Err(FieldError::new("predicate_arity", "it is less than 1", None));
    };
    for (name, count) in [("argument_names", fact.argument_names), ("argument_types", fact.argument_types)] {
        match count {
            None => return missing(name),
            Some(count) if count as u64 != arity => {
                let message = format!("it has {count} items, and predicate_arity is {arity}");
                return Err(FieldError::new(name, message, None));
            }
            Some(_) => {}
        }
    }
    Ok(())
}
