//! `kb_search`: over the search index of the graph, in the space of the branch.

use cairn_access::Principal;
use cairn_graph::View;
use cairn_graph::search::CONCEPTS;
use cairn_kb::report::{self, Ranked, SEARCH_CANDIDATES};
use cairn_kb::tools::{EntityJson, SearchInput, SearchOutput, SearchResult};
use cairn_kb::{EntityType, NodeKey};
use cairn_search::SearchError;
use cairn_search::document::{Document, Field};
use cairn_search::query;
use cairn_search::request::{Filter, Recency, Request};

use super::KbTarget;
use super::open::Opened;
use super::state::{BranchState, space_scope};
use crate::{Engine, EngineError};

/// Hits of the index in a branch.
struct Hits {
    candidates: Vec<(NodeKey, f64)>,
    total: u64,
    behind: bool,
}

impl Engine {
    /// Returns entities by their words, best first. Without an index, or while it lacks documents of the branch, entities
    /// are found by their ids, titles, tags and metadata alone, and the result says so.
    pub fn kb_search(
        &self,
        principal: &Principal,
        target: &KbTarget,
        input: &SearchInput,
    ) -> Result<SearchOutput, EngineError> {
        self.kb_attempt(principal, target, |opened| self.kb_search_opened(opened, input))
    }

    fn kb_search_opened(&self, opened: &Opened, input: &SearchInput) -> Result<SearchOutput, EngineError> {
        report::check_search(input)?;
        let hits = match self.documents_pending(opened.held.tenant, opened.record.space)? {
            true => None,
            false => self.kb_hits(opened, input)?,
        };
        self.kb_read_opened(opened, |state, view| {
            let (ranked, behind) = match &hits {
                Some(hits) => {
                    (report::rank(&state.branch, input, &hits.candidates, hits.total)?, hits.behind)
                }
                None => (report::search_in_memory(&state.branch, input)?, true),
            };
            shown(state, view, input, ranked, behind)
        })
    }

    /// Asks the index; `None` if there is none to be asked.
    fn kb_hits(&self, opened: &Opened, input: &SearchInput) -> Result<Option<Hits>, EngineError> {
        let space = opened.record.space;
        let consulted = self.consult_under(opened.permit, |index, _, scope| {
            let scope = space_scope(scope, space)?;
            let fields: Vec<_> = CONCEPTS.fields.iter().map(|field: &Field| field.name).collect();
            let query = query::parse(&input.query, &fields).map_err(SearchError::from)?;
            let kinds = match input.kind {
                Some(kind) => vec![kind.concept_type().to_owned()],
                None => EntityType::ALL.iter().map(|kind| kind.concept_type().to_owned()).collect(),
            };
            let request = Request {
                partitions: vec![CONCEPTS.partition(scope.tenant(), scope.space())],
                query,
                filter: Filter { kinds, ..Filter::default() },
                limit: SEARCH_CANDIDATES,
                recency: Recency::default(),
            };
            Ok(index.search(&request)?)
        });
        match consulted {
            Ok(consulted) => {
                let behind = consulted.behind || consulted.rebuilding;
                let found = consulted.answer;
                let candidates = found
                    .hits
                    .iter()
                    .map(|hit| (NodeKey(Document::number_of(&hit.id)), hit.score.clamp(0.0, 1.0)));
                Ok(Some(Hits { candidates: candidates.collect(), total: found.total, behind }))
            }
            Err(EngineError::SearchOff | EngineError::NoSearch { .. }) => Ok(None),
            // Words that mean nothing to the index still may be an id.
            Err(EngineError::Search(SearchError::Query(_) | SearchError::PrefixTooShort { .. })) => {
                Ok(Some(Hits { candidates: Vec::new(), total: 0, behind: false }))
            }
            Err(error) => Err(error),
        }
    }
}

fn shown(
    state: &BranchState,
    view: &View<'_>,
    input: &SearchInput,
    ranked: Ranked,
    behind: bool,
) -> Result<SearchOutput, EngineError> {
    let keys: Vec<NodeKey> = ranked.page.iter().map(|hit| hit.key).collect();
    let wanted = state.wanted(&keys);
    let entities = cairn_kb::entities(view, &state.schema, &wanted)?;
    let mut results = Vec::with_capacity(entities.len());
    for (hit, entity) in ranked.page.into_iter().zip(entities) {
        // One that was deleted this moment is left out.
        let Some(mut entity) = entity else { continue };
        let (body_reasons, snippet) = report::body_match(&input.query, &entity);
        entity.attributes.remove("body");
        let reasons = hit.reasons.iter().chain(&body_reasons).map(|reason| (*reason).to_owned());
        let mut reasons: Vec<String> = reasons.collect();
        if reasons.is_empty() {
            // The index found it by a field that has no reason of its own.
            reasons.push("metadata match".to_owned());
        }
        results.push(SearchResult { entity: EntityJson::from(&entity), score: hit.score, reasons, snippet });
    }
    Ok(SearchOutput { results, count: ranked.count, behind })
}
