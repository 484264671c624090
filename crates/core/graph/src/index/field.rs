//! Fields that can be indexed: how people write them, and what concepts have there.

use std::borrow::Cow;
use std::fmt;

use cairn_base::{Value, to_iso_utc};

use crate::element::{CREATED_KEY, UPDATED_KEY, VERSION_KEY};
use crate::name::check_length;
use crate::{Concept, GraphError, Map, Part, Result, limits};

/// A field of concepts, written like `attributes.dose`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexField {
    /// The map it is in.
    pub part: Part,
    /// The keys on the way to it.
    pub path: Vec<String>,
}

impl IndexField {
    /// Reads a field.
    pub fn parse(text: &str) -> Result<Self> {
        let bad = |rule| GraphError::BadIndexField { field: text.chars().take(64).collect(), rule };
        let (part, keys) = text.split_once('.').ok_or_else(|| bad("write attributes.KEY or metadata.KEY"))?;
        let part = match part {
            "attributes" => Part::Attributes,
            "metadata" => Part::Metadata,
            _ => return Err(bad("write attributes.KEY or metadata.KEY")),
        };
        let field = IndexField { part, path: keys.split('.').map(str::to_owned).collect() };
        field.check()?;
        Ok(field)
    }

    /// Whether there can be an index of it.
    pub fn check(&self) -> Result<()> {
        let bad = |rule| Err(GraphError::BadIndexField { field: self.to_string(), rule });
        if self.path.is_empty() {
            return bad("name a key of attributes or metadata");
        }
        if self.path.len() > limits::GRAPH_INDEX_PATH_KEYS_MAX {
            return bad("it has more than four keys");
        }
        self.path.iter().try_for_each(|key| check_length("key", key, limits::ELEMENT_KEY_BYTES_MAX))
    }
}

impl fmt::Display for IndexField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.part {
            Part::Attributes => "attributes",
            Part::Metadata => "metadata",
        })?;
        self.path.iter().try_for_each(|key| write!(f, ".{key}"))
    }
}

/// The value of a field of a concept, as [`RecordView::value`](crate::RecordView::value) has it.
pub(crate) fn value_of<'c>(concept: &'c Concept, part: Part, path: &[String]) -> Option<Cow<'c, Value>> {
    if let (Part::Metadata, [key]) = (part, path) {
        match key.as_str() {
            VERSION_KEY => return Some(Cow::Owned(concept.version.into())),
            CREATED_KEY => return Some(Cow::Owned(to_iso_utc(concept.created_at_ms).into())),
            UPDATED_KEY => return Some(Cow::Owned(to_iso_utc(concept.updated_at_ms).into())),
            _ => {}
        }
    }
    let map = match part {
        Part::Attributes => &concept.attributes,
        Part::Metadata => &concept.metadata,
    };
    inside(map, path).map(Cow::Borrowed)
}

fn inside<'m>(map: &'m Map, path: &[String]) -> Option<&'m Value> {
    let (first, rest) = path.split_first()?;
    rest.iter().try_fold(map.get(first)?, |value, key| match value {
        Value::Object(entries) => entries.get(key),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_are_written() {
        for text in ["attributes.dose", "metadata.source", "metadata._version", "attributes.a.b.c.d"] {
            assert_eq!(IndexField::parse(text).unwrap().to_string(), text);
        }
        let longest = format!("attributes.{}", "k".repeat(limits::ELEMENT_KEY_BYTES_MAX));
        assert!(IndexField::parse(&longest).is_ok());
        for text in [
            "",
            "attributes",
            "dose",
            "name",
            "attributes.",
            "attributes..a",
            "attributes.a.b.c.d.e",
            "type.x",
        ] {
            assert!(IndexField::parse(text).is_err(), "{text}");
        }
        assert!(IndexField::parse(&format!("{longest}k")).is_err());
        assert!(IndexField { part: Part::Attributes, path: Vec::new() }.check().is_err());
    }
}
