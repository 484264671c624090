//! Looks at the postings of a plan in one segment, window by window.

use super::collect::Collect;
use super::plan::{Plan, Worth};
use crate::SearchError;
use crate::index::generation::DocumentNumber;
use crate::index::segment::{Cursor, NO_MORE, Segment, SliceCursor};
use crate::request::Grouping;

/// Documents that are looked at together: their sums stay in the processor's nearest cache.
const WINDOW: usize = 4096;

/// One bit per document of a window.
type Bits = [u64; WINDOW / 64];

/// Sums and marks of the documents of one window. Between windows everything is zero.
pub(crate) struct Window {
    start: DocumentNumber,
    /// Empty until a document is worth something.
    worth: Vec<u32>,
    /// Documents that something was said about.
    touched: Bits,
    /// For each mark that counts, by its number, the documents that have it.
    marked: Vec<Bits>,
}

impl Default for Window {
    fn default() -> Self {
        Window { start: 0, worth: Vec::new(), touched: [0; WINDOW / 64], marked: Vec::new() }
    }
}

impl Window {
    /// Begins with the documents of another segment or plan, of which these marks count.
    fn prepare(&mut self, marks: u64) {
        self.worth.resize(WINDOW, 0);
        let highest = (u64::BITS - marks.leading_zeros()) as usize;
        self.marked.resize(highest, [0; WINDOW / 64]);
    }

    #[inline]
    fn place(&self, document: DocumentNumber) -> usize {
        (document - self.start) as usize & (WINDOW - 1)
    }

    #[inline]
    fn touch(&mut self, document: DocumentNumber, worth: u32) {
        let at = self.place(document);
        if let Some(sum) = self.worth.get_mut(at) {
            *sum = sum.saturating_add(worth);
        }
        self.touched[at / 64] |= 1 << (at % 64);
    }

    /// Takes everything that postings say until `end`: what documents are worth, and what they are marked with.
    fn take<S: Segment, C: Cursor>(
        &mut self,
        segment: &S,
        walk: &mut Walk<'_, C>,
        worth: &Worth,
        end: DocumentNumber,
        marks: u64,
    ) {
        let mut found = [0; WINDOW / 64];
        walk.weigh_until(segment, worth, end, &mut |document, worth| {
            self.touch(document, worth);
            let at = self.place(document);
            found[at / 64] |= 1 << (at % 64);
        });
        self.mark(&found, marks);
    }

    fn mark(&mut self, found: &Bits, mut marks: u64) {
        while marks != 0 {
            let number = marks.trailing_zeros() as usize;
            marks &= marks - 1;
            if let Some(bits) = self.marked.get_mut(number) {
                bits.iter_mut().zip(found).for_each(|(bits, found)| *bits |= found);
            }
        }
    }
}

enum Walk<'a, C> {
    Term(C),
    List(SliceCursor<'a>),
}

impl<C: Cursor> Walk<'_, C> {
    fn next(&self) -> DocumentNumber {
        match self {
            Walk::Term(cursor) => cursor.next(),
            Walk::List(cursor) => cursor.next(),
        }
    }

    #[inline]
    fn visit_until(&mut self, end: DocumentNumber, visit: &mut impl FnMut(DocumentNumber, u32)) {
        match self {
            Walk::Term(cursor) => cursor.visit_until(end, visit),
            Walk::List(cursor) => cursor.visit_until(end, visit),
        }
    }

    /// Visits every document before `end`, with what it is worth.
    #[inline]
    fn weigh_until<S: Segment>(
        &mut self,
        segment: &S,
        worth: &Worth,
        end: DocumentNumber,
        visit: &mut impl FnMut(DocumentNumber, u32),
    ) {
        match worth {
            Worth::Fixed(worth) => self.visit_until(end, &mut |document, _| visit(document, *worth)),
            Worth::Words(field, weight) => self.visit_until(end, &mut |document, times| {
                visit(document, weight.worth(times, segment.length_step(*field, document)));
            }),
        }
    }
}

/// Visits every live document of a segment that the plan admits, in order, with what it is worth.
pub(crate) fn evaluate<S: Segment>(
    segment: &S,
    number: usize,
    plan: &Plan,
    window: &mut Window,
    collect: &mut impl Collect<S>,
) -> Result<(), SearchError> {
    let mut walks = Vec::new();
    for term in &plan.terms {
        if let Some(cursor) = segment.cursor(&term.key)? {
            walks.push((Walk::Term(cursor), &term.worth, term.mark));
        }
    }
    for list in &plan.lists {
        if let Some(postings) = list.postings.get(number).filter(|postings| !postings.is_empty()) {
            walks.push((Walk::List(SliceCursor::new(postings.as_slice())), &list.worth, list.mark));
        }
    }
    let satisfied = satisfied(segment, plan)?;
    let mut filters = Vec::new();
    for (key, mark) in plan.filters.iter().filter(|(_, mark)| mark & satisfied == 0) {
        if let Some(cursor) = segment.cursor(key)? {
            filters.push((cursor, *mark));
        }
    }
    let required = plan.required & !satisfied;
    let mut hits = Hits { segment, number, plan, required, collect };
    // Most questions demand and forbid nothing: whatever is found is a hit.
    let is_plain = required == Plan::HIT && plan.forbidden == 0;
    if is_plain && let [(walk, worth, _)] = &mut walks[..] {
        walk.weigh_until(segment, worth, NO_MORE, &mut |document, worth| hits.admit(document, worth));
        return Ok(());
    }
    let counted = if is_plain { 0 } else { required | plan.forbidden };
    window.prepare(counted);
    loop {
        // Only what makes a document a hit leads the way: filters alone find nothing.
        let leading = walks.iter().filter(|(_, _, mark)| mark & Plan::HIT != 0);
        let next = leading.map(|(walk, _, _)| walk.next()).min().unwrap_or(NO_MORE);
        if next == NO_MORE {
            return Ok(());
        }
        window.start = next - next % WINDOW as DocumentNumber;
        let end = window.start.saturating_add(WINDOW as DocumentNumber);
        for (walk, worth, mark) in &mut walks {
            if is_plain {
                walk.weigh_until(segment, worth, end, &mut |document, worth| {
                    window.touch(document, worth);
                });
                continue;
            }
            if walk.next() < window.start {
                walk.visit_until(window.start, &mut |_, _| ());
            }
            window.take(segment, walk, worth, end, *mark & counted);
        }
        for (cursor, mark) in &mut filters {
            if cursor.next() < window.start {
                cursor.visit_until(window.start, &mut |_, _| ());
            }
            let mut found = [0; WINDOW / 64];
            cursor.visit_until(end, &mut |document, _| {
                let at = window.place(document);
                found[at / 64] |= 1 << (at % 64);
            });
            window.mark(&found, *mark & counted);
        }
        hits.drain(window);
    }
}

/// Marks of filters that every document of this partition in the segment passes: they need not be looked at.
fn satisfied<S: Segment>(segment: &S, plan: &Plan) -> Result<u64, SearchError> {
    if plan.filters.is_empty() {
        return Ok(0);
    }
    let all = segment.holders(&plan.all)?;
    let mut satisfied = 0;
    for (key, mark) in &plan.filters {
        if mark & satisfied == 0 && segment.holders(key)? == all {
            satisfied |= mark;
        }
    }
    Ok(satisfied)
}

/// Takes documents that were found.
struct Hits<'a, S, C> {
    segment: &'a S,
    number: usize,
    plan: &'a Plan,
    /// Marks a document must have in this segment.
    required: u64,
    collect: &'a mut C,
}

impl<S: Segment, C: Collect<S>> Hits<'_, S, C> {
    /// Everything that a window has, which is empty then.
    fn drain(&mut self, window: &mut Window) {
        let (required, forbidden) = (self.required, self.plan.forbidden);
        let Window { start, worth, touched, marked } = window;
        for (at, touched) in touched.iter_mut().enumerate() {
            let touched = std::mem::take(touched);
            let mut bits = touched;
            for (number, marked) in marked.iter_mut().enumerate() {
                let having = std::mem::take(&mut marked[at]);
                if required >> number & 1 == 1 {
                    bits &= having;
                }
                if forbidden >> number & 1 == 1 {
                    bits &= !having;
                }
            }
            let mut rest = touched;
            while rest != 0 {
                let bit = rest & rest.wrapping_neg();
                let place = at * 64 + rest.trailing_zeros() as usize;
                rest ^= bit;
                let worth = worth.get_mut(place).map_or(0, std::mem::take);
                if bits & bit != 0 {
                    self.admit(*start + place as DocumentNumber, worth);
                }
            }
        }
    }

    #[inline]
    fn admit(&mut self, document: DocumentNumber, worth: u32) {
        let Hits { segment, number, plan, .. } = *self;
        let is_elsewhere = |group: u64| segment.group(Grouping::Group, document) != group;
        if !segment.is_live(document)
            || plan.group.is_some_and(is_elsewhere)
            || !plan.times.admits(|| segment.time_ms(document))
        {
            return;
        }
        let worth = plan.recency.apply(worth, || segment.time_ms(document));
        self.collect.hit(segment, number, document, worth);
    }
}
