//! Announcing the elements of a copied space in the change feed, page by page, so that their documents are derived in
//! the background. Where that stands is stored in the transaction that announces a page.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use super::state::{self, SpaceState, state};
use crate::record::LinkHead;
use crate::tables::LINKS;
use crate::{ConceptId, GraphEvent, LinkId, Result, View, keys};

/// Links that are looked at for each one with text that a page has room for.
const LOOKED_AT: usize = 32;

/// Where announcing the elements of a copied space stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeriveProgress {
    /// There is more.
    More,
    /// Everything is announced.
    Done,
}

/// Elements of a copied space that one event announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopiedElements {
    /// Concepts that are there.
    pub concepts: Vec<ConceptId>,
    /// Links with text that are there.
    pub links: Vec<LinkId>,
}

/// Announces up to `page` concepts, or links with text, of a copied space. A space that is not a copy, or whose elements
/// are announced, is left alone.
pub fn derive_page(tx: &mut dyn WriteTx, scope: &Scope, page: usize) -> Result<DeriveProgress> {
    let page = page.max(1);
    match state(&*tx, scope.tenant(), scope.space())? {
        Some(SpaceState::DerivingConcepts(after)) => announce_concepts(tx, scope, after, page),
        Some(SpaceState::DerivingLinks(after)) => announce_links(tx, scope, after, page),
        Some(SpaceState::Staged | SpaceState::Dying | SpaceState::Abandoned) | None => {
            Ok(DeriveProgress::Done)
        }
    }
}

fn announce_concepts(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    after: ConceptId,
    page: usize,
) -> Result<DeriveProgress> {
    let (mut last, mut count) = (after, 0);
    View::new(&*tx, *scope).all_concepts(Some(after), &mut |id, _| {
        (last, count) = (id, count + 1);
        if count < page { Visit::Continue } else { Visit::Stop }
    })?;
    let next =
        if count < page { SpaceState::DerivingLinks(LinkId(0)) } else { SpaceState::DerivingConcepts(last) };
    if count > 0 {
        tx.emit(GraphEvent::ConceptsCopied(scope.space(), after, last).encode())?;
    }
    state::put(tx, scope.tenant(), scope.space(), next)?;
    Ok(DeriveProgress::More)
}

fn announce_links(tx: &mut dyn WriteTx, scope: &Scope, after: LinkId, page: usize) -> Result<DeriveProgress> {
    let (mut last, mut looked_at, mut count) = (after, 0, 0);
    let looked_at_max = page.saturating_mul(LOOKED_AT);
    links(&*tx, scope, after, None, &mut |id, has_text| {
        (last, looked_at, count) = (id, looked_at + 1, count + usize::from(has_text));
        if count < page && looked_at < looked_at_max { Visit::Continue } else { Visit::Stop }
    })?;
    if count > 0 {
        tx.emit(GraphEvent::LinksCopied(scope.space(), after, last).encode())?;
    }
    if count < page && looked_at < looked_at_max {
        state::finish(tx, scope.tenant(), scope.space())?;
        return Ok(DeriveProgress::Done);
    }
    state::put(tx, scope.tenant(), scope.space(), SpaceState::DerivingLinks(last))?;
    Ok(DeriveProgress::More)
}

/// The elements that an event announces, as far as they are still there. Other events announce none.
pub fn copied_elements(reader: &dyn Reader, scope: &Scope, event: GraphEvent) -> Result<CopiedElements> {
    let mut found = CopiedElements::default();
    match event {
        GraphEvent::ConceptsCopied(_, after, last) => {
            View::new(reader, *scope).all_concepts(Some(after), &mut |id, _| {
                if id > last {
                    return Visit::Stop;
                }
                found.concepts.push(id);
                Visit::Continue
            })?;
        }
        GraphEvent::LinksCopied(_, after, last) => {
            links(reader, scope, after, Some(last), &mut |id, has_text| {
                found.links.extend(has_text.then_some(id));
                Visit::Continue
            })?;
        }
        GraphEvent::ConceptChanged(..)
        | GraphEvent::ConceptDeleted(..)
        | GraphEvent::LinkChanged(..)
        | GraphEvent::LinkDeleted(..)
        | GraphEvent::SpaceCreated(_)
        | GraphEvent::SpacePublished(_)
        | GraphEvent::SpaceDeleted(_) => {}
    }
    Ok(found)
}

/// Visits links behind one, up to and with another, and says of each whether it has text.
fn links(
    reader: &dyn Reader,
    scope: &Scope,
    after: LinkId,
    last: Option<LinkId>,
    visit: &mut dyn FnMut(LinkId, bool) -> Visit,
) -> Result<()> {
    let mut range = KeyRange::prefix(&scope.key());
    range.low = Bound::Excluded(keys::link(scope, after).into_vec());
    if let Some(last) = last {
        range.high = Bound::Included(keys::link(scope, last).into_vec());
    }
    let mut verdict = Ok(());
    reader.multi_scan(LINKS, &[range], &mut |_, key, record| {
        let row = keys::last_number(key, "link").map(LinkId);
        match row.and_then(|id| Ok((id, LinkHead::parse(id, record)?.head.has_text))) {
            Ok((id, has_text)) => visit(id, has_text),
            Err(error) => {
                verdict = Err(error);
                Visit::Stop
            }
        }
    })?;
    verdict
}
