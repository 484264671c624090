//! What stands at the ends of links.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cairn_graph::{ConceptId, Edge, Element, GraphError, LinkId, Named, StoredLink, TypeId, View, limits};
use cairn_kip::tree::{ConceptMatch, Predicate, PropositionMatch, Slot, Term, Triple};
use cairn_kip::{KipCode, KipError, Span, Spanned};

use super::ExportError;

/// Finds the name of a type or predicate.
pub(super) type NameOf<'a> = &'a mut dyn FnMut(u64) -> Result<Arc<str>, ExportError>;

/// Names of the concepts that some links begin and end at.
pub(super) struct Ends(HashMap<ConceptId, (TypeId, String)>);

impl Ends {
    /// Asks for all of them at once.
    pub(super) fn of(view: &View<'_>, links: &[StoredLink]) -> Result<Self, ExportError> {
        let mut wanted = BTreeSet::new();
        for edge in links.iter().map(StoredLink::edge) {
            wanted.extend(concept(edge.subject, edge.subject_type));
            wanted.extend(concept(edge.object, edge.object_type));
        }
        let wanted: Vec<_> = wanted.into_iter().collect();
        let mut found = HashMap::with_capacity(wanted.len());
        view.concept_views(&wanted, &mut |at, record| {
            let (id, kind) = wanted[at];
            if let Some(name) = record.and_then(|record| record.name().map(str::to_owned)) {
                found.insert(id, (kind, name));
            }
        })?;
        Ok(Ends(found))
    }

    /// What a link says, in names.
    pub(super) fn triple(
        &self,
        view: &View<'_>,
        edge: &Edge,
        name_of: NameOf<'_>,
    ) -> Result<Triple, ExportError> {
        let mut writing = Writing { ends: self, view, name_of, inside: 0, link: edge.link };
        writing.triple(edge, 0)
    }
}

struct Writing<'a, 'v> {
    ends: &'a Ends,
    view: &'a View<'v>,
    name_of: NameOf<'a>,
    /// Links inside so far.
    inside: usize,
    /// The link that is written.
    link: LinkId,
}

impl Writing<'_, '_> {
    fn triple(&mut self, edge: &Edge, level: usize) -> Result<Triple, ExportError> {
        Ok(Triple {
            subject: self.end(edge.subject, edge.subject_type, level)?,
            predicate: Predicate::OneOf(vec![text(&(self.name_of)(edge.predicate.0)?)]),
            object: self.end(edge.object, edge.object_type, level)?,
            span: Span::default(),
        })
    }

    fn end(&mut self, end: Element, kind: Option<TypeId>, level: usize) -> Result<Term, ExportError> {
        let link = match end {
            Element::Concept(id) => return self.concept(id, kind),
            Element::Link(id) => id,
        };
        self.inside += 1;
        // None that is made now; one of an older version of cairn, perhaps.
        if self.inside > limits::LINKS_INSIDE_MAX || level >= limits::LINK_LEVELS_MAX {
            let message = format!(
                "{} is about links that are about links, more of them than one command says",
                self.link
            );
            let hint = "delete it, or select other links with a WHERE";
            return Err(KipError::new(KipCode::ResourceExhausted, message).hint(hint).into());
        }
        let mut edge = None;
        self.view.link_views(&[link], &mut |_, record| {
            edge = record.and_then(|record| record.edge().copied());
        })?;
        let triple = self.triple(&edge.ok_or_else(|| missing(end))?, level + 1)?;
        Ok(Term::Proposition { variable: None, matcher: PropositionMatch::Triple(Box::new(triple)) })
    }

    fn concept(&mut self, id: ConceptId, kind: Option<TypeId>) -> Result<Term, ExportError> {
        let (kind, name) = match self.ends.0.get(&id) {
            Some((kind, name)) => (*kind, name.clone()),
            // An end of a link inside of another one.
            None => {
                let kind = kind.ok_or_else(|| missing(id.into()))?;
                let mut found = None;
                self.view.concept_views(&[(id, kind)], &mut |_, record| {
                    found = record.and_then(|record| record.name().map(str::to_owned));
                })?;
                (kind, found.ok_or_else(|| missing(id.into()))?)
            }
        };
        let kind = (self.name_of)(kind.0)?;
        Ok(Term::Concept { variable: None, matcher: matcher(&kind, name) })
    }
}

/// Names one concept.
pub(super) fn matcher(kind: &str, name: String) -> ConceptMatch {
    let name = Spanned::new(Slot::Is(name), Span::default());
    ConceptMatch { id: None, kind: Some(text(kind)), name: Some(name), span: Span::default() }
}

/// The type and name of an end that is a concept.
pub(super) fn named(term: &Term) -> Option<Named<'_>> {
    let Term::Concept { matcher, .. } = term else { return None };
    let kind = matcher.kind.as_ref()?.given().ok()?;
    let name = matcher.name.as_ref()?.given().ok()?;
    Some((kind.as_str(), name.as_str()))
}

fn concept(end: Element, kind: Option<TypeId>) -> Option<(ConceptId, TypeId)> {
    match end {
        Element::Concept(id) => kind.map(|kind| (id, kind)),
        Element::Link(_) => None,
    }
}

fn text(text: &str) -> Spanned<Slot<String>> {
    Spanned::new(Slot::Is(text.to_owned()), Span::default())
}

fn missing(end: Element) -> ExportError {
    let detail = format!("its end {} is not there", cairn_graph::element_text(end, ""));
    GraphError::BadRecord { what: "link", detail }.into()
}
