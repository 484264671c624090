//! Which value fits where.

use std::collections::BTreeMap;

use crate::limits::{KIP_BOUND_BYTES_MAX, KIP_LEVELS_MAX};
use cairn_base::{Value, nearest};

use crate::lex::shown;
use crate::tree::unbound;
use crate::{KipCode, KipError, Span};

/// Named values.
pub(super) type Parameters = BTreeMap<String, Value>;

/// The value of a parameter, with its name as it was given.
pub(super) fn look_up<'p>(
    parameters: &'p Parameters,
    name: &str,
    span: Span,
) -> Result<(&'p str, &'p Value), KipError> {
    let found = parameters.get_key_value(name);
    found.map(|(name, value)| (name.as_str(), value)).ok_or_else(|| not_given(parameters, name, span))
}

/// How large a value is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    /// What it takes in memory, roughly.
    pub(super) bytes: usize,
    pub(super) is_too_deep: bool,
}

impl Size {
    pub(super) fn of(value: &Value) -> Self {
        let is_too_deep = deeper_than(value, KIP_LEVELS_MAX);
        Size { bytes: if is_too_deep { 0 } else { bytes(value) }, is_too_deep }
    }
}

/// Only of what is not too deep.
fn bytes(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes).sum(),
        Value::Object(entries) => {
            entries.iter().map(|(key, value)| size_of::<String>() + key.len() + bytes(value)).sum()
        }
    };
    size_of::<Value>() + inside
}

pub(super) fn too_deep(name: &str, span: Span) -> KipError {
    let message = format!("parameter :{name} is nested more than {KIP_LEVELS_MAX} levels deep");
    let hint = "send it flatter; deep values can be stored as a string of JSON";
    KipError::new(KipCode::ResourceExhausted, message).hint(hint).at(span)
}

pub(super) fn too_much(name: &str, span: Span) -> KipError {
    let message =
        format!("with parameter :{name} once more the command has more than {KIP_BOUND_BYTES_MAX} bytes");
    let hint = "use a long value fewer times, or send it in several commands";
    KipError::new(KipCode::ResourceExhausted, message).hint(hint).at(span)
}

fn not_given(parameters: &Parameters, name: &str, span: Span) -> KipError {
    let error = unbound(name, span);
    let known = || parameters.keys().map(String::as_str);
    if parameters.is_empty() {
        return error;
    }
    match nearest(name, known()) {
        Some(near) => error.hint(format!("did you mean :{near}?")),
        None => {
            let known: Vec<String> = known().take(20).map(|name| format!(":{}", shown(name))).collect();
            error.hint(format!("given are {}; send \"{name}\" as well", known.join(", ")))
        }
    }
}

/// The value cannot stand there; `wanted` is what can.
pub(super) fn unfit(name: &str, value: &Value, wanted: &str, span: Span) -> KipError {
    KipError::new(
        KipCode::InvalidSyntax,
        format!("parameter :{name} is {}, and {wanted} is needed", kind(value)),
    )
    .hint(format!("send {wanted} as \"{name}\""))
    .at(span)
}

/// Whether it is a string, a number, `true`, `false` or `null`.
pub(super) fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// What kind of value it is, in words.
pub(crate) fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string \"{}\"", shown(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    let inside = |inner: &Value| levels == 0 || deeper_than(inner, levels - 1);
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(inside),
        Value::Object(entries) => levels == 0 || entries.values().any(inside),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Refuses a string of the command that names a parameter.
pub(super) fn check_string(parameters: &Parameters, text: &str, span: Span) -> Result<(), KipError> {
    let Some(name) = named_in(parameters, text) else { return Ok(()) };
    let message = format!("a string names the parameter :{name}, and nothing is put into strings");
    let hint = format!("send the whole string as a parameter, with :{name} alone in its place");
    Err(KipError::new(KipCode::InvalidSyntax, message).hint(hint).at(span))
}

/// The first parameter that a string names.
fn named_in<'t>(parameters: &Parameters, text: &'t str) -> Option<&'t str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(':').map(|(at, _)| at).find_map(|at| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let name = &after[..after.find(|letter| !is_part(letter)).unwrap_or(after.len())];
        let alone = !before.ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':');
        (alone && parameters.contains_key(name)).then_some(name)
    })
}
