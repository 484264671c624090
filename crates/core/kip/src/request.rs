//! What a caller asks for: one command or several, with their parameters.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::limits::KIP_COMMANDS_MAX;
use cairn_base::{Value, nearest};

use crate::bind::kind;
use crate::lex::{is_identifier, shown};
use crate::one_of::one_of;
use crate::{KipCode, KipError};

/// Named values.
pub type Parameters = BTreeMap<String, Value>;

/// One command or several, and how to run them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipRequest {
    /// What to do.
    pub commands: Commands,
    /// Values for all commands.
    pub parameters: Parameters,
    /// Whether nothing may change.
    pub dry_run: bool,
    /// Whether commands that write are refused.
    pub readonly: bool,
    /// The space of the tenant that is meant; its memory if absent.
    pub space: Option<String>,
    /// The shape of what FIND answers.
    pub format: Format,
    /// Bytes of JSON after which a page ends, behind a whole row; those of a batch together.
    pub page_bytes: Option<usize>,
}

/// One command, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commands {
    /// `command`: it is answered by itself.
    One(KipCommand),
    /// `commands`: they are answered in a list.
    Batch(Vec<KipCommand>),
}

/// The text of a command, with values of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KipCommand {
    /// The command.
    pub text: String,
    /// Values for this command, over those for all.
    pub parameters: Parameters,
}

/// The shape of what FIND answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// A list for each expression.
    #[default]
    Columns,
    /// A list for each solution.
    Rows,
}

const KEYS: &[&str] =
    &["command", "commands", "parameters", "dry_run", "readonly", "space", "format", "page_bytes"];

impl KipRequest {
    /// Reads a request. What is null counts as absent.
    pub fn decode(request: Value) -> Result<Self, KipError> {
        let Value::Object(mut entries) = request else {
            return Err(wrong(format!("a request is an object, and this is {}", kind(&request)))
                .hint("send {\"command\": \"...\"}"));
        };
        check_keys(&entries, KEYS, "a request")?;
        entries.retain(|_, value| !value.is_null());
        Ok(KipRequest {
            commands: commands(&mut entries)?,
            parameters: parameters(&mut entries)?,
            dry_run: flag(&entries, "dry_run")?,
            readonly: flag(&entries, "readonly")?,
            space: space(&mut entries)?,
            format: format(&entries)?,
            page_bytes: page_bytes(&entries)?,
        })
    }

    /// Whether a command of it has, with its values, no more than about so many bytes. Takes no longer for a
    /// longer one.
    pub fn is_short(&self, command: &KipCommand, bytes_max: usize) -> bool {
        let Some(mut left) = bytes_max.checked_sub(command.text.len()) else { return false };
        all_fit(&self.parameters, &mut left) && all_fit(&command.parameters, &mut left)
    }

    /// The values for a command of it: its own over those for all.
    pub fn parameters_of(&self, command: &KipCommand) -> Cow<'_, Parameters> {
        if command.parameters.is_empty() {
            return Cow::Borrowed(&self.parameters);
        }
        let mut merged = self.parameters.clone();
        merged.extend(command.parameters.clone());
        Cow::Owned(merged)
    }
}

/// Whether a value takes no more than so many bytes, about; takes them off.
fn fits(value: &Value, bytes_left: &mut usize) -> bool {
    let own = size_of::<Value>() + if let Value::String(text) = value { text.len() } else { 0 };
    let Some(left) = bytes_left.checked_sub(own) else { return false };
    *bytes_left = left;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => items.iter().all(|item| fits(item, bytes_left)),
        Value::Object(entries) => all_fit(entries, bytes_left),
    }
}

fn all_fit(entries: &Parameters, bytes_left: &mut usize) -> bool {
    entries.iter().all(|(key, value)| {
        *bytes_left = bytes_left.saturating_sub(key.len());
        fits(value, bytes_left)
    })
}

fn commands(entries: &mut Parameters) -> Result<Commands, KipError> {
    match (entries.remove("command"), entries.remove("commands")) {
        (Some(_), Some(_)) => Err(wrong("`command` and `commands` exclude each other")
            .hint("send `command` for one command, or `commands` for a list")),
        (None, None) => Err(wrong("there is no command")
            .hint("send {\"command\": \"...\"}, or {\"commands\": [\"...\", \"...\"]}")),
        (Some(Value::String(text)), None) => {
            Ok(Commands::One(KipCommand { text, parameters: Parameters::new() }))
        }
        (Some(other), None) => Err(unfit("command", &other, "a string")),
        (None, Some(Value::Array(items))) => batch(items).map(Commands::Batch),
        (None, Some(other)) => Err(unfit("commands", &other, "an array")),
    }
}

fn batch(items: Vec<Value>) -> Result<Vec<KipCommand>, KipError> {
    if items.is_empty() {
        return Err(wrong("`commands` is empty").hint("send at least one command"));
    }
    if items.len() > KIP_COMMANDS_MAX {
        let message =
            format!("a request has {KIP_COMMANDS_MAX} commands at most, and this one {}", items.len());
        return Err(KipError::new(KipCode::ResourceExhausted, message).hint("send them in several requests"));
    }
    items.into_iter().enumerate().map(|(index, item)| element(index, item)).collect()
}

/// One item of `commands`: a text, or a text with values of its own.
fn element(index: usize, item: Value) -> Result<KipCommand, KipError> {
    let mut entries = match item {
        Value::String(text) => return Ok(KipCommand { text, parameters: Parameters::new() }),
        Value::Object(entries) => entries,
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            return Err(unfit(&format!("commands[{index}]"), &other, "a string or an object"));
        }
    };
    check_keys(&entries, &["command", "parameters"], &format!("commands[{index}]"))?;
    entries.retain(|_, value| !value.is_null());
    let text = match entries.remove("command") {
        Some(Value::String(text)) => text,
        Some(other) => return Err(unfit(&format!("commands[{index}].command"), &other, "a string")),
        None => {
            return Err(wrong(format!("commands[{index}] has no `command`"))
                .hint("write {\"command\": \"...\", \"parameters\": {...}}"));
        }
    };
    Ok(KipCommand { text, parameters: parameters(&mut entries)? })
}

fn parameters(entries: &mut Parameters) -> Result<Parameters, KipError> {
    let parameters = match entries.remove("parameters") {
        None => return Ok(Parameters::new()),
        Some(Value::Object(parameters)) => parameters,
        Some(other) => return Err(unfit("parameters", &other, "an object")),
    };
    match parameters.keys().find(|name| !is_identifier(name)) {
        None => Ok(parameters),
        Some(name) => {
            let message = format!("`{}` is no name of a parameter", shown(name));
            let plain = name.strip_prefix(':').filter(|rest| is_identifier(rest));
            let hint = match plain {
                Some(plain) => format!("leave the colon out: \"{plain}\""),
                None => "names are ASCII letters, digits and _, and begin with no digit".to_owned(),
            };
            Err(KipError::new(KipCode::InvalidIdentifier, message).hint(hint))
        }
    }
}

fn flag(entries: &Parameters, key: &str) -> Result<bool, KipError> {
    match entries.get(key) {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(unfit(key, other, "true or false")),
    }
}

fn space(entries: &mut Parameters) -> Result<Option<String>, KipError> {
    match entries.remove("space") {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(name)),
        Some(other) => Err(unfit("space", &other, "a string")),
    }
}

fn format(entries: &Parameters) -> Result<Format, KipError> {
    match entries.get("format") {
        None => Ok(Format::Columns),
        Some(Value::String(text)) if text == "columns" => Ok(Format::Columns),
        Some(Value::String(text)) if text == "rows" => Ok(Format::Rows),
        Some(other) => Err(unfit("format", other, "\"columns\" or \"rows\"")),
    }
}

fn page_bytes(entries: &Parameters) -> Result<Option<usize>, KipError> {
    let Some(value) = entries.get("page_bytes") else { return Ok(None) };
    let bytes = value.as_number().and_then(|number| number.as_u64()).filter(|bytes| *bytes > 0);
    match bytes {
        Some(bytes) => Ok(Some(usize::try_from(bytes).unwrap_or(usize::MAX))),
        None => Err(unfit("page_bytes", value, "a whole number above 0")),
    }
}

fn check_keys(entries: &Parameters, known: &[&str], of: &str) -> Result<(), KipError> {
    let Some(key) = entries.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let error = wrong(format!("`{}` is no key of {of}", shown(key)));
    Err(match nearest(key, known.iter().copied()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint(format!("the keys are {}", one_of(known))),
    })
}

fn unfit(key: &str, value: &Value, wanted: &str) -> KipError {
    wrong(format!("`{key}` is {}, and {wanted} is needed", kind(value))).hint(format!("send {wanted}"))
}

fn wrong(message: impl Into<String>) -> KipError {
    KipError::new(KipCode::InvalidSyntax, message)
}
