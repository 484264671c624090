//! Concepts and links as blocks of an UPSERT, and these as text.

use cairn_base::Value;
use cairn_graph::{Concept, GraphError, Link, Map};
use cairn_kip::tree::{
    Block, Command, ConceptBlock, Json, JsonNode, Object, PropositionBlock, PropositionMatch, Triple, Upsert,
};
use cairn_kip::{KipCode, KipError, KipForm, Span, Spanned, limits, one_line, write_line};

use super::ExportError;
use super::ends::matcher;

/// Brackets around a value in the attributes of a block.
const LEVELS_AROUND: usize = 3;

/// A concept, of a type of this name.
pub(super) fn concept(kind: &str, concept: Concept) -> Block {
    Block::Concept(ConceptBlock {
        handle: None,
        matcher: matcher(kind, concept.name),
        expect_version: None,
        attributes: content(concept.attributes),
        links: Vec::new(),
        metadata: content(concept.metadata),
    })
}

/// A link between these.
pub(super) fn link(triple: Triple, link: Link) -> Block {
    Block::Proposition(PropositionBlock {
        handle: None,
        matcher: PropositionMatch::Triple(Box::new(triple)),
        expect_version: None,
        attributes: content(link.attributes),
        metadata: content(link.metadata),
    })
}

/// What was written by somebody; what cairn itself knows is no part of it.
fn content(map: Map) -> Option<Object> {
    let json = |value| Json { node: JsonNode::Bound(value), span: Span::default() };
    let entries = map.into_iter().map(|(key, value)| (Spanned::new(key, Span::default()), json(value)));
    let entries: Vec<_> = entries.collect();
    (!entries.is_empty()).then(|| Object { entries, span: Span::default() })
}

/// Writes a block as a line.
pub(super) fn write(form: KipForm, block: Block, out: &mut Vec<u8>) -> Result<(), ExportError> {
    match form {
        KipForm::Lines => {
            let line = write_line(&block).ok_or_else(|| GraphError::BadRecord {
                what: "concept or link",
                detail: "it cannot be said in a line".into(),
            })?;
            out.extend_from_slice(line.as_bytes());
        }
        KipForm::Text => {
            check_levels(&block)?;
            let blocks = vec![Spanned::new(block, Span::default())];
            let command = Command::Upsert(vec![Upsert { blocks, metadata: None }]);
            out.extend_from_slice(one_line(&command).as_bytes());
        }
    }
    out.push(b'\n');
    Ok(())
}

/// Values may be nested more deeply than brackets of a command, because parameters bring them too.
fn check_levels(block: &Block) -> Result<(), ExportError> {
    let (attributes, metadata) = match block {
        Block::Concept(concept) => (&concept.attributes, &concept.metadata),
        Block::Proposition(link) => (&link.attributes, &link.metadata),
    };
    let mut values = [attributes, metadata].into_iter().flatten().flat_map(|object| &object.entries);
    let most = limits::KIP_LEVELS_MAX - LEVELS_AROUND;
    let is_deep = |value: &Json| matches!(&value.node, JsonNode::Bound(value) if !fits(value, most));
    let Some((key, _)) = values.find(|(_, value)| is_deep(value)) else { return Ok(()) };
    let message = format!(
        "a value `{}` is nested more than {most} levels deep, which no text of a command is",
        key.node
    );
    Err(KipError::new(KipCode::ResourceExhausted, message).hint("export as lines of JSON instead").into())
}

fn fits(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => true,
        (Value::Array(_) | Value::Object(_), None) => false,
        (Value::Array(items), Some(levels)) => items.iter().all(|item| fits(item, levels)),
        (Value::Object(entries), Some(levels)) => entries.values().all(|value| fits(value, levels)),
    }
}
