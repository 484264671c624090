//! Whether something still follows a type or predicate whose time is over.

use cairn_seam::Visit;

use crate::{
    ConceptId, Edge, Element, LinkId, Lookup, Meta, PredicateId, Result, Statistic, TypeId, View, limits,
};

/// Whether something follows a definition but for what goes, or goes with it: so many that are known to go, and
/// its own links. Of its own links that follow it no more than go in one transaction are looked at; with more
/// of them it stays.
///
/// Looking and removing both ask this, so that the first says what the second does.
pub(super) fn is_followed(
    view: &View<'_>,
    (id, kind): (ConceptId, TypeId),
    going: u64,
    is_going: impl Fn(LinkId) -> bool,
) -> Result<bool> {
    match Meta::of_kind(kind) {
        None => Ok(false),
        Some(Meta::Types) => Ok(view.count(Statistic::Type(TypeId(id.0)))? > going),
        Some(Meta::Predicates) => {
            let predicate = PredicateId(id.0);
            let others = view.count(Statistic::Predicate(predicate))?.saturating_sub(going);
            if others == 0 {
                return Ok(false);
            }
            let own = links_of(view, id, Some(predicate), limits::SLEEP_STEP_LINKS, is_going)?;
            Ok(others > own.len() as u64)
        }
    }
}

/// At most so many links that begin or end at a concept, each once, but for some.
pub(super) fn links_of(
    view: &View<'_>,
    id: ConceptId,
    predicate: Option<PredicateId>,
    room: usize,
    is_left_out: impl Fn(LinkId) -> bool,
) -> Result<Vec<LinkId>> {
    let end = Element::Concept(id);
    let lookups = [Lookup::Out { subject: end, predicate }, Lookup::In { object: end, predicate }];
    let mut found = Vec::new();
    view.edges(&lookups, &mut |at, edge: &Edge| {
        // A link to itself was found already.
        let is_new = at == 0 || edge.subject != end;
        if is_new && !is_left_out(edge.link) {
            found.push(edge.link);
        }
        if found.len() < room { Visit::Continue } else { Visit::Stop }
    })?;
    Ok(found)
}
