//! What a field holds: the part of a field that may never change.

use std::collections::BTreeMap;

use cairn_base::Value;

use super::parse::{Parsing, Wrong};

/// Shapes inside shapes, at the most: an array of arrays of maps is three.
const LEVELS_MAX: usize = 8;

/// What a field, an item of an array or a value of a map holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The name of its type, as the bundle has it.
    pub type_name: String,
    /// What is done with it.
    pub kind: Kind,
    /// The enum whose labels stand for its numbers.
    pub enum_id: Option<String>,
    /// The type of a nested object.
    pub reference: Option<String>,
    /// What the items of an array hold.
    pub items: Option<Box<Shape>>,
    /// What the keys of a map are.
    pub key_type: Option<String>,
    /// What the values of a map hold.
    pub values: Option<Box<Shape>>,
}

/// How a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An integer of 64 bits.
    Wide,
    /// An integer of fewer bits.
    Integer,
    /// A float.
    Float,
    /// A text.
    Text,
    /// True or false.
    Bool,
    /// Bytes.
    Bytes,
    /// An array.
    Array,
    /// A map.
    Map,
    /// Milliseconds since 1970.
    UnixMillis,
    /// A nested object.
    Reference,
    /// Whatever it is.
    Any,
}

/// Every integer type, and what it can hold.
const INTEGERS: &[(&str, &str, i128, i128)] = &[
    ("u8", "uint8", 0, u8::MAX as i128),
    ("u16", "uint16", 0, u16::MAX as i128),
    ("u32", "uint32", 0, u32::MAX as i128),
    ("u64", "uint64", 0, u64::MAX as i128),
    ("i8", "int8", i8::MIN as i128, i8::MAX as i128),
    ("i16", "int16", i16::MIN as i128, i16::MAX as i128),
    ("i32", "int32", i32::MIN as i128, i32::MAX as i128),
    ("i64", "int64", i64::MIN as i128, i64::MAX as i128),
];

/// What an integer type can hold; `None` for other types.
pub(crate) fn integer_range(type_name: &str) -> Option<(i128, i128)> {
    let named = INTEGERS.iter().find(|(short, long, ..)| [short, long].contains(&&type_name));
    named.map(|(_, _, least, most)| (*least, *most))
}

/// Every other name of a type that means something here; any further one is shown as what it is.
const KINDS: &[(&str, Kind)] = &[
    ("f32", Kind::Float),
    ("float32", Kind::Float),
    ("f64", Kind::Float),
    ("float64", Kind::Float),
    ("string", Kind::Text),
    ("str", Kind::Text),
    ("bool", Kind::Bool),
    ("boolean", Kind::Bool),
    ("bytes", Kind::Bytes),
    ("binary", Kind::Bytes),
    ("typed_blob", Kind::Bytes),
    ("array", Kind::Array),
    ("map", Kind::Map),
    ("unix_ms", Kind::UnixMillis),
    ("time_ms", Kind::UnixMillis),
    ("timestamp_ms", Kind::UnixMillis),
    ("ref", Kind::Reference),
    ("nested", Kind::Reference),
];

fn kind_of(type_name: &str) -> Kind {
    if let Some((_, most)) = integer_range(type_name) {
        return if most > u32::MAX.into() { Kind::Wide } else { Kind::Integer };
    }
    KINDS.iter().find(|(name, _)| *name == type_name).map_or(Kind::Any, |(_, kind)| *kind)
}

impl Shape {
    /// Out of the entries of a field.
    pub(super) fn parse(at: &Parsing<'_>, entries: &BTreeMap<String, Value>) -> Result<Self, Wrong> {
        Shape::inside(at, entries, LEVELS_MAX)
    }

    /// Items and values are an object, or only the name of a type.
    fn nested(at: &Parsing<'_>, value: &Value, levels: usize) -> Result<Box<Self>, Wrong> {
        let levels = levels.checked_sub(1).ok_or_else(|| at.wrong("is nested too deeply"))?;
        let shape = match value {
            Value::String(_) => {
                let named = BTreeMap::from([("type".to_owned(), value.clone())]);
                Shape::inside(at, &named, levels)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Shape::inside(at, at.object(value)?, levels)
            }
        };
        shape.map(Box::new)
    }

    fn inside(at: &Parsing<'_>, entries: &BTreeMap<String, Value>, levels: usize) -> Result<Self, Wrong> {
        let type_name = at.name(entries, "type")?.ok_or_else(|| at.key("type").wrong("is missing"))?;
        let kind = kind_of(&type_name);
        let nested = |key: &str| {
            let value = entries.get(key).filter(|value| !value.is_null());
            value.map(|value| Shape::nested(&at.key(key), value, levels)).transpose()
        };
        let shape = Shape {
            kind,
            enum_id: at.name(entries, "enum")?,
            reference: at.name(entries, "ref")?,
            items: nested("items")?,
            key_type: at.name(entries, "key_type")?,
            values: nested("value_type")?,
            type_name,
        };
        if kind == Kind::Reference && shape.reference.is_none() {
            return Err(at.key("ref").wrong("is missing: it names the type of the nested object"));
        }
        Ok(shape)
    }

    /// As a bundle has it.
    pub(super) fn put(&self, entries: &mut BTreeMap<String, Value>) {
        let mut put = |key: &str, value: Option<Value>| {
            value.map(|value| entries.insert(key.to_owned(), value));
        };
        let text = |text: &Option<String>| text.as_deref().map(Value::from);
        put("type", Some(self.type_name.as_str().into()));
        put("enum", text(&self.enum_id));
        put("ref", text(&self.reference));
        put("items", self.items.as_deref().map(Shape::to_value));
        put("key_type", text(&self.key_type));
        put("value_type", self.values.as_deref().map(Shape::to_value));
    }

    fn to_value(&self) -> Value {
        let mut entries = BTreeMap::new();
        self.put(&mut entries);
        match entries.len() {
            1 => self.type_name.as_str().into(),
            _ => entries.into(),
        }
    }

    /// Every enum and every type that it names, itself and inside.
    pub(super) fn names(&self, enums: &mut Vec<String>, types: &mut Vec<String>) {
        enums.extend(self.enum_id.clone());
        types.extend(self.reference.clone());
        for inner in self.items.iter().chain(&self.values) {
            inner.names(enums, types);
        }
    }
}
