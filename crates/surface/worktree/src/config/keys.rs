//! The settings, a row each, and the rules of their values.

use cairn_base::{Harmless, most_alike};

use super::KbConfig;
use crate::inside::check_path;

/// The prefix of settings that are named after rules.
pub(super) const RULES: &str = "checks.rules";

/// A value in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Raw {
    Text(String),
    Bool(bool),
    Number(u64),
    /// Anything else, by the name of its type.
    Other(&'static str),
}

/// A setting.
pub(super) struct Key {
    /// Its name in `cairn-kb.toml`.
    pub(super) name: &'static str,
    /// Its name in `.kb/config.json`.
    pub(super) camel: &'static str,
    set: Set,
}

enum Set {
    Path(fn(&mut KbConfig) -> &mut String),
    Number(fn(&mut KbConfig) -> &mut Option<u64>),
    Switch(fn(&mut KbConfig) -> &mut bool),
}

const fn path(name: &'static str, of: fn(&mut KbConfig) -> &mut String) -> Key {
    Key { name, camel: name, set: Set::Path(of) }
}

pub(super) const KEYS: &[Key] = &[
    Key {
        name: "schema_version",
        camel: "schemaVersion",
        set: Set::Number(|config| &mut config.schema_version),
    },
    path("paths.requirements", |config| &mut config.paths.requirements),
    path("paths.scenarios", |config| &mut config.paths.scenarios),
    path("paths.tests", |config| &mut config.paths.tests),
    path("paths.adr", |config| &mut config.paths.adr),
    path("paths.flags", |config| &mut config.paths.flags),
    path("paths.events", |config| &mut config.paths.events),
    path("paths.facts", |config| &mut config.paths.facts),
    path("paths.symbols", |config| &mut config.paths.symbols),
    Key {
        name: "checks.symbol_traceability.require_adr",
        camel: "checks.symbolTraceability.requireAdr",
        set: Set::Switch(|config| &mut config.checks.require_adr),
    },
];

/// Applies a setting. Fails with a message if its value is not allowed.
pub(super) fn apply(config: &mut KbConfig, key: &Key, value: Raw) -> Result<(), String> {
    match (&key.set, value) {
        (Set::Path(of), Raw::Text(text)) => {
            check_path(&text)
                .map_err(|problem| format!("invalid path, {problem}; name one below the root"))?;
            *of(config) = text;
        }
        (Set::Number(of), Raw::Number(number)) => *of(config) = Some(number),
        (Set::Switch(of), Raw::Bool(on)) => *of(config) = on,
        (Set::Path(_), other) => return Err(expected("a path in quotes", &other)),
        (Set::Number(_), other) => return Err(expected("a whole number from 0", &other)),
        (Set::Switch(_), other) => return Err(expected("true or false", &other)),
    }
    Ok(())
}

/// Switches a rule, which is a known one.
pub(super) fn apply_rule(config: &mut KbConfig, rule: &str, value: Raw) -> Result<(), String> {
    match value {
        Raw::Bool(on) => {
            config.checks.rules.insert(rule.to_owned(), on);
            Ok(())
        }
        other @ (Raw::Text(_) | Raw::Number(_) | Raw::Other(_)) => Err(expected("true or false", &other)),
    }
}

/// The message about a name that is not known: the nearest known one, or all of them.
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let shown: String = name.chars().take(100).collect();
    let shown = Harmless(&shown);
    match most_alike(name, known.iter().copied()) {
        Some(near) => format!("unknown {what} `{shown}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{shown}`; known are {}", known.join(", ")),
    }
}

fn expected(what: &str, found: &Raw) -> String {
    let found = match found {
        Raw::Text(_) => "text",
        Raw::Bool(_) => "true or false",
        Raw::Number(_) => "a number",
        Raw::Other(kind) => kind,
    };
    format!("the value is {found}; give {what}")
}
