//! The first scan of a plan, read page by page: what comes after it never holds more than a page.

use cairn_base::{NULL_VALUE_KEY, value_key_len};
use cairn_graph::{ConceptId, Element, IndexedKey, PredicateId, TypeId, limits};
use cairn_seam::Visit;

use super::{Context, elements, links};
use crate::Result;
use crate::cell::{Cell, Place};
use crate::plan::{Access, Block, ElementStep, IndexScan, LinkStep, Slot, Stage, Work};
use crate::rows::Rows;

/// Where the rows of a plan come from.
pub(crate) struct Source<'p> {
    scan: Scan<'p>,
    /// Which stages come after it.
    pub(crate) rest: &'p [Stage],
    /// Which stage it is.
    pub(crate) number: usize,
}

enum Scan<'p> {
    Concepts { step: &'p ElementStep, kind: TypeId, after: Option<ConceptId> },
    Links { step: &'p LinkStep, predicate: PredicateId, after: Option<(Element, Element)> },
    Ordered(Ordered<'p>),
}

/// The concepts of a type in the order of a field.
struct Ordered<'p> {
    step: &'p ElementStep,
    kind: TypeId,
    scan: IndexScan,
    descending: bool,
    /// The last one that was read.
    after: Option<(Vec<u8>, ConceptId)>,
}

/// How far a source got: everything that is still to come is there or behind it.
pub(crate) enum Reached {
    /// In the order of elements.
    Element(Element),
    /// In the order of a field: the bytes of its value, and the concept that has it.
    Value(Vec<u8>, ConceptId),
}

/// Some rows of a source.
pub(crate) struct Page {
    pub(crate) rows: Rows,
    /// How far it got, if there may be more.
    pub(crate) reached: Option<Reached>,
    /// How many concepts were looked up for it.
    pub(crate) lookups: usize,
}

impl<'p> Source<'p> {
    /// The scan that a block begins with, unless it needs all rows at once.
    pub(crate) fn of(block: &'p Block) -> Option<Self> {
        let (first, rest) = block.stages.split_first()?;
        if rest.iter().any(|stage| matches!(stage, Stage::Union(_))) {
            return None;
        }
        let Stage::Step(first) = first else { return None };
        let scan = match &first.work {
            // What an index says has few concepts, and they are read at once.
            Work::Elements(step) if step.index.is_none() => {
                Scan::Concepts { step, kind: step.scanned()?, after: None }
            }
            Work::Links(step) if step.access == Access::Scan => match step.predicates.as_deref() {
                Some([predicate]) => Scan::Links { step, predicate: *predicate, after: None },
                Some(_) | None => return None,
            },
            Work::Elements(_) | Work::Links(_) | Work::Check { .. } | Work::Path(_) | Work::Filter(_) => {
                return None;
            }
        };
        Some(Source { scan, rest, number: first.number })
    }

    /// The same concepts, in the order of a field.
    pub(crate) fn ordered(self, scan: IndexScan, descending: bool) -> Self {
        match self.scan {
            Scan::Concepts { step, kind, .. } => {
                Source { scan: Scan::Ordered(Ordered { step, kind, scan, descending, after: None }), ..self }
            }
            Scan::Links { .. } | Scan::Ordered(_) => self,
        }
    }

    /// The type whose concepts it reads.
    pub(crate) fn kind(&self) -> Option<TypeId> {
        match &self.scan {
            Scan::Concepts { kind, .. } | Scan::Ordered(Ordered { kind, .. }) => Some(*kind),
            Scan::Links { .. } => None,
        }
    }

    /// The variable by whose elements its rows are sorted.
    pub(crate) fn sorted_by(&self) -> Option<Slot> {
        match &self.scan {
            Scan::Concepts { step, .. } => Some(step.slot),
            Scan::Ordered(_) => None,
            Scan::Links { step, .. } => {
                step.puts.iter().find(|(place, _)| *place == Place::Subject).map(|(_, slot)| *slot)
            }
        }
    }

    /// Passes over everything before an element.
    pub(crate) fn begin_at(&mut self, element: Element) {
        let Some(before) = element.to_u64().checked_sub(1).map(Element::from_u64) else { return };
        match (&mut self.scan, element) {
            (Scan::Concepts { after, .. }, Element::Concept(ConceptId(id))) => {
                *after = id.checked_sub(1).map(ConceptId);
            }
            (Scan::Concepts { .. }, Element::Link(_)) | (Scan::Ordered(_), _) => {}
            (Scan::Links { after, .. }, _) => *after = Some((before, Element::from_u64(u64::MAX))),
        }
    }

    /// Passes over everything whose value of the field comes before the one that a place of the answer begins with.
    pub(crate) fn begin_at_place(&mut self, place: &[u8]) {
        let Scan::Ordered(ordered) = &mut self.scan else { return };
        let is_turned = ordered.descending && !place.starts_with(NULL_VALUE_KEY);
        let mut value: Vec<u8> = place.iter().map(|byte| if is_turned { !byte } else { *byte }).collect();
        // One that is cut is longer than what an index holds.
        value.truncate(value_key_len(&value).unwrap_or(value.len()).min(limits::GRAPH_INDEX_VALUE_BYTES_MAX));
        // No concept has this number.
        ordered.after = Some((value, ConceptId(0)));
    }

    /// The next rows.
    pub(super) fn next(
        &mut self,
        rows_max: usize,
        width: usize,
        context: &mut Context<'_, '_, '_>,
    ) -> Result<Page> {
        match &mut self.scan {
            Scan::Concepts { step, kind, after } => {
                let page = elements::of_type(step, *kind, *after, rows_max, width, context)?;
                *after = page.last;
                let reached = page.last.map(|id| Reached::Element(id.into()));
                let rows = rows_of(step.slot, &page, width, context)?;
                Ok(Page { rows, reached, lookups: 0 })
            }
            Scan::Ordered(ordered) => ordered.next(rows_max, width, context),
            Scan::Links { step, predicate, after } => {
                let (rows, last) = links::page(step, *predicate, *after, rows_max, width, context)?;
                *after = last;
                let reached = last.map(|(subject, _)| Reached::Element(subject));
                Ok(Page { rows, reached, lookups: 0 })
            }
        }
    }
}

impl Ordered<'_> {
    fn next(&mut self, rows_max: usize, width: usize, context: &mut Context<'_, '_, '_>) -> Result<Page> {
        let mut found: Vec<ConceptId> = Vec::new();
        let mut last: Option<(Vec<u8>, ConceptId)> = None;
        let mut visit = |id: ConceptId, key: &IndexedKey<'_>| {
            found.push(id);
            if found.len() < rows_max {
                return Visit::Continue;
            }
            last = Some((key.bytes.to_vec(), id));
            Visit::Stop
        };
        let IndexScan { index, low, high } = &self.scan;
        let (low, high) = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
        match &self.after {
            None => context.view.indexed(index, low, high, self.descending, &mut visit)?,
            Some((bytes, id)) => {
                context.view.indexed_after(index, (low, high), self.descending, (bytes, *id), &mut visit)?;
            }
        }
        self.after.clone_from(&last);
        let page = elements::by_ids(self.step, self.kind, &found, width, context)?;
        let rows = rows_of(self.step.slot, &page, width, context)?;
        let reached = last.map(|(bytes, id)| Reached::Value(bytes, id));
        Ok(Page { rows, reached, lookups: found.len() })
    }
}

fn rows_of(
    slot: Slot,
    page: &elements::Page,
    width: usize,
    context: &mut Context<'_, '_, '_>,
) -> Result<Rows> {
    let mut rows = Rows::new(width);
    let mut row = vec![Cell::Null; width];
    for cell in &page.cells {
        row[slot] = *cell;
        rows.push(&row, 0, context.budget)?;
    }
    context.budget.release(page.held());
    Ok(rows)
}
