//! The way back: from JSON that people write to the dense bytes of a payload.
//!
//! The same JSON always gives the same bytes: tags in ascending order, every number in its shortest form.

use std::collections::BTreeMap;

use cairn_base::{MsgpackWriter, Number, Value, from_base64, from_iso, limits};

use super::object::tag_from;
use crate::registry::{Described, Kind, Labels, Shape, integer_range};

/// Something in a payload that does not fit its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Where, such as `parts[2].role`.
    pub at: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Most misfits that are told of.
const MISFITS_MAX: usize = 20;

/// Encodes a payload as a version of a type has it, or says everything that does not fit.
pub fn encode(payload: &Value, described: Described<'_>) -> Result<Vec<u8>, Vec<Misfit>> {
    let mut encoding = Encoding { out: MsgpackWriter::new(), misfits: Vec::new() };
    let top = Path::Top;
    match payload {
        Value::Object(entries) => encoding.object(entries, described, &top, limits::MSGPACK_LEVELS_MAX),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            encoding.misfit(&top, "must be an object of fields");
        }
    }
    if encoding.misfits.is_empty() { Ok(encoding.out.into_bytes()) } else { Err(encoding.misfits) }
}

/// Where in the payload.
enum Path<'a> {
    Top,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Path::Top => "payload".to_owned(),
            Path::Field(above, name) => format!("{}.{name}", above.text()),
            Path::Item(above, at) => format!("{}[{at}]", above.text()),
        }
    }
}

struct Encoding {
    out: MsgpackWriter,
    misfits: Vec<Misfit>,
}

impl Encoding {
    fn misfit(&mut self, at: &Path<'_>, problem: impl Into<String>) {
        if self.misfits.len() < MISFITS_MAX {
            self.misfits.push(Misfit { at: at.text(), problem: problem.into() });
        }
    }

    /// Fields by their names, and tags that the type does not know by their numbers.
    fn object(
        &mut self,
        entries: &BTreeMap<String, Value>,
        described: Described<'_>,
        at: &Path<'_>,
        levels: usize,
    ) {
        let mut by_tag: BTreeMap<u64, (&str, &Value)> = BTreeMap::new();
        for (name, value) in entries {
            let tag = match described.descriptor.named(name) {
                Some((tag, _)) => tag,
                None => match tag_from(name.as_bytes()) {
                    Some(tag) => tag,
                    None => {
                        self.misfit(&Path::Field(at, name), "is no field of this version of the type");
                        continue;
                    }
                },
            };
            if let Some((other, _)) = by_tag.insert(tag, (name, value)) {
                self.misfit(&Path::Field(at, name), format!("is the same field as `{other}`"));
            }
        }
        let Some(levels) = levels.checked_sub(1) else {
            return self.misfit(at, "is nested too deeply");
        };
        self.out.map(by_tag.len());
        for (tag, (name, value)) in by_tag {
            self.out.unsigned(tag);
            let at = Path::Field(at, name);
            let field = described.descriptor.fields.get(&tag).filter(|field| !field.tombstone);
            match field.and_then(|field| field.shape.as_ref().map(|shape| (shape, field.kind()))) {
                Some((shape, kind)) => self.value(value, shape, kind, described, &at, levels),
                None => self.any(value, &at, levels),
            }
        }
    }

    fn value(
        &mut self,
        value: &Value,
        shape: &Shape,
        kind: Kind,
        described: Described<'_>,
        at: &Path<'_>,
        levels: usize,
    ) {
        if value.is_null() {
            return self.out.nil();
        }
        if let Some(labels) = shape.enum_id.as_deref().and_then(|id| described.labels(id)) {
            return self.enum_value(value, labels, shape, at);
        }
        match (kind, value) {
            (Kind::Wide | Kind::Integer, _) => self.integer(value, &shape.type_name, at),
            (Kind::UnixMillis, _) => match value.as_str().and_then(from_iso) {
                Some(ms) => self.out.signed(ms),
                None => self.integer(value, &shape.type_name, at),
            },
            (Kind::Float, Value::Number(number)) => self.float(*number, &shape.type_name),
            (Kind::Text, Value::String(text)) => self.out.text(text),
            (Kind::Bool, Value::Bool(value)) => self.out.bool(*value),
            (Kind::Bytes, Value::String(text)) => match from_base64(text) {
                Some(bytes) => self.out.binary(&bytes),
                None => self.misfit(at, "is not base64 with padding"),
            },
            (Kind::Array, Value::Array(items)) => {
                let Some(levels) = levels.checked_sub(1) else {
                    return self.misfit(at, "is nested too deeply");
                };
                self.out.array(items.len());
                for (number, item) in items.iter().enumerate() {
                    let at = Path::Item(at, number);
                    match shape.items.as_deref() {
                        Some(of) => self.value(item, of, of.kind, described, &at, levels),
                        None => self.any(item, &at, levels),
                    }
                }
            }
            (Kind::Map, Value::Object(entries)) => {
                let Some(levels) = levels.checked_sub(1) else {
                    return self.misfit(at, "is nested too deeply");
                };
                self.out.map(entries.len());
                for (key, value) in entries {
                    let at = Path::Field(at, key);
                    self.key(key, shape.key_type.as_deref(), &at);
                    match shape.values.as_deref() {
                        Some(of) => self.value(value, of, of.kind, described, &at, levels),
                        None => self.any(value, &at, levels),
                    }
                }
            }
            (Kind::Reference, Value::Object(entries)) => {
                match shape.reference.as_deref().and_then(|id| described.referenced(id)) {
                    Some(nested) => self.object(entries, nested, at, levels),
                    None => self.any(value, at, levels),
                }
            }
            (Kind::Any, _) => self.any(value, at, levels),
            (
                Kind::Float
                | Kind::Text
                | Kind::Bool
                | Kind::Bytes
                | Kind::Array
                | Kind::Map
                | Kind::Reference,
                _,
            ) => {
                self.misfit(at, format!("must be {}", wanted(kind)));
            }
        }
    }

    fn enum_value(&mut self, value: &Value, labels: &Labels, shape: &Shape, at: &Path<'_>) {
        let Value::String(label) = value else { return self.integer(value, &shape.type_name, at) };
        match labels.iter().find(|(_, known)| *known == label) {
            Some((number, _)) => self.out.unsigned(*number),
            None => {
                let known: Vec<&str> = labels.values().map(String::as_str).take(MISFITS_MAX).collect();
                self.misfit(at, format!("is none of the labels {}", known.join(", ")));
            }
        }
    }

    /// A number, or a text of its digits.
    fn integer(&mut self, value: &Value, type_name: &str, at: &Path<'_>) {
        let number = match value {
            Value::Number(number) => whole(*number),
            Value::String(digits) => digits.parse::<i128>().ok().filter(|_| !digits.starts_with('+')),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let Some(number) = number else {
            return self.misfit(at, "must be an integer, or a text of its digits");
        };
        let (least, most) = range(type_name);
        if !(least..=most).contains(&number) {
            return self.misfit(at, format!("must be from {least} to {most} as `{type_name}`"));
        }
        match (u64::try_from(number), i64::try_from(number)) {
            (Ok(number), _) => self.out.unsigned(number),
            (_, Ok(number)) => self.out.signed(number),
            _ => self.misfit(at, "is out of range"),
        }
    }

    fn float(&mut self, number: Number, type_name: &str) {
        if type_name.contains("32") {
            self.out.float32(number.to_f64() as f32);
        } else {
            self.out.float64(number.to_f64());
        }
    }

    fn key(&mut self, key: &str, key_type: Option<&str>, at: &Path<'_>) {
        let is_number = key_type.is_some_and(|name| integer_range(name).is_some());
        if is_number {
            self.integer(&Value::from(key), key_type.unwrap_or_default(), at);
        } else {
            self.out.text(key);
        }
    }

    /// Whatever it is, as JSON has it.
    fn any(&mut self, value: &Value, at: &Path<'_>, levels: usize) {
        let Some(levels) = levels.checked_sub(1) else {
            return self.misfit(at, "is nested too deeply");
        };
        match value {
            Value::Null => self.out.nil(),
            Value::Bool(value) => self.out.bool(*value),
            Value::Number(number) if number.is_float() => self.out.float64(number.to_f64()),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => self.out.unsigned(number),
                (None, number) => self.out.signed(number.unwrap_or_default()),
            },
            Value::String(text) => self.out.text(text),
            Value::Array(items) => {
                self.out.array(items.len());
                for (number, item) in items.iter().enumerate() {
                    self.any(item, &Path::Item(at, number), levels);
                }
            }
            Value::Object(entries) => {
                self.out.map(entries.len());
                for (key, value) in entries {
                    self.out.text(key);
                    self.any(value, &Path::Field(at, key), levels);
                }
            }
        }
    }
}

fn whole(number: Number) -> Option<i128> {
    number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => "a number",
        Kind::Text => "a text",
        Kind::Bool => "true or false",
        Kind::Bytes => "a text of base64",
        Kind::Array => "an array",
        Kind::Map | Kind::Reference => "an object",
        Kind::Wide | Kind::Integer | Kind::UnixMillis => "an integer",
        Kind::Any => "a value",
    }
}

fn range(type_name: &str) -> (i128, i128) {
    integer_range(type_name).unwrap_or((i64::MIN.into(), u64::MAX.into()))
}
