//! SEARCH: from words to what they may mean.

use std::collections::{BTreeMap, HashMap};

use cairn_base::{ErrorCode, Number, SpaceId, Value};
use cairn_graph::spaces::check_named;
use cairn_graph::{Element, Link, LinkId, Meta, View};
use cairn_kip::tree::{ElementKind, Search};
use cairn_kip::{KipCode, KipError};
use cairn_query::{concept_info, unregistered};
use cairn_search::SearchError;
use cairn_search::found::Reason;
use cairn_search::index::SearchIndex;

use super::answer::told_apart;
use super::{Asking, Outcome};
use crate::graph::inside;
use crate::graph::search::{ElementHit, GraphQuestion};
use crate::{EngineError, limits};

/// The cause when a copied space does not have all its documents yet.
const PENDING: &str = "this space was copied just now and is still being indexed; use FIND meanwhile";

/// An object, as answers have it.
type Shown = BTreeMap<String, Value>;

impl Asking<'_> {
    pub(super) fn search(&self, space: SpaceId, search: &Search) -> Outcome {
        let question = match question(search) {
            Ok(question) => question,
            Err(error) => return Ok(Err(error)),
        };
        // Asked before the index is brought up to date: what is announced by now is in it then.
        if self.engine.documents_pending(self.tenant, space)? {
            return Err(EngineError::NoSearch { detail: PENDING.into() });
        }
        let consulted = self.engine.consult_under(self.permit, |index, snapshot, scope| {
            let scope = &inside(scope, space)?;
            check_named(snapshot, scope.tenant(), space)?;
            let view = View::of_snapshot(snapshot, *scope, &self.engine.memories.graph.cache);
            check_kind(&view, search)?;
            match search.of {
                ElementKind::Concept => concepts(&view, index, &question),
                ElementKind::Proposition => {
                    let hits = question.links(index, snapshot, scope)?;
                    links(&view, &hits)
                }
            }
        });
        let found = consulted.map(|consulted| consulted.answer).map_err(|error| about_query(error, search));
        told_apart(found.map(|shown| Value::Array(shown).into()))
    }
}

fn question(search: &Search) -> Result<GraphQuestion<'_>, KipError> {
    let limit = search.limit.as_ref().map(|limit| limit.given().copied()).transpose()?;
    let limit = limit.map_or(limits::SEARCH_PAGE_MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(GraphQuestion {
        text: search.term.given()?,
        kind: search.kind.as_ref().map(|kind| kind.given()).transpose()?.map(String::as_str),
        limit: limit.min(limits::SEARCH_PAGE_MAX),
    })
}

/// A type or predicate that nobody registered is a mistake, and not an empty answer.
fn check_kind(view: &View<'_>, search: &Search) -> Result<(), EngineError> {
    let Some(kind) = &search.kind else { return Ok(()) };
    let name = kind.given()?;
    let (meta, is_known) = match search.of {
        ElementKind::Concept => (Meta::Types, view.type_id(name)?.is_some()),
        ElementKind::Proposition => (Meta::Predicates, view.predicate_id(name)?.is_some()),
    };
    if is_known { Ok(()) } else { Err(unregistered(view, meta, name)?.at(kind.span).into()) }
}

/// What is wrong with the words is the command's fault.
fn about_query(error: EngineError, search: &Search) -> EngineError {
    let EngineError::Search(SearchError::Query(_) | SearchError::PrefixTooShort { .. }) = &error else {
        return error;
    };
    let is_long = error.code() == ErrorCode::TooLarge;
    let code = if is_long { KipCode::ResourceExhausted } else { KipCode::InvalidSyntax };
    KipError::new(code, error.to_string()).at(search.term.span).into()
}

fn concepts(
    view: &View<'_>,
    index: &SearchIndex,
    question: &GraphQuestion<'_>,
) -> Result<Vec<Value>, EngineError> {
    let hits = question.concepts(index, view.scope())?;
    let ids: Vec<_> = hits.iter().map(|hit| hit.id).collect();
    let kinds = view.types_of(&ids)?;
    let known: Vec<_> = ids.iter().zip(kinds).filter_map(|(id, kind)| Some((*id, kind?))).collect();
    let mut found = HashMap::with_capacity(known.len());
    view.concepts(&known, &mut |_, concept| found.extend(concept.map(|concept| (concept.id, concept))))?;
    let mut names = Names { view, known: HashMap::new() };
    let mut shown = Vec::with_capacity(hits.len());
    // What is gone since is left out.
    for (hit, concept) in hits.iter().filter_map(|hit| Some((hit, found.get(&hit.id)?))) {
        let info = concept_info(concept, names.of(concept.kind.0)?);
        shown.push(as_hit(info, "ConceptNode", concept.shown_metadata(), hit));
    }
    Ok(shown)
}

fn links(view: &View<'_>, hits: &[ElementHit<LinkId>]) -> Result<Vec<Value>, EngineError> {
    let ids: Vec<_> = hits.iter().map(|hit| hit.id).collect();
    let mut found: Vec<Option<Link>> = vec![None; ids.len()];
    view.links(&ids, &mut |at, link| found[at] = link)?;
    let mut names = Names { view, known: HashMap::new() };
    let ends =
        names.of_links(found.iter().flatten().flat_map(|link| [link.edge.subject, link.edge.object]))?;
    let mut shown = Vec::with_capacity(hits.len());
    for (hit, link) in hits.iter().zip(found).filter_map(|(hit, link)| Some((hit, link?))) {
        let predicate = names.of(link.edge.predicate.0)?;
        let end = |element: Element| {
            let predicate = ends.get(&element).map_or("", String::as_str);
            Value::String(cairn_graph::element_text(element, predicate))
        };
        let metadata = link.shown_metadata();
        let info = BTreeMap::from([
            ("id".to_owned(), Value::String(cairn_graph::link_text(link.id, predicate))),
            ("subject".to_owned(), end(link.edge.subject)),
            ("predicate".to_owned(), Value::String(predicate.to_owned())),
            ("object".to_owned(), end(link.edge.object)),
            ("attributes".to_owned(), Value::Object(link.attributes)),
        ]);
        shown.push(as_hit(info, "PropositionLink", metadata, hit));
    }
    Ok(shown)
}

/// An element as FIND shows it, with how well it fits and why it was found. Its metadata says what it is worth:
/// whether it was retracted, superseded or has expired.
fn as_hit<I>(mut info: Shown, kind: &str, mut metadata: Shown, hit: &ElementHit<I>) -> Value {
    let reason = |reason: &Reason| {
        let parts = [("field", reason.field), ("term", &reason.term), ("rule", reason.rule.name())];
        let parts = parts.map(|(name, text)| (name.to_owned(), Value::String(text.to_owned())));
        Value::Object(parts.into())
    };
    // More digits than that say nothing.
    let score = (hit.score * 10_000.0).round() / 10_000.0;
    let score = Number::from_f64(score).map_or(Value::Null, Value::Number);
    let reasons = Value::Array(hit.reasons.iter().map(reason).collect());
    // Nobody writes keys that begin so.
    metadata.insert("_score".to_owned(), score);
    metadata.insert("_reasons".to_owned(), reasons);
    info.insert("_type".to_owned(), Value::String(kind.to_owned()));
    info.insert("metadata".to_owned(), Value::Object(metadata));
    Value::Object(info)
}

/// Names of types and predicates, each read once.
struct Names<'v> {
    view: &'v View<'v>,
    known: HashMap<u64, String>,
}

impl Names<'_> {
    fn of(&mut self, id: u64) -> Result<&str, EngineError> {
        if !self.known.contains_key(&id) {
            let name = self.view.definition_name(id)?.unwrap_or_default();
            self.known.insert(id, name);
        }
        Ok(self.known.get(&id).map_or("", String::as_str))
    }

    /// The predicates of those elements that are links.
    fn of_links(
        &mut self,
        elements: impl Iterator<Item = Element>,
    ) -> Result<HashMap<Element, String>, EngineError> {
        let mut ids: Vec<LinkId> = elements
            .filter_map(|element| match element {
                Element::Link(id) => Some(id),
                Element::Concept(_) => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let mut predicates = vec![None; ids.len()];
        self.view.links(&ids, &mut |at, link| predicates[at] = link.map(|link| link.edge.predicate))?;
        let mut names = HashMap::with_capacity(ids.len());
        for (id, predicate) in ids.into_iter().zip(predicates) {
            let Some(predicate) = predicate else { continue };
            names.insert(Element::Link(id), self.of(predicate.0)?.to_owned());
        }
        Ok(names)
    }
}
