//! Documents out of the graph: what of concepts and links can be found.

use std::collections::HashMap;
use std::sync::Arc;

use cairn_access::Scope;
use cairn_graph::search::{CONCEPTS, LINKS, concept_document, link_document, link_texts};
use cairn_graph::{ConceptId, Link, LinkId, View};
use cairn_seam::Reader;
use cairn_search::document::{Change, Document, Partition};

use super::partition;
use crate::EngineError;
use crate::search::in_spite_of_damage;

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
                Some(concept) => {
                    let kind = self.definition(concept.kind.0)?;
                    Change::Replace(concept_document(concept, &kind))
                }
                None => Change::Remove(Document::id_of(id.0)),
            };
            changes.push((home, change));
        }
        Ok(changes)
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
            let change = document.map_or_else(|| Change::Remove(Document::id_of(id.0)), Change::Replace);
            changes.push((home, change));
        }
        Ok(changes)
    }

    /// A link as a document, if anything is written on it.
    fn link(&mut self, link: &Link) -> Result<Option<Document>, EngineError> {
        let texts = link_texts(link);
        if texts.is_empty() {
            return Ok(None);
        }
        let predicate = self.definition(link.edge.predicate.0)?;
        Ok(Some(link_document(link, texts, &predicate)))
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
