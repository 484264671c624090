//! Deleting concepts and links, and what cannot be without them.
//!
//! A link goes when one of its ends goes, and so do links about it. How far that leads is not known before, so
//! it goes in pages, and the limits of a transaction end what is too much.

use std::collections::{BTreeMap, BTreeSet};

use cairn_seam::{Visit, WriteTx};

use super::Writer;
use crate::statistics::Statistic;
use crate::tables::{CONCEPTS, HOMES, LINKS, NAMES, OPS, PSO, SPO};
use crate::{
    ConceptId, Edge, Element, GraphError, GraphEvent, LinkId, Lookup, Meta, PredicateId, RecordView, Result,
    TypeId, keys, protected,
};

/// Elements whose links are looked for at once.
const ELEMENTS_PAGE: usize = 256;
/// Links that are deleted at once.
const LINKS_PAGE: usize = 1024;

/// How much was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deleted {
    /// Concepts.
    pub concepts: u64,
    /// Links, those included that only went because an end of theirs did.
    pub links: u64,
}

impl Writer<'_> {
    /// Deletes concepts with all their links, and links about those. Numbers that no concept has count nothing.
    ///
    /// A type or predicate goes only when nothing is left that follows it.
    pub fn delete_concepts(&mut self, ids: &[ConceptId]) -> Result<Deleted> {
        self.stop_reading_ahead();
        let ids: BTreeSet<ConceptId> = ids.iter().copied().collect();
        let ids: Vec<ConceptId> = ids.into_iter().collect();
        let found = self.named_and_typed(&ids)?;
        if !self.is_privileged {
            found.iter().try_for_each(|(id, kind, name)| protected::check_delete(*id, *kind, name))?;
        }
        self.remove_entries(found.iter().map(|(id, kind, _)| (*id, *kind)))?;
        let links = self.detach(found.iter().map(|(id, ..)| Element::Concept(*id)).collect())?;
        let (definitions, others): (Vec<_>, Vec<_>) =
            found.iter().partition(|(_, kind, _)| Meta::of_kind(*kind).is_some());
        // What follows a definition may be deleted together with it.
        for (id, kind, name) in others.into_iter().chain(definitions) {
            self.remove_concept(*id, *kind, name)?;
        }
        Ok(Deleted { concepts: found.len() as u64, links })
    }

    /// Deletes links, and links about them; says how many. Numbers that no link has count nothing.
    pub fn delete_links(&mut self, ids: &[LinkId]) -> Result<u64> {
        self.stop_reading_ahead();
        let ids: BTreeSet<LinkId> = ids.iter().copied().collect();
        let ids: Vec<LinkId> = ids.into_iter().collect();
        let mut count = 0;
        for page in ids.chunks(LINKS_PAGE) {
            let mut edges: Vec<Edge> = Vec::with_capacity(page.len());
            self.view().link_views(page, &mut |_, record| {
                edges.extend(record.as_ref().and_then(RecordView::edge));
            })?;
            if !self.is_privileged {
                edges.iter().try_for_each(|edge| protected::check_link(edge.subject))?;
            }
            self.remove_links(&edges)?;
            count += edges.len() as u64;
            count += self.detach(edges.iter().map(|edge| Element::Link(edge.link)).collect())?;
        }
        Ok(count)
    }

    /// Those of the concepts that are there.
    fn named_and_typed(&self, ids: &[ConceptId]) -> Result<Vec<(ConceptId, TypeId, String)>> {
        let kinds = self.view().types_of(ids)?;
        let found: Vec<(ConceptId, TypeId)> =
            ids.iter().zip(kinds).filter_map(|(id, kind)| Some((*id, kind?))).collect();
        let names = self.view().names(&found)?;
        let with_name = |((id, kind), name): ((ConceptId, TypeId), Option<String>)| {
            let detail = || format!("an index knows {id}, which is not there");
            let name = name.ok_or_else(|| GraphError::BadRecord { what: "concept", detail: detail() })?;
            Ok((id, kind, name))
        };
        found.into_iter().zip(names).map(with_name).collect()
    }

    fn remove_concept(&mut self, id: ConceptId, kind: TypeId, name: &str) -> Result<()> {
        if let Some(meta) = Meta::of_kind(kind) {
            self.check_unused(meta, id, name)?;
            self.schema_changed(meta, id)?;
            if meta == Meta::Types {
                self.remove_indexes(TypeId(id.0))?;
            }
        }
        self.tx.delete(CONCEPTS, &keys::concept(&self.scope, kind, id))?;
        self.tx.delete(HOMES, &keys::home(&self.scope, id))?;
        self.tx.delete(NAMES, &keys::named(&self.scope, name, kind))?;
        self.tally.add(Statistic::Type(kind), -1);
        self.tx.emit(GraphEvent::ConceptDeleted(self.scope.space(), id).encode())?;
        Ok(())
    }

    fn check_unused(&self, meta: Meta, id: ConceptId, name: &str) -> Result<()> {
        let statistic = match meta {
            Meta::Types => Statistic::Type(TypeId(id.0)),
            Meta::Predicates => Statistic::Predicate(PredicateId(id.0)),
        };
        match self.tally.count(&self.tx, &self.scope, statistic)? {
            0 => Ok(()),
            count => Err(GraphError::TypeInUse { meta, name: name.to_owned(), count }),
        }
    }

    /// Deletes every link that begins or ends at one of these, and then at one of those links, and so on.
    fn detach(&mut self, mut waiting: Vec<Element>) -> Result<u64> {
        let mut count = 0;
        while !waiting.is_empty() {
            let page = waiting.split_off(waiting.len().saturating_sub(ELEMENTS_PAGE));
            let (edges, is_all) = self.links_of(&page)?;
            if !is_all {
                waiting.extend(page);
            }
            self.remove_links(&edges)?;
            count += edges.len() as u64;
            waiting.extend(edges.iter().map(|edge| Element::Link(edge.link)));
        }
        Ok(count)
    }

    /// Links that begin or end at one of these, each once, and whether those are all.
    fn links_of(&self, elements: &[Element]) -> Result<(Vec<Edge>, bool)> {
        let from = elements.iter().map(|end| Lookup::Out { subject: *end, predicate: None });
        let to = elements.iter().map(|end| Lookup::In { object: *end, predicate: None });
        let lookups: Vec<Lookup> = from.chain(to).collect();
        let mut found: BTreeMap<LinkId, Edge> = BTreeMap::new();
        self.view().edges(&lookups, &mut |_, edge| {
            found.insert(edge.link, *edge);
            if found.len() < LINKS_PAGE { Visit::Continue } else { Visit::Stop }
        })?;
        let is_all = found.len() < LINKS_PAGE;
        Ok((found.into_values().collect(), is_all))
    }

    /// Deletes links, and keeps the counts right.
    fn remove_links(&mut self, edges: &[Edge]) -> Result<()> {
        let ids: Vec<LinkId> = edges.iter().map(|edge| edge.link).collect();
        let mut searched = Vec::new();
        self.view().link_views(&ids, &mut |place, record| {
            if record.is_some_and(|record| record.has_text()) {
                searched.push(ids[place]);
            }
        })?;
        for edge in edges {
            let Edge { subject, predicate, object, link, .. } = *edge;
            self.tx.delete(LINKS, &keys::link(&self.scope, link))?;
            self.tx.delete(SPO, &keys::spo(&self.scope, subject, predicate, object))?;
            self.tx.delete(PSO, &keys::pso(&self.scope, subject, predicate, object))?;
            self.tx.delete(OPS, &keys::ops(&self.scope, subject, predicate, object))?;
            self.count_edge(edge, -1);
            self.note_lost_ends(edge);
        }
        for link in searched {
            self.tx.emit(GraphEvent::LinkDeleted(self.scope.space(), link).encode())?;
        }
        Ok(())
    }
}
