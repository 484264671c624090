//! Removing what is past its time, a little at a time.
//!
//! Each transaction looks again: what somebody gave more time in between stays. Of a concept whose links take
//! more than one transaction, those that went until then are gone, and are counted.

use cairn_access::Scope;
use cairn_base::limits;
use cairn_graph::{ConceptId, Deleted, GraphError, LinkId, Part, PredicateId, TypeId, View, Writer};
use cairn_seam::WriteTx;

use super::expiry::{Expiry, KEY};
use super::followers::{is_followed, links_of};
use super::look::Look;
use crate::EngineError;

/// What it says it does between two transactions.
const REMOVING: &str = "removing";
/// Concepts of one type.
type Concepts = Vec<(ConceptId, TypeId)>;

impl Look<'_> {
    /// Removes those of the links that are still past their time, and links about them.
    pub(super) fn remove_links(&mut self, links: &[(LinkId, PredicateId)]) -> Result<(), EngineError> {
        let now_ms = self.now_ms;
        for step in links.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let step: Vec<LinkId> = step.iter().map(|(link, _)| *link).collect();
            self.report.removed_links +=
                self.engine.pipeline.deleting_step(&self.scope, move |tx, scope| {
                    let still = expired_links(&View::new(&*tx, *scope), &step, now_ms)?;
                    write(tx, scope, now_ms, |writer| writer.delete_links(&still))
                })?;
        }
        Ok(())
    }

    /// Removes those of the concepts that are still past their time, with their links.
    pub(super) fn remove_concepts(&mut self, concepts: &[(ConceptId, TypeId)]) -> Result<(), EngineError> {
        let now_ms = self.now_ms;
        for step in concepts.chunks(limits::SLEEP_STEP_ELEMENTS) {
            let mut left = step.to_vec();
            while !left.is_empty() {
                let these = left.clone();
                let work = move |tx: &mut dyn WriteTx, scope: &Scope| remove_some(tx, scope, now_ms, &these);
                let (done, rest) = self.engine.pipeline.deleting_step(&self.scope, work)?;
                self.count(done);
                left = rest;
                self.go_on(REMOVING)?;
            }
        }
        Ok(())
    }

    /// Removes a type or predicate if it is still past its time. One that something follows stays, with its
    /// links; then the answer is no.
    pub(super) fn remove_definition(&mut self, definition: (ConceptId, TypeId)) -> Result<bool, EngineError> {
        let now_ms = self.now_ms;
        loop {
            let step = self.engine.pipeline.deleting_step(&self.scope, move |tx, scope| {
                // Before the first link goes: later it would be too late to find out.
                if is_followed(&View::new(&*tx, *scope), definition, 0, |_| false)? {
                    return Ok(None);
                }
                remove_some(tx, scope, now_ms, &[definition]).map(Some)
            })?;
            let Some((done, rest)) = step else { return Ok(false) };
            self.count(done);
            if rest.is_empty() {
                return Ok(true);
            }
            self.go_on(REMOVING)?;
        }
    }

    fn count(&mut self, done: Deleted) {
        self.report.removed_concepts += done.concepts;
        self.report.removed_links += done.links;
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
        let edges = links_of(&view, *id, None, room, |_| false)?;
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
