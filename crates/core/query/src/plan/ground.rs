//! Concepts and links that a query names exactly, looked up all at once.

use std::collections::HashMap;

use cairn_graph::{ConceptId, Element, LinkId, TypeId, View, parse_id};
use cairn_kip::tree::{Clause, ConceptMatch, Group, Predicate, PropositionMatch, Slot, Term};
use cairn_kip::{KipCode, KipError, Spanned};

use super::Names;
use super::atom::Test;
use crate::cell::Cell;
use crate::{Result, limits};

/// What is there of all that a query names.
#[derive(Debug, Default)]
pub(crate) struct Grounding {
    exact: HashMap<(TypeId, String), Option<ConceptId>>,
    named: HashMap<String, Vec<Cell>>,
    ids: HashMap<ConceptId, Option<TypeId>>,
    links: HashMap<LinkId, Option<String>>,
    /// How many patterns there are: choosing their order takes the square of it.
    patterns: usize,
}

impl Grounding {
    /// Looks up everything that the pattern names, at any depth. Fails on names that are not registered,
    /// on what is not an id of its kind, and on more patterns than there may be before they are looked up.
    pub(crate) fn of(view: View<'_>, names: &mut Names<'_>, pattern: &Group) -> Result<Self> {
        let mut grounding = Grounding::default();
        grounding.gather_group(names, pattern)?;
        grounding.look_up(view)?;
        Ok(grounding)
    }

    /// Which concepts a matcher lets through. Fails if it names one that is not there, unless that only
    /// means that nothing matches.
    pub(crate) fn concepts(
        &self,
        names: &mut Names<'_>,
        matcher: &ConceptMatch,
        is_mandatory: bool,
    ) -> Result<Test> {
        if let Some(id) = &matcher.id {
            let concept = concept_id(id)?;
            let kind = self.ids.get(&concept).copied().flatten();
            let cell = kind.map(|kind| Cell::Concept(concept, kind));
            return exactly(cell, is_mandatory, || format!("there is no concept {concept}"), id);
        }
        let kind = matcher.kind.as_ref().map(|kind| names.kind(kind)).transpose()?;
        let Some(name) = &matcher.name else {
            return Ok(Test::Type(kind.ok_or_else(|| empty(matcher))?));
        };
        let text = name.given()?;
        let Some(kind) = kind else {
            return Ok(Test::OneOf(self.named.get(text).cloned().unwrap_or_default()));
        };
        let found = self.exact.get(&(kind, text.clone())).copied().flatten();
        let cell = found.map(|id| Cell::Concept(id, kind));
        let shown = matcher.kind.as_ref().map(Spanned::given).transpose()?.map_or("", String::as_str);
        let missing = || format!("there is no {shown} named '{text}'");
        if cell.is_none() && is_mandatory {
            let hint = names.absent_hint(kind, text)?;
            return Err(KipError::new(KipCode::NotFound, missing()).hint(hint).at(name.span).into());
        }
        exactly(cell, is_mandatory, missing, name)
    }

    /// The link of an id, in the same way.
    pub(crate) fn link(&self, id: &Spanned<Slot<String>>, is_mandatory: bool) -> Result<Test> {
        let (link, predicate) = link_id(id)?;
        let found = self.links.get(&link).cloned().flatten();
        let is_same = found.is_some_and(|found| predicate.is_none_or(|predicate| predicate == found));
        let cell = is_same.then_some(Cell::Link(link));
        exactly(cell, is_mandatory, || format!("there is no link {}", id.given().map_or("", |id| id)), id)
    }

    fn gather_group(&mut self, names: &mut Names<'_>, group: &Group) -> Result<()> {
        group.clauses.iter().try_for_each(|clause| match &clause.node {
            Clause::Concept { matcher, .. } => {
                self.count_pattern()?;
                self.gather_concept(names, matcher)
            }
            Clause::Proposition { matcher, .. } => self.gather_link(names, matcher),
            Clause::Filter(_) => Ok(()),
            Clause::Optional(group) | Clause::Not(group) | Clause::Union(group) => {
                self.gather_group(names, group)
            }
        })
    }

    fn count_pattern(&mut self) -> Result<()> {
        self.patterns += 1;
        if self.patterns <= limits::KIP_PATTERNS_MAX {
            return Ok(());
        }
        let message = format!("the command has more than {} patterns", limits::KIP_PATTERNS_MAX);
        Err(KipError::new(KipCode::ResourceExhausted, message)
            .hint("ask in several commands, or use IN for many names")
            .into())
    }

    fn gather_concept(&mut self, names: &mut Names<'_>, matcher: &ConceptMatch) -> Result<()> {
        if let Some(id) = &matcher.id {
            self.ids.insert(concept_id(id)?, None);
        }
        let kind = matcher.kind.as_ref().map(|kind| names.kind(kind)).transpose()?;
        let Some(name) = &matcher.name else { return Ok(()) };
        let name = name.given()?.clone();
        match kind {
            Some(kind) => drop(self.exact.insert((kind, name), None)),
            None => drop(self.named.insert(name, Vec::new())),
        }
        Ok(())
    }

    fn gather_link(&mut self, names: &mut Names<'_>, matcher: &PropositionMatch) -> Result<()> {
        self.count_pattern()?;
        let triple = match matcher {
            PropositionMatch::Id { id, .. } => {
                self.links.insert(link_id(id)?.0, None);
                return Ok(());
            }
            PropositionMatch::Triple(triple) => triple,
        };
        match &triple.predicate {
            Predicate::OneOf(predicates) => {
                refuse_many(predicates)?;
                for name in predicates {
                    names.predicate(name)?;
                }
            }
            Predicate::Path { name, .. } => drop(names.predicate(name)?),
            Predicate::Variable(_) => {}
        }
        [&triple.subject, &triple.object].into_iter().try_for_each(|term| match term {
            Term::Variable(_) => Ok(()),
            Term::Concept { variable, matcher } => {
                // Only a type is a part of the pattern around it.
                if variable.is_some() || matcher.id.is_some() || matcher.name.is_some() {
                    self.count_pattern()?;
                }
                self.gather_concept(names, matcher)
            }
            Term::Proposition { matcher, .. } => self.gather_link(names, matcher),
        })
    }

    fn look_up(&mut self, view: View<'_>) -> Result<()> {
        let wanted: Vec<(TypeId, String)> = self.exact.keys().cloned().collect();
        let borrowed: Vec<(TypeId, &str)> =
            wanted.iter().map(|(kind, name)| (*kind, name.as_str())).collect();
        let found = view.find_concepts(&borrowed)?;
        self.exact = wanted.into_iter().zip(found).collect();
        let ids: Vec<ConceptId> = self.ids.keys().copied().collect();
        let kinds = view.types_of(&ids)?;
        self.ids = ids.into_iter().zip(kinds).collect();
        for (name, cells) in &mut self.named {
            let found = view.concepts_named(name)?;
            cells.extend(found.into_iter().map(|(kind, id)| Cell::Concept(id, kind)));
        }
        self.look_up_links(view)
    }

    fn look_up_links(&mut self, view: View<'_>) -> Result<()> {
        let wanted: Vec<LinkId> = self.links.keys().copied().collect();
        let mut predicates = vec![None; wanted.len()];
        view.link_views(&wanted, &mut |at, record| {
            predicates[at] = record.and_then(|record| record.edge().map(|edge| edge.predicate));
        })?;
        for (link, predicate) in wanted.into_iter().zip(predicates) {
            let name = predicate.map(|predicate| view.definition_name(predicate.0)).transpose()?.flatten();
            self.links.insert(link, name);
        }
        Ok(())
    }
}

/// Each of the predicates is looked up, and estimated for each order of the patterns.
fn refuse_many<T>(predicates: &[Spanned<T>]) -> Result<()> {
    let Some(first_too_many) = predicates.get(limits::KIP_ALTERNATIVES_MAX) else { return Ok(()) };
    let message = format!("a pattern has more than {} predicates", limits::KIP_ALTERNATIVES_MAX);
    Err(KipError::new(KipCode::ResourceExhausted, message)
        .hint("put a variable in their place, as in (?a, ?p, ?b), and choose with FILTER(IN(?p, [...]))")
        .at(first_too_many.span)
        .into())
}

/// What an exact matcher lets through: one thing, or nothing where that is no mistake.
fn exactly<T>(
    cell: Option<Cell>,
    is_mandatory: bool,
    missing: impl FnOnce() -> String,
    at: &Spanned<T>,
) -> Result<Test> {
    if cell.is_none() && is_mandatory {
        return Err(KipError::new(KipCode::NotFound, missing()).at(at.span).into());
    }
    Ok(Test::OneOf(cell.into_iter().collect()))
}

fn concept_id(id: &Spanned<Slot<String>>) -> Result<ConceptId> {
    let text = id.given()?;
    match parse_id(text).map(|id| id.element) {
        Some(Element::Concept(id)) => Ok(id),
        Some(Element::Link(_)) => Err(not_an_id(text, "a link, and a concept is asked for", id)),
        None => Err(not_an_id(text, "not an id", id)),
    }
}

fn link_id(id: &Spanned<Slot<String>>) -> Result<(LinkId, Option<String>)> {
    let text = id.given()?;
    let parsed = parse_id(text);
    match parsed.map(|parsed| (parsed.element, parsed.predicate)) {
        Some((Element::Link(link), predicate)) => Ok((link, predicate)),
        Some((Element::Concept(_), _)) => Err(not_an_id(text, "a concept, and a link is asked for", id)),
        None => Err(not_an_id(text, "not an id", id)),
    }
}

fn not_an_id<T>(text: &str, what: &str, at: &Spanned<T>) -> crate::QueryError {
    KipError::new(KipCode::InvalidSyntax, format!("'{text}' is {what}"))
        .hint("ids of concepts are like C:7 and stand in {id: …}, those of links like P:9:treats in (id: …)")
        .at(at.span)
        .into()
}

/// The parser lets no matcher through that asks for nothing.
fn empty(matcher: &ConceptMatch) -> crate::QueryError {
    KipError::new(KipCode::InvalidSyntax, "a concept is matched by id, type, name, or type and name")
        .at(matcher.span)
        .into()
}
