//! `cairn-kb.toml`.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::{KEYS, RULES, Raw, apply, apply_rule, unknown};
use super::{ConfigOrigin, KbConfig, TOML};
use crate::WorktreeError;
use crate::limits::KB_CONFIG_LEVELS_MAX;

/// Parses the file. The first line that is wrong is the error.
pub(super) fn parse(text: &str, rules: &[&str]) -> Result<KbConfig, WorktreeError> {
    check_levels(text)?;
    let table = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        refused(line_of(text, offset), format!("{}; the file is TOML, see https://toml.io", error.message()))
    })?;
    let mut entries = Vec::new();
    collect(table.get_ref(), "", &mut entries);
    entries.sort_by_key(|entry| entry.offset);
    let mut config = KbConfig { origin: ConfigOrigin::Toml, ..KbConfig::default() };
    for Entry { name, value, offset } in entries {
        let rule = name.strip_prefix(RULES).and_then(|name| name.strip_prefix('.'));
        let key = KEYS.iter().find(|key| key.name == name);
        let applied = match (key, rule) {
            (Some(key), _) => {
                apply(&mut config, key, value).map_err(|message| format!("`{name}`: {message}"))
            }
            (None, Some(rule)) if rules.contains(&rule) => {
                apply_rule(&mut config, rule, value).map_err(|message| format!("`{name}`: {message}"))
            }
            (None, Some(rule)) => Err(unknown("rule", rule, rules)),
            (None, None) => Err(unknown("key", &name, &known())),
        };
        applied.map_err(|message| refused(line_of(text, offset), message))?;
    }
    Ok(config)
}

struct Entry {
    name: String,
    value: Raw,
    /// The place of the key.
    offset: usize,
}

/// Lists values with their dotted names. Tables that have no known settings are listed as a whole.
fn collect(table: &DeTable<'_>, prefix: &str, entries: &mut Vec<Entry>) {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref().as_table() {
            Some(inner) if is_section(&name) => collect(inner, &format!("{name}."), entries),
            Some(_) | None => entries.push(Entry { name, value: raw(value), offset: key.span().start }),
        }
    }
}

fn is_section(name: &str) -> bool {
    name == RULES
        || KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn raw(value: &Spanned<DeValue<'_>>) -> Raw {
    let value = value.get_ref();
    let number = || {
        let number = value.as_integer()?;
        u64::from_str_radix(number.as_str(), number.radix()).ok()
    };
    if let Some(text) = value.as_str() {
        return Raw::Text(text.to_owned());
    }
    value
        .as_bool()
        .map(Raw::Bool)
        .or_else(|| number().map(Raw::Number))
        .unwrap_or(Raw::Other(value.type_str()))
}

fn known() -> Vec<&'static str> {
    KEYS.iter().map(|key| key.name).chain([RULES]).collect()
}

/// Refuses keys of very many parts before they become tables within tables, which take stack to parse and to drop.
fn check_levels(text: &str) -> Result<(), WorktreeError> {
    for (index, line) in text.lines().enumerate() {
        // Dots of values and comments do not count.
        let key = line.split(['=', '#']).next().unwrap_or("");
        let inline = line.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count();
        if key.matches('.').count() > KB_CONFIG_LEVELS_MAX || inline > KB_CONFIG_LEVELS_MAX {
            return Err(refused(
                index + 1,
                "the key has too many levels; use the keys of the documentation".to_owned(),
            ));
        }
    }
    Ok(())
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

fn refused(line: usize, message: String) -> WorktreeError {
    WorktreeError::Config { file: TOML, line: Some(line), message }
}
