//! From rows to entries of an answer, no more of them at once than it takes.

use cairn_base::NULL_VALUE_KEY;
use cairn_graph::{ConceptId, Statistic, View, limits};

use super::Content;
use super::cursor::Position;
use super::each::{Each, Top};
use super::encode::{element_key, first_element};
use super::group::Groups;
use super::page::Entry;
use super::request::{Column, Request, SortKey};
use crate::eval::{self, Context, Reached, Source};
use crate::optimize::{Pass, leading, ordered};
use crate::plan::{IndexScan, Plan};
use crate::rows::Rows;
use crate::{Options, Result};

/// Rows of the first page of a scan that may stop early.
const FIRST_PAGE_ROWS: usize = 64;
/// How much larger the next page is.
const GROWTH: usize = 4;

/// Which part of an answer is shown.
pub(super) struct Shown<'a> {
    pub(super) limit: usize,
    pub(super) position: Option<&'a Position>,
}

impl Shown<'_> {
    /// One more than is shown, to know whether there is more.
    fn needed(&self) -> usize {
        self.limit.saturating_add(1)
    }

    /// Rows of the first page of a scan that may stop early.
    fn first_page_rows(&self, options: &Options) -> usize {
        options.page_rows.min(self.needed().max(FIRST_PAGE_ROWS))
    }

    fn after(&self) -> Option<&[u8]> {
        match self.position {
            Some(Position::After(place)) => Some(place),
            Some(Position::Cut { .. }) | None => None,
        }
    }
}

/// How the rows of a plan are gathered.
pub(super) struct Gathering<'p> {
    source: Option<Source<'p>>,
    /// Whether reading ends when enough is found.
    pub(super) stops_early: bool,
    /// Whether no more is kept than is shown, or read of groups.
    pub(super) keeps_top: bool,
}

/// An order that an index has.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) scan: IndexScan,
    descending: bool,
    /// Whether concepts with the same value are shown in the order that the index has them in.
    has_same_ties: bool,
}

impl Order {
    /// The index of what a FIND sorts the concepts of its first scan by first, if there is one.
    pub(super) fn of(plan: &Plan, request: &Request, view: View<'_>) -> Result<Option<Self>> {
        if request.is_aggregated() || Source::of(&plan.root).is_none() {
            return Ok(None);
        }
        let Some(SortKey { by: Column::Field(by), descending }) = request.order.first() else {
            return Ok(None);
        };
        let Some(scan) = ordered(&plan.root, by, view)? else { return Ok(None) };
        let is_first = request.shown().next().is_some_and(|of| of.slot == by.slot);
        let has_same_ties = is_first && request.order.len() == 1;
        Ok(Some(Order { scan, descending: *descending, has_same_ties }))
    }

    /// How places begin that are not before a value of a concept.
    fn place(&self, value: &[u8], concept: ConceptId) -> Vec<u8> {
        let is_turned = self.descending && value != NULL_VALUE_KEY;
        let mut place: Vec<u8> = value.iter().map(|byte| if is_turned { !byte } else { *byte }).collect();
        if self.has_same_ties && value.len() < limits::GRAPH_INDEX_VALUE_BYTES_MAX {
            place.extend_from_slice(&element_key(concept.into()));
        }
        place
    }
}

impl<'p> Gathering<'p> {
    pub(super) fn of(plan: &'p Plan, request: &Request, shown: &Shown<'_>, options: &Options) -> Self {
        let is_plain = !request.is_aggregated();
        let first = request.shown().next().map(|of| of.slot).filter(|_| is_plain && request.order.is_empty());
        let leading = first
            .filter(|_| options.passes.has(Pass::StopEarly) && shown.limit > 0)
            .and_then(|first| leading(&plan.root, first));
        let stops_early = leading.is_some();
        let source = leading.or_else(|| Source::of(&plan.root));
        // An entry that was shown before comes by again in other rows, if its place is not its own.
        let is_known = match shown.position {
            None => true,
            Some(Position::After(_)) => !is_plain || request.order_is_of_shown(),
            Some(Position::Cut { .. }) => false,
        };
        let keeps_top = options.passes.has(Pass::TopRows) && is_known;
        Gathering { source, stops_early, keeps_top }
    }

    pub(super) fn run(
        mut self,
        order: Option<&Order>,
        plan: &'p Plan,
        request: &Request,
        shown: &Shown<'_>,
        options: &Options,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<(Vec<Entry>, Content)> {
        if let Some(order) = order
            && let Some(sink) = self.in_order(order, plan, request, shown, options, context)?
        {
            return sink.finish(context);
        }
        let mut sink = self.sink(plan, request, shown, context)?;
        let Some(source) = &mut self.source else {
            let rows = eval::run(plan, context)?;
            sink.add(rows, context)?;
            return sink.finish(context);
        };
        let mut rows_max = options.page_rows;
        if self.stops_early {
            rows_max = shown.first_page_rows(options);
            if let Some(element) = shown.position.and_then(|position| first_element(position.place())) {
                source.begin_at(element);
            }
        }
        loop {
            let page = eval::next_page(plan, source, rows_max.max(1), context)?;
            sink.add(page.rows, context)?;
            let Some(reached) = page.reached else { break };
            if self.stops_early
                && let Reached::Element(element) = reached
                && sink.count_before(&element_key(element), shown.position) >= shown.needed()
            {
                break;
            }
            rows_max = rows_max.saturating_mul(GROWTH).min(options.page_rows);
            context.records.forget(context.budget);
        }
        sink.finish(context)
    }

    /// Reads an index in the order of the answer until enough is found. `None`: so much was looked up that it is
    /// less to read everything.
    fn in_order<'r>(
        &self,
        order: &Order,
        plan: &'p Plan,
        request: &'r Request,
        shown: &Shown<'_>,
        options: &Options,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<Option<Sink<'r>>> {
        let Some(source) = Source::of(&plan.root) else { return Ok(None) };
        let Some(kind) = source.kind() else { return Ok(None) };
        let lookups_max = context.view.count(Statistic::Type(kind))? / options.reads_per_lookup.max(1);
        let mut source = source.ordered(order.scan.clone(), order.descending);
        // What was shown before comes by again only if its place is not its own.
        if let Some(position) = shown.position.filter(|_| request.order_is_of_shown()) {
            source.begin_at_place(position.place());
        }
        let mut sink = self.sink(plan, request, shown, context)?;
        let mut rows_max = shown.first_page_rows(options);
        let mut lookups: u64 = 0;
        loop {
            let page = eval::next_page(plan, &mut source, rows_max.max(1), context)?;
            sink.add(page.rows, context)?;
            lookups += page.lookups as u64;
            let Some(Reached::Value(value, concept)) = page.reached else { return Ok(Some(sink)) };
            let end = order.place(&value, concept);
            let found = sink.count_before(&end, shown.position);
            if found >= shown.needed() {
                return Ok(Some(sink));
            }
            context.records.forget(context.budget);
            if lookups > lookups_max.max(shown.needed() as u64) {
                sink.drop_from(context);
                context.gave_up_order();
                return Ok(None);
            }
            rows_max = next_lookups(lookups, found, shown.needed(), rows_max).min(options.page_rows);
        }
    }

    fn sink<'r>(
        &self,
        plan: &Plan,
        request: &'r Request,
        shown: &Shown<'_>,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<Sink<'r>> {
        let width = plan.places.width();
        let after = shown.after().map(<[u8]>::to_vec);
        let top = self.keeps_top.then(|| Top { count: shown.needed(), after, last: None });
        if request.is_aggregated() {
            return Ok(Sink::Groups(Groups::new(request, width, top, context)?));
        }
        Ok(Sink::Each(Each::new(request, width, top)))
    }
}

/// How many concepts to look up next in the order of an index: as many as those before them suggest that it takes
/// to find the rest, and an eighth more; but not many times as many as before, because few found say little.
fn next_lookups(lookups: u64, found: usize, needed: usize, last: usize) -> usize {
    if found == 0 {
        return last.saturating_mul(2);
    }
    let lookups = usize::try_from(lookups).unwrap_or(usize::MAX);
    let rest = needed.saturating_sub(found).saturating_mul(lookups) / found;
    rest.saturating_add(rest / 8).clamp(FIRST_PAGE_ROWS, last.saturating_mul(GROWTH).max(FIRST_PAGE_ROWS))
}

/// What rows become.
enum Sink<'r> {
    Each(Each<'r>),
    Groups(Groups<'r>),
}

impl Sink<'_> {
    fn add(&mut self, rows: Rows, context: &mut Context<'_, '_, '_>) -> Result<()> {
        match self {
            Sink::Each(each) => each.add(rows, context),
            Sink::Groups(groups) => groups.add(rows, context),
        }
    }

    fn count_before(&self, end: &[u8], shown: Option<&Position>) -> usize {
        match self {
            Sink::Each(each) => each.count_before(end, shown),
            Sink::Groups(_) => 0,
        }
    }

    /// Gives back what everything held.
    fn drop_from(self, context: &mut Context<'_, '_, '_>) {
        match self {
            Sink::Each(each) => each.drop_from(context),
            // Groups are never read in an order.
            Sink::Groups(_) => {}
        }
    }

    fn finish(self, context: &mut Context<'_, '_, '_>) -> Result<(Vec<Entry>, Content)> {
        match self {
            Sink::Each(each) => Ok(each.finish()),
            Sink::Groups(groups) => groups.finish(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_looked_up_as_it_takes() {
        // One in sixteen fits: the rest of 21 takes 16 times as many, and some more.
        assert_eq!(next_lookups(320, 20, 21, 256), 64);
        assert_eq!(next_lookups(320, 16, 21, 256), 112);
        assert_eq!(next_lookups(64, 4, 21, 64), 256, "not more than four times as many");
        assert_eq!(next_lookups(64, 0, 21, 64), 128);
        assert_eq!(next_lookups(u64::MAX, 1, 10_000, usize::MAX), usize::MAX);
    }
}
