//! Looks at the postings of a plan in one segment, window by window.

use super::collect::Collect;
use super::plan::{Plan, Worth};
use crate::SearchError;
use crate::index::generation::DocumentNumber;
use crate::index::segment::{Cursor, NO_MORE, Segment, SliceCursor};
use crate::request::Grouping;

/// Documents that are looked at together: their sums stay in the processor's nearest cache.
const WINDOW: usize = 4096;

/// Sums and marks of the documents of one window.
struct Window {
    start: DocumentNumber,
    worth: Box<[u32; WINDOW]>,
    /// Empty where everything that is found is a hit.
    marks: Vec<u64>,
    /// One bit per document that something was said about.
    touched: [u64; WINDOW / 64],
}

impl Window {
    fn new(has_marks: bool) -> Self {
        Window {
            start: 0,
            worth: Box::new([0; WINDOW]),
            marks: if has_marks { vec![0; WINDOW] } else { Vec::new() },
            touched: [0; WINDOW / 64],
        }
    }

    #[inline]
    fn touch(&mut self, document: DocumentNumber, worth: u32) -> usize {
        let at = (document - self.start) as usize & (WINDOW - 1);
        self.worth[at] = self.worth[at].saturating_add(worth);
        self.touched[at / 64] |= 1 << (at % 64);
        at
    }

    #[inline]
    fn mark(&mut self, document: DocumentNumber, worth: u32, mark: u64) {
        let at = self.touch(document, worth);
        if let Some(marks) = self.marks.get_mut(at) {
            *marks |= mark;
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
    let mut filters = Vec::new();
    for (key, mark) in &plan.filters {
        if let Some(cursor) = segment.cursor(key)? {
            filters.push((cursor, *mark));
        }
    }
    let mut hits = Hits { segment, number, plan, collect };
    // Most questions demand and forbid nothing: whatever is found is a hit.
    let is_plain = plan.required == Plan::HIT && plan.forbidden == 0;
    if is_plain && let [(walk, worth, _)] = &mut walks[..] {
        walk.weigh_until(segment, worth, NO_MORE, &mut |document, worth| hits.admit(document, worth));
        return Ok(());
    }
    let mut window = Window::new(!is_plain);
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
            walk.weigh_until(segment, worth, end, &mut |document, worth| {
                window.mark(document, worth, *mark);
            });
        }
        for (cursor, mark) in &mut filters {
            if cursor.next() < window.start {
                cursor.visit_until(window.start, &mut |_, _| ());
            }
            cursor.visit_until(end, &mut |document, _| window.mark(document, 0, *mark));
        }
        hits.drain(&mut window);
    }
}

/// Takes documents that were found.
struct Hits<'a, S, C> {
    segment: &'a S,
    number: usize,
    plan: &'a Plan,
    collect: &'a mut C,
}

impl<S: Segment, C: Collect<S>> Hits<'_, S, C> {
    /// Everything that a window has, which is empty then.
    fn drain(&mut self, window: &mut Window) {
        let wanted = self.plan.required | self.plan.forbidden;
        for at in 0..window.touched.len() {
            let mut bits = std::mem::take(&mut window.touched[at]);
            while bits != 0 {
                let place = at * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let worth = std::mem::take(&mut window.worth[place]);
                let marks = window.marks.get_mut(place).map_or(Plan::HIT, std::mem::take);
                if marks & wanted == self.plan.required {
                    self.admit(window.start + place as DocumentNumber, worth);
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
