//! Removing what has expired, a little at a time.
//!
//! Each transaction looks again: what was given more time in between stays. Of a concept whose links take
//! more than one transaction, those that went until then are gone, and are counted.

use cairn_access::Scope;
use cairn_seam::WriteTx;

use super::expiry::{Expiry, KEY};
use super::followers::{is_followed, links_of};
use crate::{ConceptId, Deleted, LinkId, Part, Result, TypeId, View, Writer, limits};

/// Counts of what one transaction removed, and the concepts that wait for the next one.
pub type RemovedAndLeft = (Deleted, Vec<(ConceptId, TypeId)>);

/// Removes those of the links that have still expired, and links about them. Returns how many went.
pub fn remove_expired_links(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    links: &[LinkId],
) -> Result<u64> {
    let still = expired_links(&View::new(&*tx, *scope), links, now_ms)?;
    write(tx, scope, now_ms, |writer| writer.delete_links(&still))
}

/// Removes as many of the concepts that have still expired as have room in a transaction, with their links,
/// and returns those that are left. Of one that has more links than there is room for, links go.
pub fn remove_expired_concepts(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    concepts: &[(ConceptId, TypeId)],
) -> Result<RemovedAndLeft> {
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

/// Removes a type or predicate if it has still expired, as [`remove_expired_concepts`] does. `None` if
/// something follows it: then it stays, with its links.
pub fn remove_expired_definition(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    definition: (ConceptId, TypeId),
) -> Result<Option<RemovedAndLeft>> {
    // Before the first link goes: later it would be too late to find out.
    if is_followed(&View::new(&*tx, *scope), definition, 0, |_| false)? {
        return Ok(None);
    }
    remove_expired_concepts(tx, scope, now_ms, &[definition]).map(Some)
}

fn write<T>(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    work: impl FnOnce(&mut Writer<'_>) -> Result<T>,
) -> Result<T> {
    let mut writer = Writer::new(tx, *scope, now_ms);
    let done = work(&mut writer)?;
    writer.finish()?;
    Ok(done)
}

fn expired_concepts(
    view: &View<'_>,
    wanted: &[(ConceptId, TypeId)],
    now_ms: u64,
) -> Result<Vec<(ConceptId, TypeId)>> {
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

fn expired_links(view: &View<'_>, wanted: &[LinkId], now_ms: u64) -> Result<Vec<LinkId>> {
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
