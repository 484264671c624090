//! Ids of elements as clients see them. That of a link names its predicate, which only its record knows.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use cairn_graph::{Element, LinkId, PredicateId, View, concept_text, link_text};

use crate::Result;

/// Texts of ids and names of the schema, each looked up once.
pub(super) struct Texts<'v> {
    view: View<'v>,
    names: RefCell<HashMap<u64, Arc<str>>>,
    predicates: RefCell<HashMap<LinkId, PredicateId>>,
}

impl<'v> Texts<'v> {
    pub(super) fn new(view: View<'v>) -> Self {
        Texts { view, names: RefCell::default(), predicates: RefCell::default() }
    }

    /// The name of a type or predicate; empty if it is none any more.
    pub(super) fn name(&self, definition: u64) -> Result<Arc<str>> {
        if let Some(name) = self.names.borrow().get(&definition) {
            return Ok(Arc::clone(name));
        }
        let name: Arc<str> = self.view.definition_name(definition)?.unwrap_or_default().into();
        self.names.borrow_mut().insert(definition, Arc::clone(&name));
        Ok(name)
    }

    /// The predicate of a link is known from now on.
    pub(super) fn learn(&self, link: LinkId, predicate: PredicateId) {
        self.predicates.borrow_mut().insert(link, predicate);
    }

    /// Finds out what predicates these links have, as far as that is not known.
    pub(super) fn look_up(&self, links: impl Iterator<Item = LinkId>) -> Result<()> {
        let mut wanted: Vec<LinkId> = {
            let known = self.predicates.borrow();
            links.filter(|link| !known.contains_key(link)).collect()
        };
        wanted.sort_unstable();
        wanted.dedup();
        self.view.link_views(&wanted, &mut |at, record| {
            if let Some(edge) = record.as_ref().and_then(|record| record.edge()) {
                self.learn(wanted[at], edge.predicate);
            }
        })?;
        Ok(())
    }

    /// The id of an element; if it is a link, one that was looked up.
    pub(super) fn id(&self, element: Element) -> Result<String> {
        match element {
            Element::Concept(id) => Ok(concept_text(id)),
            Element::Link(id) => {
                let predicate = self.predicates.borrow().get(&id).copied();
                let name = predicate.map(|predicate| self.name(predicate.0)).transpose()?;
                Ok(link_text(id, name.as_deref().unwrap_or("")))
            }
        }
    }

    pub(super) fn forget_links(&self) {
        self.predicates.borrow_mut().clear();
    }
}
