//! Joins with links.

use cairn_graph::{Edge, Element, Lookup, PredicateId, Statistic};
use cairn_seam::Visit;

use super::groups::Groups;
use super::{BATCH, Context};
use crate::cell::{Cell, Place};
use crate::plan::{Access, LinkStep, Method, Slot};
use crate::rows::Rows;
use crate::{Budget, QueryError, Result};

/// Links of one lookup that are read even if the first of them is enough.
const SHORT_LINKS: usize = 32;

/// Each row with each link that fits it.
pub(super) fn links(step: &LinkStep, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<Rows> {
    let mut out = Joined::new(step, &rows);
    match step.access {
        Access::Link(slot) => by_link(slot, &mut out, context)?,
        Access::Exact(subject, object) => by_both(subject, object, &mut out, context)?,
        Access::Out(slot) => by_end(Direction::Out, slot, &mut out, context)?,
        Access::In(slot) => by_end(Direction::In, slot, &mut out, context)?,
        Access::Scan => scan(&mut out, context)?,
    }
    let made = out.made;
    rows.drop_from(context.budget);
    Ok(made)
}

/// Which way links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// From subjects to objects.
    Out,
    /// From objects to subjects.
    In,
}

impl Direction {
    pub(super) fn lookup(self, from: Element, predicate: Option<PredicateId>) -> Lookup {
        match self {
            Direction::Out => Lookup::Out { subject: from, predicate },
            Direction::In => Lookup::In { object: from, predicate },
        }
    }
}

/// Visits the links that lookups find, until something fails or is enough; it gets the place of the lookup.
pub(super) fn visit_edges(
    lookups: &[Lookup],
    context: &mut Context<'_, '_, '_>,
    mut visit: impl FnMut(usize, &Edge, &mut Budget<'_>) -> Result<Visit>,
) -> Result<()> {
    let mut failed: Option<QueryError> = None;
    let budget = &mut *context.budget;
    context.view.edges(lookups, &mut |place, edge| {
        let done = budget.step().map_err(QueryError::from).and_then(|()| visit(place, edge, budget));
        done.unwrap_or_else(|error| {
            failed = Some(error);
            Visit::Stop
        })
    })?;
    failed.map_or(Ok(()), Err)
}

/// Rows that are being made of links and rows.
struct Joined<'a> {
    step: &'a LinkStep,
    rows: &'a Rows,
    made: Rows,
    scratch: Vec<Cell>,
    /// Which rows of the block's input have a link already, if one is enough.
    has_one: Vec<bool>,
}

impl<'a> Joined<'a> {
    fn new(step: &'a LinkStep, rows: &'a Rows) -> Self {
        let origins = if step.is_one_enough { rows.origins_end() } else { 0 };
        Joined {
            step,
            rows,
            made: Rows::new(rows.width()),
            scratch: vec![Cell::Null; rows.width()],
            has_one: vec![false; origins],
        }
    }

    /// A link together with these rows, as far as they agree. Says whether more links of the kind are needed.
    fn join(&mut self, edge: &Edge, rows: &[u32], budget: &mut Budget<'_>) -> Result<Visit> {
        if !self.fits(edge) {
            return Ok(Visit::Continue);
        }
        let mut is_enough = self.step.is_one_enough;
        for at in rows {
            budget.step()?;
            self.join_one(edge, *at as usize, budget)?;
            is_enough = is_enough && self.has_one[self.rows.origin(*at as usize) as usize];
        }
        Ok(if is_enough { Visit::NextRange } else { Visit::Continue })
    }

    fn join_one(&mut self, edge: &Edge, at: usize, budget: &mut Budget<'_>) -> Result<()> {
        let origin = self.rows.origin(at);
        if self.step.is_one_enough && self.has_one[origin as usize] {
            return Ok(());
        }
        self.scratch.copy_from_slice(self.rows.row(at));
        for (place, slot) in &self.step.puts {
            self.scratch[*slot] = Cell::at(edge, *place);
        }
        let mut agrees = self.step.agrees.iter();
        if agrees.all(|(place, slot)| self.scratch[*slot] == Cell::at(edge, *place)) {
            self.made.push(&self.scratch, origin, budget)?;
            if self.step.is_one_enough {
                self.has_one[origin as usize] = true;
            }
        }
        Ok(())
    }

    /// Whether a link is one that is asked for, whatever the row.
    fn fits(&self, edge: &Edge) -> bool {
        let mut tests = self.step.tests.iter();
        self.step.predicates.as_ref().is_none_or(|ids| ids.contains(&edge.predicate))
            && tests.all(|(place, test)| test.holds(Cell::at(edge, *place)))
    }
}

/// From links that are bound, through their records.
fn by_link(slot: Slot, out: &mut Joined<'_>, context: &mut Context<'_, '_, '_>) -> Result<()> {
    let groups = Groups::of(out.rows, context.budget, |row| match row[slot] {
        Cell::Link(id) => Some(id),
        Cell::Null | Cell::Concept(..) | Cell::Predicate(_) => None,
    })?;
    for (batch, ids) in groups.keys.chunks(BATCH).enumerate() {
        let mut edges: Vec<(usize, Edge)> = Vec::with_capacity(ids.len());
        context.view.link_views(ids, &mut |place, record| {
            edges.extend(record.as_ref().and_then(|record| record.edge()).map(|edge| (place, *edge)));
        })?;
        for (place, edge) in &edges {
            out.join(edge, groups.rows(batch * BATCH + place), context.budget)?;
        }
    }
    Ok(())
}

/// From pairs of ends that are bound.
fn by_both(
    subject: Slot,
    object: Slot,
    out: &mut Joined<'_>,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    let groups =
        Groups::of(out.rows, context.budget, |row| Some((row[subject].element()?, row[object].element()?)))?;
    let predicates = out.step.predicates.clone().unwrap_or_default();
    for (batch, pairs) in groups.keys.chunks(BATCH).enumerate() {
        let exact = |(subject, object): &(Element, Element)| {
            let (subject, object) = (*subject, *object);
            predicates.iter().map(move |predicate| Lookup::Exact { subject, predicate: *predicate, object })
        };
        let lookups: Vec<Lookup> = pairs.iter().flat_map(exact).collect();
        visit_edges(&lookups, context, |place, edge, budget| {
            out.join(edge, groups.rows(batch * BATCH + place / predicates.len()), budget)
        })?;
    }
    Ok(())
}

/// From one end that is bound.
fn by_end(
    direction: Direction,
    slot: Slot,
    out: &mut Joined<'_>,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    let groups = Groups::of(out.rows, context.budget, |row| row[slot].element())?;
    let predicates = out.step.predicates.clone();
    if let Some(ids) = &predicates
        && out.step.method == Method::Cheapest
        && is_scan_cheaper(groups.len(), count_links(ids, context)?)
    {
        context.measured[context.current].read_whole += 1;
        return match direction {
            Direction::Out => merge(ids, &groups, out, context),
            Direction::In => probe(ids, &groups, out, context),
        };
    }
    for (batch, elements) in groups.keys.chunks(BATCH).enumerate() {
        let per_element = predicates.as_ref().map_or(1, Vec::len);
        let lookups: Vec<Lookup> = match &predicates {
            None => elements.iter().map(|from| direction.lookup(*from, None)).collect(),
            Some(ids) => {
                let of = |from: &Element| {
                    let from = *from;
                    ids.iter().map(move |id| direction.lookup(from, Some(*id)))
                };
                elements.iter().flat_map(of).collect()
            }
        };
        let mut lookup = (usize::MAX, 0);
        visit_edges(&lookups, context, |place, edge, budget| {
            lookup = if lookup.0 == place { (place, lookup.1 + 1) } else { (place, 1) };
            let verdict = out.join(edge, groups.rows(batch * BATCH + place / per_element), budget)?;
            // Short lists are read to their end: whole ones are kept for the next time.
            Ok(if lookup.1 < SHORT_LINKS { Visit::Continue } else { verdict })
        })?;
    }
    Ok(())
}

/// All links of the predicates, which come by their subjects as the rows do.
fn merge(
    predicates: &[PredicateId],
    groups: &Groups<Element>,
    out: &mut Joined<'_>,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    let Some(first) = groups.keys.first() else { return Ok(()) };
    // Everything before the first subject is passed over.
    let before =
        first.to_u64().checked_sub(1).map(|before| (Element::from_u64(before), Element::from_u64(u64::MAX)));
    for id in predicates {
        let mut at = 0;
        let lookup = Lookup::Predicate { predicate: *id, after: before };
        visit_edges(&[lookup], context, |_, edge, budget| {
            while groups.keys.get(at).is_some_and(|key| *key < edge.subject) {
                at += 1;
            }
            match groups.keys.get(at) {
                None => return Ok(Visit::NextRange),
                Some(key) if *key == edge.subject => drop(out.join(edge, groups.rows(at), budget)?),
                Some(_) => {}
            }
            Ok(Visit::Continue)
        })?;
    }
    Ok(())
}

/// All links of the predicates, each looked up among the objects of the rows.
fn probe(
    predicates: &[PredicateId],
    groups: &Groups<Element>,
    out: &mut Joined<'_>,
    context: &mut Context<'_, '_, '_>,
) -> Result<()> {
    visit_edges(&whole(Some(predicates)), context, |_, edge, budget| {
        if let Some(nth) = groups.find(edge.object) {
            out.join(edge, groups.rows(nth), budget)?;
        }
        Ok(Visit::Continue)
    })
}

/// How many links there are of some predicates.
pub(super) fn count_links(predicates: &[PredicateId], context: &Context<'_, '_, '_>) -> Result<u64> {
    let mut links: u64 = 0;
    for id in predicates {
        links = links.saturating_add(context.view.count(Statistic::Predicate(*id))?);
    }
    Ok(links)
}

/// Whether reading so many links in one go takes less than looking so many elements up: a step of a scan costs
/// a fraction of a lookup.
pub(super) fn is_scan_cheaper(lookups: usize, links: u64) -> bool {
    const LINKS_PER_LOOKUP: u64 = 4;
    links < LINKS_PER_LOOKUP.saturating_mul(lookups as u64)
}

/// No end is bound: every link of the predicates, with every row that agrees on the predicate.
fn scan(out: &mut Joined<'_>, context: &mut Context<'_, '_, '_>) -> Result<()> {
    let lookups = whole(out.step.predicates.as_deref());
    let predicate = out.step.agrees.iter().find(|(place, _)| *place == Place::Predicate);
    let Some((_, slot)) = predicate.copied().filter(|(_, slot)| !is_put(out.step, *slot)) else {
        let all: Vec<u32> = (0..).take(out.rows.len()).collect();
        return visit_edges(&lookups, context, |_, edge, budget| all_but_next(out.join(edge, &all, budget)));
    };
    let groups = Groups::of(out.rows, context.budget, |row| match row[slot] {
        Cell::Predicate(id) => Some(id),
        Cell::Null | Cell::Concept(..) | Cell::Link(_) => None,
    })?;
    let lookups = whole(Some(&groups.keys));
    visit_edges(&lookups, context, |place, edge, budget| out.join(edge, groups.rows(place), budget))
}

/// When every row has its link, nothing more is needed of any range.
fn all_but_next(verdict: Result<Visit>) -> Result<Visit> {
    Ok(match verdict? {
        Visit::NextRange => Visit::Stop,
        other @ (Visit::Continue | Visit::Stop) => other,
    })
}

fn is_put(step: &LinkStep, slot: Slot) -> bool {
    step.puts.iter().any(|(_, put)| *put == slot)
}

/// All links of some predicates, or of all.
pub(super) fn whole(predicates: Option<&[PredicateId]>) -> Vec<Lookup> {
    match predicates {
        Some(ids) => ids.iter().map(|id| Lookup::Predicate { predicate: *id, after: None }).collect(),
        None => vec![Lookup::All { after: None }],
    }
}

/// One page of the links that a pattern with no bound end is about, and the last of them if there may be more.
pub(super) fn page(
    step: &LinkStep,
    predicate: PredicateId,
    after: Option<(Element, Element)>,
    rows_max: usize,
    width: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<(Rows, Option<(Element, Element)>)> {
    let unit = Rows::unit(width);
    let mut out = Joined::new(step, &unit);
    let mut last = None;
    let lookup = Lookup::Predicate { predicate, after };
    visit_edges(&[lookup], context, |_, edge, budget| {
        out.join(edge, &[0], budget)?;
        if out.made.len() < rows_max {
            return Ok(Visit::Continue);
        }
        last = Some((edge.subject, edge.object));
        Ok(Visit::Stop)
    })?;
    Ok((out.made, last))
}
