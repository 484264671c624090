//! YAML as documents have it: mappings, lists and scalars with their lines, within limits. No anchors, no aliases, no
//! tags but those of the core schema, one document, each key of a mapping once.

mod error;
mod reader;
mod scalar;
mod write;

pub(crate) use error::YamlError;
pub(crate) use reader::{Next, Reader, Start, duplicate};
pub(crate) use scalar::Scalar;
pub(crate) use write::{write_scalar, write_text};

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The line where it begins, from 1.
    pub(crate) line: u32,
    pub(crate) kind: NodeKind,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeKind {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// An entry of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// The line of the key.
    pub(crate) line: u32,
    pub(crate) value: Node,
}

impl Node {
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar(scalar) if scalar.is_null())
    }

    /// Its text, if it is a scalar that is not null: as it is written, whatever it looks like.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::Scalar(scalar) if !scalar.is_null() => Some(&scalar.text),
            NodeKind::Scalar(_) | NodeKind::List(_) | NodeKind::Map(_) => None,
        }
    }

    /// The word for its kind, in messages.
    pub(crate) fn word(&self) -> &'static str {
        match &self.kind {
            NodeKind::Scalar(_) => "a single value",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "a mapping",
        }
    }
}
