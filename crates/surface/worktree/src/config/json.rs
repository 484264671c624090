//! `.kb/config.json`.

use serde_json::{Map, Value};

use super::keys::{KEYS, RULES, Raw, apply, apply_rule};
use super::{ConfigOrigin, JSON, KbConfig};
use crate::WorktreeError;

/// Parses the file. Keys and rules that mean nothing here are noted and ignored.
pub(super) fn parse(text: &str, rules: &[&str]) -> Result<KbConfig, WorktreeError> {
    let root: Map<String, Value> = serde_json::from_str(text).map_err(|error| WorktreeError::Config {
        file: JSON,
        line: Some(error.line()),
        message: format!("the file is no JSON object: {error}"),
    })?;
    let mut entries = Vec::new();
    collect(&root, "", &mut entries);
    let mut config = KbConfig { origin: ConfigOrigin::Json, ..KbConfig::default() };
    for (name, value) in entries {
        let rule = name.strip_prefix(RULES).and_then(|name| name.strip_prefix('.'));
        let key = KEYS.iter().find(|key| key.camel == name);
        let applied = match (key, rule) {
            (Some(key), _) => apply(&mut config, key, raw(value)),
            (None, Some(rule)) if rules.contains(&rule) => apply_rule(&mut config, rule, raw(value)),
            (None, _) => {
                config.ignored.push(name);
                continue;
            }
        };
        let refused = |message| WorktreeError::Config {
            file: JSON,
            line: None,
            message: format!("`{name}`: {message}"),
        };
        applied.map_err(refused)?;
    }
    config.ignored.sort_unstable();
    Ok(config)
}

fn collect<'v>(object: &'v Map<String, Value>, prefix: &str, entries: &mut Vec<(String, &'v Value)>) {
    for (key, value) in object {
        let name = format!("{prefix}{key}");
        match value {
            Value::Object(inner) if is_section(&name) => collect(inner, &format!("{name}."), entries),
            Value::Null => {}
            Value::Object(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                entries.push((name, value));
            }
        }
    }
}

fn is_section(name: &str) -> bool {
    name == RULES
        || KEYS.iter().any(|key| key.camel.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn raw(value: &Value) -> Raw {
    match value {
        Value::String(text) => Raw::Text(text.clone()),
        Value::Bool(on) => Raw::Bool(*on),
        Value::Number(number) => number.as_u64().map_or(Raw::Other("a number"), Raw::Number),
        Value::Array(_) => Raw::Other("a list"),
        Value::Object(_) => Raw::Other("an object"),
        Value::Null => Raw::Other("null"),
    }
}
