//! The graphs' part of a new index.

use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_access::Scope;
use cairn_base::{KeyReader, Position, SpaceId, TenantId};
use cairn_graph::{ConceptId, Element, Lookup, PredicateId, Statistic, View, tables};
use cairn_seam::{KeyRange, Snapshot, Visit};
use cairn_search::index::SearchIndex;

use super::feed::take_into;
use super::graph_documents::GraphDocuments;
use super::graph_feed::TOGETHER;
use crate::{Engine, EngineError};

/// Concepts, or links, that are looked at in one snapshot.
const PAGE: usize = 512;

/// Every space of every tenant in which something is known.
pub(crate) fn spaces(snapshot: &dyn Snapshot) -> Result<Vec<(TenantId, SpaceId)>, EngineError> {
    let mut spaces = Vec::new();
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    snapshot.multi_scan(tables::COUNTERS, &everything, &mut |_, key, _| {
        let mut parts = KeyReader::new(key);
        if let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) {
            spaces.push((tenant, space));
        }
        Visit::Continue
    })?;
    Ok(spaces)
}

/// How many concepts and links a space has.
pub(crate) fn size(snapshot: &dyn Snapshot, scope: Scope) -> Result<u64, EngineError> {
    let mut size = 0;
    View::new(snapshot, scope).statistics(&mut |statistic, count| {
        if matches!(statistic, Statistic::Type(_) | Statistic::Predicate(_)) {
            size += count;
        }
        Visit::Continue
    })?;
    Ok(size)
}

impl Engine {
    /// Fills an index with everything of a space that was there when it began.
    pub(super) fn rebuild_space(
        &self,
        index: &SearchIndex,
        scope: Scope,
        began: Position,
        done: &AtomicU64,
    ) -> Result<(), EngineError> {
        self.rebuild_concepts(index, scope, began, done)?;
        self.rebuild_links(index, scope, began, done)
    }

    fn rebuild_concepts(
        &self,
        index: &SearchIndex,
        scope: Scope,
        began: Position,
        done: &AtomicU64,
    ) -> Result<(), EngineError> {
        let mut after: Option<ConceptId> = None;
        loop {
            let snapshot = self.pipeline.store().snapshot(began)?;
            let mut page = Vec::new();
            View::new(&*snapshot, scope).all_concepts(after, &mut |id, _| {
                page.push(id);
                if page.len() < PAGE { Visit::Continue } else { Visit::Stop }
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(*last);
            let mut documents = GraphDocuments::new(&*snapshot, scope);
            for part in page.chunks(TOGETHER) {
                take_into(index, &documents.concepts(part)?, Position::START)?;
                done.fetch_add(part.len() as u64, Ordering::Relaxed);
                self.between_pages(index)?;
            }
        }
    }

    fn rebuild_links(
        &self,
        index: &SearchIndex,
        scope: Scope,
        began: Position,
        done: &AtomicU64,
    ) -> Result<(), EngineError> {
        let mut after: Option<(Element, PredicateId, Element)> = None;
        loop {
            let snapshot = self.pipeline.store().snapshot(began)?;
            let (mut page, mut last) = (Vec::new(), None);
            View::new(&*snapshot, scope).edges(&[Lookup::All { after }], &mut |_, edge| {
                page.push(edge.link);
                last = Some((edge.subject, edge.predicate, edge.object));
                if page.len() < PAGE { Visit::Continue } else { Visit::Stop }
            })?;
            if page.is_empty() {
                return Ok(());
            }
            after = last;
            let mut documents = GraphDocuments::new(&*snapshot, scope);
            for part in page.chunks(TOGETHER) {
                take_into(index, &documents.links(part)?, Position::START)?;
                done.fetch_add(part.len() as u64, Ordering::Relaxed);
                self.between_pages(index)?;
            }
        }
    }
}
