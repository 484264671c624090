//! Questions about the graph of a space: concepts by their words, and links by theirs.

use std::collections::HashMap;

use cairn_access::Scope;
use cairn_graph::search::{CONCEPTS, LINKS};
use cairn_graph::{ConceptId, LinkId, Lookup, PredicateId, View};
use cairn_seam::{Snapshot, Visit};
use cairn_search::SearchError;
use cairn_search::document::{Collection, Document, Field};
use cairn_search::found::{Hit, Reason};
use cairn_search::index::SearchIndex;
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};

use super::partition;
use crate::EngineError;

/// What a link is worth that was found by its predicate only, compared with the predicate.
const BY_PREDICATE: f64 = 0.8;
/// Predicates whose links are listed.
const PREDICATES_MAX: usize = 8;
/// The type of predicates.
const PREDICATE_KIND: &str = "$PropositionType";

/// Words that are looked for in a space.
pub(crate) struct GraphQuestion<'a> {
    pub(crate) text: &'a str,
    /// Only of this type, or of this predicate.
    pub(crate) kind: Option<&'a str>,
    pub(crate) limit: usize,
}

/// A concept or link that was found.
#[derive(Debug, Clone)]
pub(crate) struct ElementHit<I> {
    pub(crate) id: I,
    /// From 0 to 1.
    pub(crate) score: f64,
    pub(crate) reasons: Vec<Reason>,
}

impl GraphQuestion<'_> {
    /// The best concepts, the best first.
    pub(crate) fn concepts(
        &self,
        index: &SearchIndex,
        scope: &Scope,
    ) -> Result<Vec<ElementHit<ConceptId>>, EngineError> {
        let hits = self.hits(index, scope, &CONCEPTS, self.kind, self.limit)?;
        Ok(hits.into_iter().map(|hit| element(hit, ConceptId)).collect())
    }

    /// The best links, the best first: those that are written on, those whose predicate fits, and those whose ends are
    /// called so.
    pub(crate) fn links(
        &self,
        index: &SearchIndex,
        snapshot: &dyn Snapshot,
        scope: &Scope,
    ) -> Result<Vec<ElementHit<LinkId>>, EngineError> {
        let hits = self.hits(index, scope, &LINKS, self.kind, self.limit)?;
        let mut found: HashMap<LinkId, ElementHit<LinkId>> =
            hits.into_iter().map(|hit| element(hit, LinkId)).map(|hit| (hit.id, hit)).collect();
        if self.limit == 0 {
            return Ok(Vec::new());
        }
        let view = View::new(snapshot, *scope);
        // Nothing else is of a predicate that nobody knows.
        let only = self.kind.map(|kind| view.predicate_id(kind)).transpose()?;
        let by_predicates = self.links_of_predicates(index, &view, scope, only)?;
        let by_ends = match only {
            Some(None) => Vec::new(),
            only => self.links_of_ends(index, &view, scope, only.flatten())?,
        };
        for hit in by_predicates.into_iter().chain(by_ends) {
            let known = found.entry(hit.id).or_insert_with(|| hit.clone());
            known.score = known.score.max(hit.score);
            known.reasons.extend(hit.reasons);
            known.reasons.sort();
            known.reasons.dedup();
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.id.cmp(&right.id)));
        found.truncate(self.limit);
        Ok(found)
    }

    fn links_of_predicates(
        &self,
        index: &SearchIndex,
        view: &View<'_>,
        scope: &Scope,
        only: Option<Option<PredicateId>>,
    ) -> Result<Vec<ElementHit<LinkId>>, EngineError> {
        let predicates = self.hits(index, scope, &CONCEPTS, Some(PREDICATE_KIND), PREDICATES_MAX)?;
        let mut predicates: Vec<_> = predicates.into_iter().map(|hit| element(hit, PredicateId)).collect();
        if let Some(only) = only {
            predicates.retain(|hit| Some(hit.id) == only);
        }
        let lookups: Vec<_> =
            predicates.iter().map(|hit| Lookup::Predicate { predicate: hit.id, after: None }).collect();
        let mut counts = vec![0; predicates.len()];
        let mut found = Vec::new();
        view.edges(&lookups, &mut |at, edge| {
            if counts[at] == self.limit {
                return Visit::NextRange;
            }
            counts[at] += 1;
            let ElementHit { score, reasons, .. } = &predicates[at];
            let reason = |reason: &Reason| Reason { field: "predicate", ..reason.clone() };
            let reasons = reasons.iter().map(reason).collect();
            found.push(ElementHit { id: edge.link, score: score * BY_PREDICATE, reasons });
            Visit::Continue
        })?;
        Ok(found)
    }

    pub(super) fn hits(
        &self,
        index: &SearchIndex,
        scope: &Scope,
        collection: &Collection,
        kind: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Hit>, EngineError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let fields: Vec<_> = collection.fields.iter().map(|field: &Field| field.name).collect();
        let query = query::parse(self.text, &fields).map_err(SearchError::from)?;
        let filter = Filter { kinds: kind.map(str::to_owned).into_iter().collect(), ..Filter::default() };
        let partitions = vec![partition(collection, scope)];
        let request = Request { partitions, query, filter, limit, recency: Recency::default() };
        Ok(index.search(&request)?.hits)
    }
}

pub(super) fn element<I>(hit: Hit, id: impl FnOnce(u64) -> I) -> ElementHit<I> {
    ElementHit {
        id: id(Document::number_of(&hit.id)),
        score: hit.score.clamp(0.0, 1.0),
        reasons: hit.reasons,
    }
}
