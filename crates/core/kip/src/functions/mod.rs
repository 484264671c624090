//! What a language model is told about the functions it can call.

use std::collections::BTreeMap;

use cairn_base::Value;

/// A function that a language model can call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipFunction {
    /// What it is called by.
    pub name: &'static str,
    /// What it does and how to use it, for the model.
    pub description: &'static str,
    /// Whether it changes nothing.
    pub reads_only: bool,
    /// The JSON schema of its argument, which is a [`KipRequest`](crate::KipRequest).
    pub parameters: Value,
}

/// Every function, always the same.
pub fn functions() -> [KipFunction; 2] {
    let parameters =
        Value::parse_json(include_bytes!("parameters.json")).expect("the schema beside this file is JSON");
    [
        KipFunction {
            name: "execute_kip",
            description: include_str!("execute_kip.txt").trim_ascii_end(),
            reads_only: false,
            parameters: parameters.clone(),
        },
        KipFunction {
            name: "execute_kip_readonly",
            description: include_str!("execute_kip_readonly.txt").trim_ascii_end(),
            reads_only: true,
            parameters,
        },
    ]
}

impl KipFunction {
    /// `{"name", "description", "parameters"}`
    pub fn to_value(&self) -> Value {
        let entries = [
            ("name", self.name.into()),
            ("description", self.description.into()),
            ("parameters", self.parameters.clone()),
        ];
        entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<BTreeMap<_, _>>().into()
    }
}

#[cfg(test)]
mod tests {
    use crate::limits::KIP_COMMANDS_MAX;

    use super::*;
    use crate::KipRequest;

    #[test]
    fn both_functions_as_a_model_sees_them() {
        let [all, reading] = functions();
        assert_eq!((all.name, all.reads_only), ("execute_kip", false));
        assert_eq!((reading.name, reading.reads_only), ("execute_kip_readonly", true));
        for function in [all, reading] {
            let value = function.to_value();
            assert_eq!(value.as_object().map(BTreeMap::len), Some(3));
            assert!(function.description.len() > 200 && !function.description.ends_with('\n'));
        }
    }

    /// Providers refuse a whole request, or drop the tool, where one of these is not met.
    #[test]
    fn every_provider_accepts_the_definitions() {
        const COMBINATORS: [&str; 10] =
            ["oneOf", "anyOf", "allOf", "not", "if", "enum", "const", "$ref", "$defs", "$schema"];
        for function in functions() {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
            assert!(function.name.len() <= 64 && function.name.bytes().all(is_plain), "{}", function.name);
            let length = function.description.chars().count();
            assert!(length <= 1_024, "{} has a description of {length} characters", function.name);
            let schema = function.parameters.as_object().expect("a schema");
            assert_eq!(schema.get("type").and_then(Value::as_str), Some("object"));
            for keyword in COMBINATORS {
                assert!(!schema.contains_key(keyword), "{keyword} at the top of {}", function.name);
            }
            check_nested(&function.parameters, function.name);
        }
    }

    fn check_nested(schema: &Value, at: &str) {
        for keyword in ["oneOf", "allOf", "not", "$ref", "$schema", "patternProperties"] {
            assert!(schema.get(keyword).is_none(), "{keyword} at {at}");
        }
        let kind = schema.get("type").map(|kind| kind.as_str().unwrap_or_else(|| panic!("types at {at}")));
        assert!(kind.is_some() || schema.get("anyOf").is_some(), "no type at {at}");
        assert_eq!(kind == Some("array"), schema.get("items").is_some(), "items at {at}");
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            assert!((1..=64).contains(&name.len()) && name.bytes().all(is_plain), "{name} at {at}");
            check_nested(property, &format!("{at}.{name}"));
        }
        schema.get("items").into_iter().for_each(|items| check_nested(items, &format!("{at}[]")));
        let branches = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
        branches.for_each(|branch| check_nested(branch, &format!("{at}|")));
    }

    #[test]
    fn the_schema_describes_what_is_read() {
        let [function, _] = functions();
        let properties = function.parameters.get("properties").expect("properties");
        let most = properties.get("commands").and_then(|commands| commands.get("maxItems"));
        assert_eq!(most, Some(&Value::from(KIP_COMMANDS_MAX as u64)));
        let examples = [
            ("command", r#""DESCRIBE PRIMER""#),
            ("commands", r#"["DESCRIBE PRIMER", {"command": "x", "parameters": {}}]"#),
            ("parameters", "{}"),
            ("dry_run", "true"),
            ("space", r#""memory""#),
            ("format", r#""rows""#),
        ];
        let described: Vec<&str> =
            properties.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut known = examples.map(|(key, _)| key);
        known.sort_unstable();
        assert_eq!(described, known);
        for (key, value) in examples {
            let command = if key.starts_with("command") { "" } else { r#""command": "x", "# };
            let request = format!("{{{command}\"{key}\": {value}}}");
            let request = Value::parse_json(request.as_bytes()).expect(&request);
            assert!(KipRequest::decode(request).is_ok(), "{key}");
        }
    }
}
