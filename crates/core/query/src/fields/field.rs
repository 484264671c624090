//! Fields of elements.

use cairn_graph::Part;
use cairn_kip::tree::Path;
use cairn_kip::{KipCode, KipError, Span};

use crate::cell::Cell;
use crate::limits;
use crate::plan::Slot;

/// One field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    /// All of it.
    Whole,
    Id,
    /// The type of a concept.
    Type,
    /// The name of a concept.
    Name,
    /// The ends and the predicate of a link.
    Subject,
    Predicate,
    Object,
    /// Attributes or metadata, or something inside.
    Inside(Part, Vec<String>),
}

impl Field {
    /// Whether the binding itself says it, so that no record is read.
    pub(crate) fn is_in(&self, cell: Cell) -> bool {
        match (cell, self) {
            (Cell::Null | Cell::Predicate(_), _) | (Cell::Concept(..), Field::Id | Field::Type) => true,
            // Concepts have none of these.
            (Cell::Concept(..), Field::Subject | Field::Predicate | Field::Object) => true,
            (Cell::Link(_), Field::Type | Field::Name) => true,
            (Cell::Concept(..) | Cell::Link(_), _) => false,
        }
    }
}

/// A field of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FieldOf {
    pub(crate) slot: Slot,
    pub(crate) field: Field,
}

impl FieldOf {
    /// What stands after the dots. Fails on a field that no element has.
    pub(crate) fn parse(slot: Slot, path: &Path) -> Result<Self, KipError> {
        let field = match path.fields.first() {
            None => Field::Whole,
            Some(first) => match (first.node.as_str(), &path.fields[1..]) {
                ("id", []) => Field::Id,
                ("type", []) => Field::Type,
                ("name", []) => Field::Name,
                ("subject", []) => Field::Subject,
                ("predicate", []) => Field::Predicate,
                ("object", []) => Field::Object,
                (part @ ("attributes" | "metadata"), keys) => {
                    let part = if part == "attributes" { Part::Attributes } else { Part::Metadata };
                    Field::Inside(part, keys.iter().map(|key| key.node.clone()).collect())
                }
                (known @ ("id" | "type" | "name" | "subject" | "predicate" | "object"), _) => {
                    return Err(unknown(path, format!("`{known}` has no fields of its own")));
                }
                (other, _) => {
                    return Err(unknown(path, format!("no concept and no link has a field `{other}`")));
                }
            },
        };
        Ok(FieldOf { slot, field })
    }
}

/// Refuses what names more fields than a command may: each is looked for in every row.
pub(crate) fn check_count(what: &str, count: usize, span: Option<Span>) -> Result<(), KipError> {
    let most = limits::KIP_FIELDS_MAX;
    if count <= most {
        return Ok(());
    }
    let error = KipError::new(KipCode::ResourceExhausted, format!("there are more than {most} {what}"));
    let error = error.hint("ask for whole elements, or in several commands");
    Err(match span {
        Some(span) => error.at(span),
        None => error,
    })
}

fn unknown(path: &Path, message: String) -> KipError {
    let span = path.fields.iter().fold(path.variable.span, |span, field| span.to(field.span));
    KipError::new(KipCode::InvalidSyntax, message)
        .hint(format!(
            "there are id, type, name, subject, predicate, object, attributes.<key> and metadata.<key>; \
             keys of your own are under ?{}.attributes",
            path.variable.node
        ))
        .at(span)
}
