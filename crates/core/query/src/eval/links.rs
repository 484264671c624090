//! Joins with links.

use std::collections::HashMap;
use std::hash::Hash;

use cairn_graph::{Edge, Element, LinkId, Lookup, PredicateId, Statistic};
use cairn_seam::Visit;

use super::{BATCH, Context};
use crate::cell::Cell;
use crate::plan::{Access, LinkStep, Slot};
use crate::rows::Rows;
use crate::{Budget, QueryError, Result};

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
    /// The end that it starts from.
    pub(super) fn start(self, edge: &Edge) -> Element {
        match self {
            Direction::Out => edge.subject,
            Direction::In => edge.object,
        }
    }

    pub(super) fn lookup(self, from: Element, predicate: Option<PredicateId>) -> Lookup {
        match self {
            Direction::Out => Lookup::Out { subject: from, predicate },
            Direction::In => Lookup::In { object: from, predicate },
        }
    }
}

/// Visits the links that lookups find, until something fails.
pub(super) fn visit_edges(
    lookups: &[Lookup],
    context: &mut Context<'_, '_, '_>,
    mut visit: impl FnMut(&Edge, &mut Budget<'_>) -> Result<()>,
) -> Result<()> {
    let mut failed: Option<QueryError> = None;
    let budget = &mut *context.budget;
    context.view.edges(lookups, &mut |_, edge| {
        let done = budget.step().map_err(QueryError::from).and_then(|()| visit(edge, budget));
        match done {
            Ok(()) => Visit::Continue,
            Err(error) => {
                failed = Some(error);
                Visit::Stop
            }
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// Rows that are being made of links and rows.
struct Joined<'a> {
    step: &'a LinkStep,
    rows: &'a Rows,
    made: Rows,
    scratch: Vec<Cell>,
}

impl<'a> Joined<'a> {
    fn new(step: &'a LinkStep, rows: &'a Rows) -> Self {
        Joined { step, rows, made: Rows::new(rows.width()), scratch: vec![Cell::Null; rows.width()] }
    }

    /// A link together with these rows, as far as they agree.
    fn join(&mut self, edge: &Edge, rows: &[u32], budget: &mut Budget<'_>) -> Result<()> {
        if !self.fits(edge) {
            return Ok(());
        }
        for at in rows {
            budget.step()?;
            self.join_one(edge, *at as usize, budget)?;
        }
        Ok(())
    }

    fn join_one(&mut self, edge: &Edge, at: usize, budget: &mut Budget<'_>) -> Result<()> {
        self.scratch.copy_from_slice(self.rows.row(at));
        for (place, slot) in &self.step.puts {
            self.scratch[*slot] = Cell::at(edge, *place);
        }
        let mut agrees = self.step.agrees.iter();
        if agrees.all(|(place, slot)| self.scratch[*slot] == Cell::at(edge, *place)) {
            self.made.push(&self.scratch, self.rows.origin(at), budget)?;
        }
        Ok(())
    }

    /// Whether a link is one that is asked for, whatever the row.
    fn fits(&self, edge: &Edge) -> bool {
        let mut tests = self.step.tests.iter();
        self.step.predicates.as_ref().is_none_or(|ids| ids.contains(&edge.predicate))
            && tests.all(|(place, test)| test.holds(Cell::at(edge, *place)))
    }

    /// Rows by what they have at a place; those that have nothing there match nothing.
    fn by<K: Hash + Eq>(
        &self,
        budget: &mut Budget<'_>,
        key: impl Fn(&[Cell]) -> Option<K>,
    ) -> Result<HashMap<K, Vec<u32>>> {
        let mut groups: HashMap<K, Vec<u32>> = HashMap::new();
        for (at, row) in (0..).zip(self.rows.iter()) {
            budget.step()?;
            if let Some(key) = key(row) {
                groups.entry(key).or_default().push(at);
            }
        }
        Ok(groups)
    }
}

/// From links that are bound, through their records.
fn by_link(slot: Slot, out: &mut Joined<'_>, context: &mut Context<'_, '_, '_>) -> Result<()> {
    let groups = out.by(context.budget, |row| match row[slot] {
        Cell::Link(id) => Some(id),
        Cell::Null | Cell::Concept(..) | Cell::Predicate(_) => None,
    })?;
    let ids: Vec<LinkId> = sorted(groups.keys());
    for batch in ids.chunks(BATCH) {
        let mut edges = Vec::with_capacity(batch.len());
        context.view.link_views(batch, &mut |_, record| {
            edges.extend(record.as_ref().and_then(|record| record.edge()).copied());
        })?;
        for edge in &edges {
            out.join(edge, &groups[&edge.link], context.budget)?;
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
    let groups = out.by(context.budget, |row| Some((row[subject].element()?, row[object].element()?)))?;
    let predicates = out.step.predicates.clone().unwrap_or_default();
    let pairs: Vec<(Element, Element)> = sorted(groups.keys());
    for batch in pairs.chunks(BATCH) {
        let exact = |(subject, object): &(Element, Element)| {
            let (subject, object) = (*subject, *object);
            predicates.iter().map(move |predicate| Lookup::Exact { subject, predicate: *predicate, object })
        };
        let lookups: Vec<Lookup> = batch.iter().flat_map(exact).collect();
        visit_edges(&lookups, context, |edge, budget| {
            out.join(edge, &groups[&(edge.subject, edge.object)], budget)
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
    let groups = out.by(context.budget, |row| row[slot].element())?;
    let predicates = out.step.predicates.clone();
    let join = |edge: &Edge, out: &mut Joined<'_>, budget: &mut Budget<'_>| {
        let rows = groups.get(&direction.start(edge));
        rows.map_or(Ok(()), |rows| out.join(edge, rows, budget))
    };
    if let Some(ids) = &predicates
        && is_scan_cheaper(groups.len(), count_links(ids, context)?)
    {
        let lookups = whole(Some(ids));
        return visit_edges(&lookups, context, |edge, budget| join(edge, out, budget));
    }
    let elements: Vec<Element> = sorted(groups.keys());
    for batch in elements.chunks(BATCH) {
        let lookups: Vec<Lookup> = match &predicates {
            None => batch.iter().map(|from| direction.lookup(*from, None)).collect(),
            Some(ids) => {
                let of = |from: &Element| {
                    let from = *from;
                    ids.iter().map(move |id| direction.lookup(from, Some(*id)))
                };
                batch.iter().flat_map(of).collect()
            }
        };
        visit_edges(&lookups, context, |edge, budget| join(edge, out, budget))?;
    }
    Ok(())
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
    let predicate = out.step.agrees.iter().find(|(place, _)| *place == crate::cell::Place::Predicate);
    let Some((_, slot)) = predicate.copied().filter(|(_, slot)| !is_put(out.step, *slot)) else {
        let all: Vec<u32> = (0..).take(out.rows.len()).collect();
        return visit_edges(&lookups, context, |edge, budget| out.join(edge, &all, budget));
    };
    let groups = out.by(context.budget, |row| match row[slot] {
        Cell::Predicate(id) => Some(id),
        Cell::Null | Cell::Concept(..) | Cell::Link(_) => None,
    })?;
    let bound: Vec<PredicateId> = sorted(groups.keys());
    let lookups = whole(Some(&bound));
    visit_edges(&lookups, context, |edge, budget| out.join(edge, &groups[&edge.predicate], budget))
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

/// In the order of keys: neighbours are on the same pages.
fn sorted<'k, K: Copy + Ord + 'k>(keys: impl Iterator<Item = &'k K>) -> Vec<K> {
    let mut keys: Vec<K> = keys.copied().collect();
    keys.sort_unstable();
    keys
}
