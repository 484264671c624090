//! Concepts and links as they are read.

use std::collections::BTreeMap;

use cairn_base::{Value, to_iso_utc};

use crate::{ConceptId, Element, LinkId, PredicateId, TypeId};

/// Attributes or metadata.
pub type Map = BTreeMap<String, Value>;

/// How often an element was written: 1 when it was made.
pub(crate) const VERSION_KEY: &str = "_version";
/// When it was made.
pub(crate) const CREATED_KEY: &str = "_created_at";
/// When it was written last.
pub(crate) const UPDATED_KEY: &str = "_updated_at";
/// What keys of metadata begin with that nobody but cairn writes.
pub(crate) const RESERVED_PREFIX: char = '_';

/// The two maps of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// What is known of it.
    Attributes,
    /// Where that comes from, and how much it is to be trusted.
    Metadata,
}

/// A link without what is written on it: all that the indexes know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// What something is said about.
    pub subject: Element,
    /// In which relation it stands.
    pub predicate: PredicateId,
    /// To what.
    pub object: Element,
    /// The link that says so.
    pub link: LinkId,
    /// The type of the subject; `None` if it is a link.
    pub subject_type: Option<TypeId>,
    /// The type of the object; `None` if it is a link.
    pub object_type: Option<TypeId>,
}

/// A concept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Concept {
    /// Its number.
    pub id: ConceptId,
    /// Its type.
    pub kind: TypeId,
    /// Its name, which no other concept of its type has.
    pub name: String,
    /// What is known of it.
    pub attributes: Map,
    /// Where that comes from, as it was written.
    pub metadata: Map,
    /// How often it was written: 1 when it was made.
    pub version: u64,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// When it was written last, in Unix milliseconds.
    pub updated_at_ms: u64,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its number.
    pub id: LinkId,
    /// What it says.
    pub edge: Edge,
    /// What more is known of it.
    pub attributes: Map,
    /// Where that comes from, as it was written.
    pub metadata: Map,
    /// How often it was written: 1 when it was made.
    pub version: u64,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// When it was written last, in Unix milliseconds.
    pub updated_at_ms: u64,
}

impl Concept {
    /// Its metadata, with what cairn itself knows: `_version`, `_created_at` and `_updated_at`.
    pub fn shown_metadata(&self) -> Map {
        shown(&self.metadata, self.version, self.created_at_ms, self.updated_at_ms)
    }
}

impl Link {
    /// Its metadata, with what cairn itself knows: `_version`, `_created_at` and `_updated_at`.
    pub fn shown_metadata(&self) -> Map {
        shown(&self.metadata, self.version, self.created_at_ms, self.updated_at_ms)
    }
}

pub(crate) fn shown(metadata: &Map, version: u64, created_at_ms: u64, updated_at_ms: u64) -> Map {
    let mut shown = metadata.clone();
    shown.insert(VERSION_KEY.into(), version.into());
    shown.insert(CREATED_KEY.into(), to_iso_utc(created_at_ms).into());
    shown.insert(UPDATED_KEY.into(), to_iso_utc(updated_at_ms).into());
    shown
}

/// Whether there is any text in the values of a map, at any depth: only then can it be searched for.
pub(crate) fn has_text(map: &Map) -> bool {
    fn in_value(value: &Value) -> bool {
        match value {
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => items.iter().any(in_value),
            Value::Object(entries) => has_text(entries),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    map.values().any(in_value)
}
