//! What a WHERE selects, and what that needs.

use std::collections::BTreeSet;
use std::ops::Bound;

use cairn_base::Clock;
use cairn_graph::{ConceptId, Edge, Element, LinkId, TypeId, View};
use cairn_kip::tree::{Command, Find, Text};
use cairn_kip::{KipCode, KipError, Span, parse};

use super::{ExportError, KipSelection};
use crate::{Allowance, Budget, QueryError, matches};

/// Elements whose needs are looked for in one page.
const PAGE: usize = 8_000;

/// Numbers to be written, and up to which they were looked at; `None` when there are no more.
pub(super) type Numbers<T, N> = (Vec<T>, Option<N>);

/// Numbers of concepts and links: 16 bytes or so for each.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    concepts: BTreeSet<ConceptId>,
    links: BTreeSet<LinkId>,
    /// What these need is not known yet.
    waiting: Vec<Element>,
}

impl Chosen {
    /// What the pattern binds its variables to.
    pub(super) fn find(
        view: &View<'_>,
        selection: &KipSelection,
        clock: &dyn Clock,
    ) -> Result<Self, ExportError> {
        let (find, variables) = understood(selection)?;
        let mut chosen = Chosen::default();
        let mut budget = Budget::new(clock, Allowance::default());
        for variable in &variables {
            let found =
                matches(view, &find.pattern, variable, None, &mut budget).map_err(|error| match error {
                    QueryError::Kip(error) => ExportError::from(placed(error, selection)),
                    QueryError::Store(error) => error.into(),
                })?;
            found.into_iter().for_each(|element| chosen.add(element));
        }
        Ok(chosen)
    }

    fn add(&mut self, element: Element) {
        let is_new = match element {
            Element::Concept(id) => self.concepts.insert(id),
            Element::Link(id) => self.links.insert(id),
        };
        if is_new {
            self.waiting.push(element);
        }
    }

    /// Finds what a part of the chosen needs; says whether that was all.
    pub(super) fn collect(&mut self, view: &View<'_>) -> Result<bool, ExportError> {
        let some = self.waiting.split_off(self.waiting.len().saturating_sub(PAGE));
        let (mut concepts, mut links) = (Vec::new(), Vec::new());
        for element in some {
            match element {
                Element::Concept(id) => concepts.push(id),
                Element::Link(id) => links.push(id),
            }
        }
        let mut needed: Vec<Element> = Vec::new();
        for kind in view.types_of(&concepts)?.into_iter().flatten() {
            needed.push(kind.concept().into());
        }
        view.link_views(&links, &mut |_, record| {
            if let Some(Edge { subject, predicate, object, .. }) =
                record.and_then(|record| record.edge().copied())
            {
                needed.extend([subject, predicate.concept().into(), object]);
            }
        })?;
        needed.into_iter().for_each(|element| self.add(element));
        Ok(self.waiting.is_empty())
    }

    /// Concepts behind one with their types, and behind which to go on.
    pub(super) fn concepts_after(
        &self,
        view: &View<'_>,
        after: Option<ConceptId>,
        most: usize,
    ) -> Result<Numbers<(ConceptId, TypeId), ConceptId>, ExportError> {
        let ids: Vec<_> = behind(&self.concepts, after, most);
        let at = ids.last().copied().filter(|_| ids.len() >= most);
        let kinds = view.types_of(&ids)?;
        let found = ids.into_iter().zip(kinds).filter_map(|(id, kind)| Some((id, kind?)));
        Ok((found.collect(), at))
    }

    /// Links behind one, and behind which to go on.
    pub(super) fn links_after(&self, after: Option<LinkId>, most: usize) -> Numbers<LinkId, LinkId> {
        let ids = behind(&self.links, after, most);
        let at = ids.last().copied().filter(|_| ids.len() >= most);
        (ids, at)
    }
}

fn behind<T: Ord + Copy>(set: &BTreeSet<T>, after: Option<T>, most: usize) -> Vec<T> {
    let low = after.map_or(Bound::Unbounded, Bound::Excluded);
    set.range((low, Bound::Unbounded)).take(most).copied().collect()
}

/// The pattern as a FIND has it, and the variables in it.
fn understood(selection: &KipSelection) -> Result<(Find, Vec<Text>), KipError> {
    if selection.variables.is_empty() {
        return Err(KipError::new(KipCode::ReferenceError, "no variable is selected")
            .hint("name variables of the pattern: --select ?drug,?link"));
    }
    let prefix = prefix(selection);
    let text = format!("{prefix}{}\n}}", selection.pattern);
    let Command::Find(find) = parse(&text).map_err(|error| placed(error, selection))? else {
        return Err(beyond());
    };
    let variables = find.columns.iter().map(|column| match &column.node {
        cairn_kip::tree::Column::Path(path) if path.fields.is_empty() => Ok(path.variable.clone()),
        cairn_kip::tree::Column::Path(_) | cairn_kip::tree::Column::Aggregate(_) => Err(beyond()),
    });
    let variables = variables.collect::<Result<_, _>>()?;
    Ok((find, variables))
}

fn beyond() -> KipError {
    KipError::new(
        KipCode::InvalidSyntax,
        "a selection is what stands inside of WHERE { }, and variables of it",
    )
    .hint("leave FIND, ORDER BY, LIMIT and the outer braces out: ?drug {type: \"Drug\"}")
}

fn prefix(selection: &KipSelection) -> String {
    let names = selection.variables.iter().map(|name| format!("?{}", name.trim().trim_start_matches('?')));
    format!("FIND({}) WHERE {{\n", names.collect::<Vec<_>>().join(", "))
}

/// A mistake, with its place in the pattern in front.
fn placed(error: KipError, selection: &KipSelection) -> KipError {
    let before = prefix(selection).len();
    let Some(span) = error.span.filter(|span| span.start as usize >= before) else {
        return KipError { span: None, ..error };
    };
    let span = Span::new(span.start as usize - before, span.end as usize - before);
    let message = error.clone().at(span).message_in(&selection.pattern);
    KipError { message, span: None, ..error }
}
