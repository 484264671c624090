//! Pieces of trees without places, and ids that are known only when a graph is stored.

use cairn_base::Value;
use cairn_kip::tree::{
    Clause, ConceptMatch, Find, Group, Json, JsonNode, Path, Predicate, PropositionMatch, Slot, Term, Text,
    Triple,
};
use cairn_kip::{Span, Spanned};

pub(crate) fn here<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

pub(crate) fn text(text: &str) -> Text {
    here(text.to_owned())
}

pub(crate) fn slot(text: &str) -> Spanned<Slot<String>> {
    here(Slot::Is(text.to_owned()))
}

pub(crate) fn path(variable: &str, fields: &[&str]) -> Path {
    Path { variable: text(variable), fields: fields.iter().map(|field| text(field)).collect() }
}

pub(crate) fn concept_match(id: Option<&str>, kind: Option<&str>, name: Option<&str>) -> ConceptMatch {
    ConceptMatch { id: id.map(slot), kind: kind.map(slot), name: name.map(slot), span: Span::default() }
}

pub(crate) fn triple(subject: Term, predicate: Predicate, object: Term) -> PropositionMatch {
    PropositionMatch::Triple(Box::new(Triple { subject, predicate, object, span: Span::default() }))
}

/// A literal as the parser would read it.
pub(crate) fn literal(value: &Value) -> Json {
    let node = match value {
        Value::Null => JsonNode::Null,
        Value::Bool(value) => JsonNode::Bool(*value),
        Value::Number(number) => JsonNode::Number(*number),
        Value::String(text) => JsonNode::String(text.clone()),
        Value::Array(items) => JsonNode::Array(items.iter().map(literal).collect()),
        Value::Object(entries) => {
            JsonNode::Object(entries.iter().map(|(key, value)| (text(key), literal(value))).collect())
        }
    };
    Json { node, span: Span::default() }
}

/// The id of the concept at a place of the graph, until the graph is stored.
pub(crate) fn concept_at(place: usize) -> String {
    format!("@C:{place}")
}

/// The id of the link at a place of the graph, until the graph is stored.
pub(crate) fn link_at(place: usize) -> String {
    format!("@P:{place}")
}

/// Puts ids in the places of [`concept_at`] and [`link_at`].
pub(crate) fn name_ids(find: &mut Find, concepts: &[String], links: &[String]) {
    let mut name = |id: &mut Spanned<Slot<String>>| {
        let Slot::Is(text) = &mut id.node else { return };
        let named = |place: &str, ids: &[String]| {
            let place: usize = place.parse().unwrap();
            ids.get(place % ids.len().max(1)).cloned()
        };
        if let Some(place) = text.strip_prefix("@C:") {
            *text = named(place, concepts).unwrap_or_else(|| "C:999999".into());
        } else if let Some(place) = text.strip_prefix("@P:") {
            *text = named(place, links).unwrap_or_else(|| "P:999999:treats".into());
        }
    };
    in_group(&mut find.pattern, &mut name);
}

type Visitor<'a> = dyn FnMut(&mut Spanned<Slot<String>>) + 'a;

fn in_group(group: &mut Group, visit: &mut Visitor<'_>) {
    for clause in &mut group.clauses {
        match &mut clause.node {
            Clause::Concept { matcher, .. } => matcher.id.iter_mut().for_each(&mut *visit),
            Clause::Proposition { matcher, .. } => in_link(matcher, visit),
            Clause::Filter(_) => {}
            Clause::Optional(inner) | Clause::Not(inner) | Clause::Union(inner) => in_group(inner, visit),
        }
    }
}

fn in_link(matcher: &mut PropositionMatch, visit: &mut Visitor<'_>) {
    match matcher {
        PropositionMatch::Id { id, .. } => visit(id),
        PropositionMatch::Triple(triple) => {
            for term in [&mut triple.subject, &mut triple.object] {
                match term {
                    Term::Variable(_) => {}
                    Term::Concept { matcher, .. } => matcher.id.iter_mut().for_each(&mut *visit),
                    Term::Proposition { matcher, .. } => in_link(matcher, visit),
                }
            }
        }
    }
}
