//! Documents out of the graph: what of concepts and links can be found.

use std::collections::HashMap;
use std::sync::Arc;

use cairn_access::Scope;
use cairn_base::Value;
use cairn_graph::{Concept, ConceptId, Link, LinkId, Map, View};
use cairn_seam::Reader;
use cairn_search::document::{Change, Document, Partition};

use super::collections::{CONCEPTS, LINKS, id_of, partition};
use super::documents::in_spite_of_damage;
use crate::EngineError;

/// Other names of a concept: a text, or a list of them.
const ALIASES: &str = "aliases";
/// What a concept is, in a sentence.
const DESCRIPTION: &str = "description";

/// Makes the documents of one space, out of one snapshot.
pub(crate) struct GraphDocuments<'a> {
    view: View<'a>,
    scope: Scope,
    /// Names of types and predicates that were needed.
    definitions: HashMap<u64, Arc<str>>,
}

impl<'a> GraphDocuments<'a> {
    pub(crate) fn new(reader: &'a dyn Reader, scope: Scope) -> Self {
        GraphDocuments { view: View::new(reader, scope), scope, definitions: HashMap::new() }
    }

    /// What is now to be found of concepts.
    pub(crate) fn concepts(&mut self, ids: &[ConceptId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        in_spite_of_damage(ids, "concept", |ids| self.concept_changes(ids))
    }

    fn concept_changes(&mut self, ids: &[ConceptId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        let home = partition(&CONCEPTS, &self.scope);
        let kinds = self.view.types_of(ids)?;
        let known: Vec<_> = ids.iter().zip(kinds).filter_map(|(id, kind)| Some((*id, kind?))).collect();
        let mut found = HashMap::with_capacity(known.len());
        self.view.concepts(&known, &mut |_, concept| {
            found.extend(concept.map(|concept| (concept.id, concept)));
        })?;
        let mut changes = Vec::with_capacity(ids.len());
        for id in ids {
            let change = match found.get(id) {
                Some(concept) => Change::Replace(self.concept(concept)?),
                None => Change::Remove(id_of(id.0)),
            };
            changes.push((home, change));
        }
        Ok(changes)
    }

    fn concept(&mut self, concept: &Concept) -> Result<Document, EngineError> {
        let mut texts = vec![(0, concept.name.clone())];
        for (key, value) in &concept.attributes {
            let field = match key.as_str() {
                ALIASES => 1,
                DESCRIPTION => 2,
                _ => 3,
            };
            texts_in(value, &mut |text| texts.push((field, text.to_owned())));
        }
        Ok(Document {
            id: id_of(concept.id.0),
            kind: self.definition(concept.kind.0)?.to_string(),
            texts,
            time_ms: concept.updated_at_ms,
            ..Document::default()
        })
    }

    /// What is now to be found of links.
    pub(crate) fn links(&mut self, ids: &[LinkId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        in_spite_of_damage(ids, "link", |ids| self.link_changes(ids))
    }

    fn link_changes(&mut self, ids: &[LinkId]) -> Result<Vec<(Partition, Change)>, EngineError> {
        let home = partition(&LINKS, &self.scope);
        let mut found = vec![None; ids.len()];
        self.view.links(ids, &mut |place, link| found[place] = link)?;
        let mut changes = Vec::with_capacity(ids.len());
        for (id, link) in ids.iter().zip(found) {
            let document = link.map(|link| self.link(&link)).transpose()?.flatten();
            let change = document.map_or_else(|| Change::Remove(id_of(id.0)), Change::Replace);
            changes.push((home, change));
        }
        Ok(changes)
    }

    /// A link as a document, if anything is written on it: of bare links there are too many, and they are
    /// found by their predicate.
    fn link(&mut self, link: &Link) -> Result<Option<Document>, EngineError> {
        let mut texts = texts_of(&link.attributes);
        if texts.is_empty() {
            return Ok(None);
        }
        let predicate = self.definition(link.edge.predicate.0)?;
        texts.insert(0, (0, predicate.replace('_', " ")));
        Ok(Some(Document {
            id: id_of(link.id.0),
            kind: predicate.to_string(),
            texts,
            time_ms: link.updated_at_ms,
            ..Document::default()
        }))
    }

    /// The name of a type or predicate.
    pub(crate) fn definition(&mut self, id: u64) -> Result<Arc<str>, EngineError> {
        if let Some(known) = self.definitions.get(&id) {
            return Ok(Arc::clone(known));
        }
        let name: Arc<str> = self.view.definition_name(id)?.unwrap_or_default().into();
        self.definitions.insert(id, Arc::clone(&name));
        Ok(name)
    }
}

fn texts_of(attributes: &Map) -> Vec<(u8, String)> {
    let mut texts = Vec::new();
    for value in attributes.values() {
        texts_in(value, &mut |text| texts.push((1, text.to_owned())));
    }
    texts
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
