//! What a definition asks for, read out of its attributes.

use std::collections::BTreeMap;

use cairn_base::Value;

use super::shape::{Shape, kind_of};
use crate::Map;

/// The attribute of a definition that turns its schema from advice into a rule.
pub const ENFORCE_SCHEMA: &str = "enforce_schema";
const INSTANCE_SCHEMA: &str = "instance_schema";
const SUBJECT_TYPES: &str = "subject_types";
const OBJECT_TYPES: &str = "object_types";
/// Stands for every type.
const EVERYTHING: &str = "*";

/// The rules of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rules {
    pub(super) attributes: BTreeMap<String, AttributeRule>,
    pub(super) subjects: Ends,
    pub(super) objects: Ends,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AttributeRule {
    pub(super) shape: Option<Shape>,
    pub(super) is_required: bool,
    pub(super) choices: Option<Vec<Value>>,
}

/// Which types an end of a link may have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Ends {
    #[default]
    Any,
    Types(Vec<String>),
}

/// What is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    /// Where, like `instance_schema.risk_level.type`.
    pub(crate) at: String,
    pub(crate) problem: String,
}

impl Rules {
    pub(crate) fn parse(definition: &Map) -> Result<Self, Wrong> {
        Ok(Rules {
            attributes: attributes(definition.get(INSTANCE_SCHEMA))?,
            subjects: ends(SUBJECT_TYPES, definition.get(SUBJECT_TYPES))?,
            objects: ends(OBJECT_TYPES, definition.get(OBJECT_TYPES))?,
        })
    }
}

fn attributes(schema: Option<&Value>) -> Result<BTreeMap<String, AttributeRule>, Wrong> {
    match schema {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(entries)) => {
            let rule = |(key, entry): (&String, &Value)| Ok((key.clone(), attribute(key, entry)?));
            entries.iter().map(rule).collect()
        }
        Some(other) => Err(not(INSTANCE_SCHEMA.into(), "an object", other)),
    }
}

fn attribute(key: &str, entry: &Value) -> Result<AttributeRule, Wrong> {
    let at = |field: &str| format!("{INSTANCE_SCHEMA}.{key}.{field}");
    match entry {
        // The short form: only what it must be.
        Value::String(_) => {
            Ok(AttributeRule { shape: shape(at("type"), Some(entry))?, ..AttributeRule::default() })
        }
        Value::Object(entry) => {
            let outer = shape(at("type"), entry.get("type"))?;
            let items = shape(at("item_type"), entry.get("item_type"))?;
            let shape = match (outer, items) {
                (Some(outer), Some(items)) => Some(outer.with_items(&items)),
                (outer, _) => outer,
            };
            Ok(AttributeRule {
                shape,
                is_required: boolean(at("is_required"), entry.get("is_required"))?,
                choices: choices(at("enum"), entry.get("enum"))?,
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            Err(not(format!("{INSTANCE_SCHEMA}.{key}"), "an object", entry))
        }
    }
}

fn shape(at: String, text: Option<&Value>) -> Result<Option<Shape>, Wrong> {
    match text {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => match Shape::parse(text) {
            Some(shape) => Ok(Some(shape)),
            None => {
                let problem = "must be string, number, integer, boolean, array, array<…>, object, null or any, or several with |";
                Err(Wrong { at, problem: problem.into() })
            }
        },
        Some(other) => Err(not(at, "a string", other)),
    }
}

fn boolean(at: String, value: Option<&Value>) -> Result<bool, Wrong> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(not(at, "a boolean", other)),
    }
}

fn choices(at: String, value: Option<&Value>) -> Result<Option<Vec<Value>>, Wrong> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(values)) => Ok(Some(values.clone())),
        Some(other) => Err(not(at, "an array", other)),
    }
}

fn ends(at: &str, value: Option<&Value>) -> Result<Ends, Wrong> {
    let names = match value {
        None | Some(Value::Null) => return Ok(Ends::Any),
        Some(Value::String(name)) => vec![name.clone()],
        Some(Value::Array(items)) => {
            let name = |item: &Value| {
                let name = item.as_str().map(str::to_owned);
                name.ok_or_else(|| not(at.into(), "an array of names of types", item))
            };
            items.iter().map(name).collect::<Result<Vec<String>, Wrong>>()?
        }
        Some(other) => return Err(not(at.into(), "an array of names of types", other)),
    };
    Ok(if names.iter().any(|name| name == EVERYTHING) { Ends::Any } else { Ends::Types(names) })
}

fn not(at: String, expected: &str, found: &Value) -> Wrong {
    Wrong { at, problem: format!("must be {expected}, and holds {}", kind_of(found)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Rules, Wrong> {
        let Value::Object(map) = Value::parse_json(json.as_bytes()).unwrap() else { panic!("{json}") };
        Rules::parse(&map)
    }

    #[test]
    fn schemas_are_read_and_what_is_wrong_with_them_is_named() {
        let rules = parse(
            r#"{"instance_schema": {"a": {"type": "array", "item_type": "string", "is_required": true, "enum": [1]}, "b": "number", "c": {}},
                "subject_types": ["Drug", "Event"], "object_types": ["Drug", "*"], "description": "x"}"#,
        )
        .unwrap();
        assert_eq!(rules.attributes["a"].shape, Shape::parse("array<string>"));
        assert!(rules.attributes["a"].is_required && !rules.attributes["b"].is_required);
        assert_eq!(rules.attributes["a"].choices, Some(vec![Value::from(1_u64)]));
        assert_eq!(rules.attributes["b"].shape, Shape::parse("number"));
        assert_eq!(rules.attributes["c"], AttributeRule::default());
        assert_eq!(rules.subjects, Ends::Types(vec!["Drug".into(), "Event".into()]));
        assert_eq!(rules.objects, Ends::Any);
        assert_eq!(parse("{}").unwrap(), Rules::default());
        for (json, at) in [
            (r#"{"instance_schema": []}"#, "instance_schema"),
            (r#"{"instance_schema": {"a": 1}}"#, "instance_schema.a"),
            (r#"{"instance_schema": {"a": {"type": "stirng"}}}"#, "instance_schema.a.type"),
            (r#"{"instance_schema": {"a": "stirng"}}"#, "instance_schema.a.type"),
            (r#"{"instance_schema": {"a": {"type": 1}}}"#, "instance_schema.a.type"),
            (r#"{"instance_schema": {"a": {"item_type": "x"}}}"#, "instance_schema.a.item_type"),
            (r#"{"instance_schema": {"a": {"is_required": "yes"}}}"#, "instance_schema.a.is_required"),
            (r#"{"instance_schema": {"a": {"enum": "x"}}}"#, "instance_schema.a.enum"),
            (r#"{"subject_types": 1}"#, "subject_types"),
            (r#"{"object_types": ["A", 1]}"#, "object_types"),
        ] {
            assert_eq!(parse(json).unwrap_err().at, at, "{json}");
        }
    }
}
