//! Links by the names of their ends.
//!
//! Nothing of it is in the index: concepts are found by their names, and their links are read from the graph. So a
//! link is found by its ends as soon as it is written, and a concept with many links costs the index nothing.

use std::collections::HashMap;

use cairn_access::Scope;
use cairn_graph::search::CONCEPTS;
use cairn_graph::{ConceptId, Element, LinkId, Lookup, Meta, PredicateId, View};
use cairn_seam::Visit;
use cairn_search::found::Reason;
use cairn_search::index::SearchIndex;

use super::ask::{ElementHit, GraphQuestion, element};
use crate::EngineError;

/// Concepts whose links are looked at.
const ENDS_MAX: usize = 16;
/// Links that are looked at in each direction of each of them.
const LINKS_MAX: usize = 256;
/// What a link is worth both of whose ends are named, compared with these.
const BY_BOTH: f64 = 0.9;
/// What it is worth if one of them is.
const BY_ONE: f64 = 0.4;
/// Where names stand; what else is said about a concept says nothing about its links.
const NAMES: [&str; 2] = ["name", "alias"];

impl GraphQuestion<'_> {
    /// Links whose ends are called so, of one predicate if that is given.
    pub(super) fn links_of_ends(
        &self,
        index: &SearchIndex,
        view: &View<'_>,
        scope: &Scope,
        predicate: Option<PredicateId>,
    ) -> Result<Vec<ElementHit<LinkId>>, EngineError> {
        let ends = self.ends(index, view, scope)?;
        let mut concepts: Vec<ConceptId> = ends.keys().copied().collect();
        concepts.sort_unstable();
        let lookups: Vec<Lookup> = concepts
            .iter()
            .flat_map(|concept| {
                let end = Element::Concept(*concept);
                [Lookup::Out { subject: end, predicate }, Lookup::In { object: end, predicate }]
            })
            .collect();
        let mut counts = vec![0; lookups.len()];
        let mut found: HashMap<LinkId, ElementHit<LinkId>> = HashMap::new();
        view.edges(&lookups, &mut |at, edge| {
            if counts[at] == LINKS_MAX {
                return Visit::NextRange;
            }
            counts[at] += 1;
            found.entry(edge.link).or_insert_with(|| {
                let named = |end: Element| match end {
                    Element::Concept(concept) => ends.get(&concept),
                    Element::Link(_) => None,
                };
                hit(edge.link, named(edge.subject), named(edge.object))
            });
            Visit::Continue
        })?;
        Ok(found.into_values().collect())
    }

    /// Concepts that are called so. What defines types and predicates is not what propositions are about.
    fn ends(
        &self,
        index: &SearchIndex,
        view: &View<'_>,
        scope: &Scope,
    ) -> Result<HashMap<ConceptId, ElementHit<ConceptId>>, EngineError> {
        let mut hits: Vec<ElementHit<ConceptId>> = self
            .hits(index, scope, &CONCEPTS, None, ENDS_MAX)?
            .into_iter()
            .map(|hit| element(hit, ConceptId))
            .collect();
        hits.iter_mut().for_each(|hit| hit.reasons.retain(|reason| NAMES.contains(&reason.field)));
        hits.retain(|hit| !hit.reasons.is_empty());
        let ids: Vec<ConceptId> = hits.iter().map(|hit| hit.id).collect();
        let kinds = view.types_of(&ids)?;
        let hits = hits.into_iter().zip(kinds);
        let of_things = hits.filter(|(_, kind)| kind.is_some_and(|kind| Meta::of_kind(kind).is_none()));
        Ok(of_things.map(|(hit, _)| (hit.id, hit)).collect())
    }
}

fn hit(
    link: LinkId,
    subject: Option<&ElementHit<ConceptId>>,
    object: Option<&ElementHit<ConceptId>>,
) -> ElementHit<LinkId> {
    let score = match (subject, object) {
        (Some(subject), Some(object)) => BY_BOTH * (subject.score + object.score) / 2.0,
        (one, other) => BY_ONE * one.or(other).map_or(0.0, |end| end.score),
    };
    let ends = [("subject", subject), ("object", object)];
    let reasons = ends
        .into_iter()
        .filter_map(|(field, end)| Some((field, end?)))
        .flat_map(|(field, end)| end.reasons.iter().map(move |reason| Reason { field, ..reason.clone() }));
    ElementHit { id: link, score, reasons: reasons.collect() }
}
