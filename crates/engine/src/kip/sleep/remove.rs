//! Removing what is past its time, a little at a time.
//!
//! Each transaction looks again: what somebody gave more time in between stays.

use cairn_access::Scope;
use cairn_base::limits;
use cairn_graph::{
    ConceptId, Deleted, Edge, Element, GraphError, LinkId, Lookup, Part, TypeId, View, Writer,
};
use cairn_seam::{Visit, WriteTx};

use super::expiry::{Expiry, KEY};
use crate::{Engine, EngineError};

/// Concepts of one type.
type Concepts = Vec<(ConceptId, TypeId)>;

impl Engine {
    /// Removes those of the links that are still past their time, and links about them.
    pub(super) fn sleep_remove_links(
        &self,
        scope: &Scope,
        now_ms: u64,
        links: &[LinkId],
    ) -> Result<Deleted, EngineError> {
        let mut removed = Deleted::default();
        for step in links.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let step = step.to_vec();
            removed.links += self.pipeline.step(scope, move |tx, scope| {
                let still = expired_links(&View::new(&*tx, *scope), &step, now_ms)?;
                write(tx, scope, now_ms, |writer| writer.delete_links(&still))
            })?;
        }
        Ok(removed)
    }

    /// Removes those of the concepts that are still past their time, with their links.
    pub(super) fn sleep_remove_concepts(
        &self,
        scope: &Scope,
        now_ms: u64,
        concepts: &[(ConceptId, TypeId)],
    ) -> Result<Deleted, EngineError> {
        let mut removed = Deleted::default();
        for step in concepts.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let mut left = step.to_vec();
            while !left.is_empty() {
                let these = left.clone();
                let (done, rest) =
                    self.pipeline.step(scope, move |tx, scope| remove_some(tx, scope, now_ms, &these))?;
                removed.concepts += done.concepts;
                removed.links += done.links;
                left = rest;
            }
        }
        Ok(removed)
    }

    /// Removes a type or predicate if it is still past its time; says whether it went: one that something
    /// follows stays.
    pub(super) fn sleep_remove_definition(
        &self,
        scope: &Scope,
        now_ms: u64,
        definition: (ConceptId, TypeId),
    ) -> Result<Option<Deleted>, EngineError> {
        match self.sleep_remove_concepts(scope, now_ms, &[definition]) {
            Ok(removed) => Ok(Some(removed)),
            Err(EngineError::Graph(GraphError::TypeInUse { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Removes as many as have room in a transaction, and gives those that are left. Of one that has more links
/// than there is room for, links go.
fn remove_some(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    concepts: &[(ConceptId, TypeId)],
) -> Result<(Deleted, Concepts), EngineError> {
    let view = View::new(&*tx, *scope);
    let still = expired_concepts(&view, concepts, now_ms)?;
    let mut room = limits::SLEEP_STEP_LINKS;
    let mut going = Vec::new();
    let mut links = Vec::new();
    for (id, _) in &still {
        let edges = links_of(&view, *id, room)?;
        if edges.len() == room {
            if going.is_empty() {
                links = edges;
            }
            break;
        }
        room -= edges.len();
        going.push(*id);
    }
    let left = still[going.len()..].to_vec();
    let deleted = write(tx, scope, now_ms, |writer| {
        if links.is_empty() {
            return writer.delete_concepts(&going);
        }
        Ok(Deleted { concepts: 0, links: writer.delete_links(&links)? })
    })?;
    Ok((deleted, left))
}

fn write<T>(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T, GraphError>,
) -> Result<T, EngineError> {
    let mut writer = Writer::new(tx, *scope, now_ms);
    let done = work(&mut writer)?;
    writer.finish()?;
    Ok(done)
}

/// At most so many links that begin or end at a concept, each once.
fn links_of(view: &View<'_>, id: ConceptId, room: usize) -> Result<Vec<LinkId>, EngineError> {
    let end = Element::Concept(id);
    let lookups =
        [Lookup::Out { subject: end, predicate: None }, Lookup::In { object: end, predicate: None }];
    let mut found = Vec::new();
    view.edges(&lookups, &mut |at, edge: &Edge| {
        // A link to itself was found already.
        if at == 0 || edge.subject != end {
            found.push(edge.link);
        }
        if found.len() < room { Visit::Continue } else { Visit::Stop }
    })?;
    Ok(found)
}

fn expired_concepts(
    view: &View<'_>,
    wanted: &[(ConceptId, TypeId)],
    now_ms: u64,
) -> Result<Concepts, EngineError> {
    let mut still = Vec::new();
    let mut verdict = Ok(());
    view.concept_views(wanted, &mut |at, record| {
        let Some(record) = record else { return };
        match record.value(Part::Metadata, &[KEY]) {
            Ok(value) if Expiry::of(value.as_ref(), now_ms).is_past() => still.push(wanted[at]),
            Ok(_) => {}
            Err(error) => verdict = Err(error),
        }
    })?;
    verdict?;
    Ok(still)
}

fn expired_links(view: &View<'_>, wanted: &[LinkId], now_ms: u64) -> Result<Vec<LinkId>, EngineError> {
    let mut still = Vec::new();
    let mut verdict = Ok(());
    view.link_views(wanted, &mut |at, record| {
        let Some(record) = record else { return };
        match record.value(Part::Metadata, &[KEY]) {
            Ok(value) if Expiry::of(value.as_ref(), now_ms).is_past() => still.push(wanted[at]),
            Ok(_) => {}
            Err(error) => verdict = Err(error),
        }
    })?;
    verdict?;
    Ok(still)
}
