//! The graphs' part of a new index.

use std::collections::HashSet;
use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{KeyReader, SpaceId, TenantId};
use cairn_graph::spaces::all_unfinished;
use cairn_graph::{ConceptId, Element, Lookup, PredicateId, Statistic, View, tables};
use cairn_seam::{KeyRange, Snapshot, Visit};

use super::TOGETHER;
use super::documents::GraphDocuments;
use crate::memory::Walk;
use crate::search::Filling;
use crate::{Engine, EngineError};

/// Concepts, or links, that are looked at in one snapshot.
const PAGE: usize = 512;

/// Every space of every tenant in which something is known, except for those that are staged or being deleted.
pub(crate) fn spaces(snapshot: &dyn Snapshot) -> Result<Vec<(TenantId, SpaceId)>, EngineError> {
    let hidden: HashSet<_> = all_unfinished(snapshot)?
        .into_iter()
        .filter(|(_, _, state)| state.is_hidden())
        .map(|(tenant, space, _)| (tenant, space))
        .collect();
    let mut spaces = Vec::new();
    let everything = [KeyRange::new(Bound::Unbounded, Bound::Unbounded)];
    snapshot.multi_scan(tables::COUNTERS, &everything, &mut |_, key, _| {
        let mut parts = KeyReader::new(key);
        if let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) {
            spaces.push((tenant, space));
        }
        Visit::Continue
    })?;
    spaces.retain(|space| !hidden.contains(space));
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

/// A walk over every concept and link of every space.
pub(super) struct Everything {
    spaces: Vec<(Scope, u64)>,
}

impl Everything {
    pub(super) fn of(engine: &Engine, snapshot: &dyn Snapshot) -> Result<Self, EngineError> {
        let mut found = Vec::new();
        for (tenant, space) in spaces(snapshot)? {
            let scope = engine.own_space(tenant, space)?;
            found.push((scope, size(snapshot, scope)?));
        }
        Ok(Everything { spaces: found })
    }
}

impl Walk for Everything {
    fn size(&self) -> u64 {
        self.spaces.iter().map(|(_, size)| *size).sum()
    }

    fn run(&mut self, filling: &Filling<'_>) -> Result<(), EngineError> {
        for (scope, _) in &self.spaces {
            concepts(*scope, filling)?;
            links(*scope, filling)?;
        }
        Ok(())
    }
}

fn concepts(scope: Scope, filling: &Filling<'_>) -> Result<(), EngineError> {
    let mut after: Option<ConceptId> = None;
    loop {
        let snapshot = filling.snapshot()?;
        let mut page = Vec::new();
        View::new(&*snapshot, scope).all_concepts(after, &mut |id, _| {
            page.push(id);
            if page.len() < PAGE { Visit::Continue } else { Visit::Stop }
        })?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(*last);
        let mut documents = GraphDocuments::new(&*snapshot, scope);
        for part in page.chunks(TOGETHER) {
            filling.add(&documents.concepts(part)?, part.len() as u64)?;
        }
    }
}

fn links(scope: Scope, filling: &Filling<'_>) -> Result<(), EngineError> {
    let mut after: Option<(Element, PredicateId, Element)> = None;
    loop {
        let snapshot = filling.snapshot()?;
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
            filling.add(&documents.links(part)?, part.len() as u64)?;
        }
    }
}
