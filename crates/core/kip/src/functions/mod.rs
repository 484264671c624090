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
    use cairn_base::limits::KIP_COMMANDS_MAX;

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
