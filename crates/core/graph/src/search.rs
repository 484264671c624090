//! Search documents of concepts and links: the collections, and what of a record can be found.

use cairn_base::Value;
use cairn_search::document::{Collection, Document, Field, Role};

use crate::{Concept, Link};

/// What is known: one document per concept of a space. Its kind is the name of its type.
pub const CONCEPTS: Collection = Collection {
    number: 3,
    name: "concepts",
    fields: &[
        Field { name: "name", weight: 3.0, role: Role::Name },
        Field { name: "alias", weight: 2.0, role: Role::Name },
        Field { name: "description", weight: 1.5, role: Role::Text },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

/// What is said about links: one document per link of a space that has texts. Its kind is its predicate.
pub const LINKS: Collection = Collection {
    number: 4,
    name: "links",
    fields: &[
        Field { name: "predicate", weight: 1.0, role: Role::Text },
        Field { name: "text", weight: 1.0, role: Role::Text },
    ],
};

/// The collections of this memory.
pub const COLLECTIONS: &[Collection] = &[CONCEPTS, LINKS];

/// Other names of a concept: a text, or a list of them.
const ALIASES: &str = "aliases";
/// What a concept is, in a sentence.
const DESCRIPTION: &str = "description";

/// A concept as a document. `kind` is the name of its type.
pub fn concept_document(concept: &Concept, kind: &str) -> Document {
    let mut texts = vec![(0, concept.name.clone())];
    for (key, value) in &concept.attributes {
        let field = match key.as_str() {
            ALIASES => 1,
            DESCRIPTION => 2,
            _ => 3,
        };
        texts_in(value, &mut |text| texts.push((field, text.to_owned())));
    }
    Document {
        id: Document::id_of(concept.id.0),
        kind: kind.to_owned(),
        texts,
        time_ms: concept.updated_at_ms,
        ..Document::default()
    }
}

/// The texts that are written on a link, each with its field. A bare link has none, and no document: of those
/// there are too many, and they are found by their predicate.
pub fn link_texts(link: &Link) -> Vec<(u8, String)> {
    let mut texts = Vec::new();
    for value in link.attributes.values() {
        texts_in(value, &mut |text| texts.push((1, text.to_owned())));
    }
    texts
}

/// A link with its texts as a document.
pub fn link_document(link: &Link, mut texts: Vec<(u8, String)>, predicate: &str) -> Document {
    texts.insert(0, (0, predicate.replace('_', " ")));
    Document {
        id: Document::id_of(link.id.0),
        kind: predicate.to_owned(),
        texts,
        time_ms: link.updated_at_ms,
        ..Document::default()
    }
}

/// Every text of a value, at any depth.
fn texts_in(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) if !text.is_empty() => visit(text),
        Value::Array(items) => items.iter().for_each(|item| texts_in(item, visit)),
        Value::Object(entries) => entries.values().for_each(|item| texts_in(item, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
