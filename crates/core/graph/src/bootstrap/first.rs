//! Telling what a space began with from what was added to it since.

use std::collections::BTreeMap;

use super::{items, metadata};
use crate::{Concept, Link, Map, Result};

/// A type and a name.
pub type Named<'a> = (&'a str, &'a str);

/// What every space begins with. Whatever is still the same need not be carried into another space.
#[derive(Debug)]
pub struct FirstContent {
    /// By type and name: the attributes, and the domain.
    concepts: BTreeMap<(String, String), (Map, Option<String>)>,
    metadata: Map,
}

impl FirstContent {
    /// Reads the list.
    pub fn read() -> Result<Self> {
        let concepts =
            items()?.into_iter().map(|item| ((item.kind, item.name), (item.attributes, item.domain)));
        Ok(FirstContent { concepts: concepts.collect(), metadata: metadata() })
    }

    /// Whether every space has this very concept, given the name of its type.
    pub fn has_concept(&self, kind: &str, concept: &Concept) -> bool {
        let first = self.concepts.get(&(kind.to_owned(), concept.name.clone()));
        first.is_some_and(|(attributes, _)| *attributes == concept.attributes)
            && concept.metadata == self.metadata
    }

    /// Whether every space has this very link, given the names of its parts. Only concepts are linked at first.
    pub fn has_link(&self, subject: Named<'_>, predicate: &str, object: Named<'_>, link: &Link) -> bool {
        let first = self.concepts.get(&(subject.0.to_owned(), subject.1.to_owned()));
        let domain = first.and_then(|(_, domain)| domain.as_deref());
        predicate == "belongs_to_domain"
            && domain.is_some_and(|domain| object == ("Domain", domain))
            && link.attributes.is_empty()
            && link.metadata == self.metadata
    }
}
