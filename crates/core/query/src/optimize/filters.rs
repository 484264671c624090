//! Pass: FILTERs go to where their variables are bound, so that what comes after has fewer rows.
//!
//! A FILTER looks at variables that are bound before it, and neither OPTIONAL nor NOT changes those: it can go
//! before them. Rows after a UNION are those of its two sides, so a FILTER can go into both.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::filter::Filter;
use crate::plan::{Draft, Part, Run, Slot};

pub(super) fn push(draft: &mut Draft) {
    for at in (0..draft.parts.len()).rev() {
        let Part::Run(run) = &mut draft.parts[at] else { continue };
        for filter in std::mem::take(&mut run.filters) {
            place(draft, at, filter);
        }
    }
    draft.parts.retain(|part| !matches!(part, Part::Run(run) if run.is_empty()));
    for inner in draft.inner() {
        push(inner);
    }
}

/// Puts a filter into the run at a place, or further to the front.
fn place(draft: &mut Draft, at: usize, filter: Arc<Filter>) {
    let slots: BTreeSet<Slot> = filter.slots().collect();
    let mut at = at;
    // The front-most run that has everything, with nothing in between that gives other rows.
    for before in (0..at).rev() {
        let is_passed = match &draft.parts[before] {
            Part::Run(run) => {
                let is_needed = run.slots().any(|slot| slots.contains(&slot));
                if draft.seen_before(before + 1).is_superset(&slots) {
                    at = before;
                }
                !is_needed
            }
            Part::Optional(_) | Part::Not(_) => draft.seen_before(before).is_superset(&slots),
            Part::Union(branch) => {
                let other_side = branch.is_first || has_run_with(draft, before, &slots);
                if other_side && branch.draft.binds.is_superset(&slots) {
                    return into_union(draft, before, filter);
                }
                false
            }
        };
        if !is_passed {
            break;
        }
    }
    if let Part::Run(run) = &mut draft.parts[at] {
        run.filters.push(filter);
    }
}

/// Whether a run before a part can take a filter that looks at these.
fn has_run_with(draft: &Draft, part: usize, slots: &BTreeSet<Slot>) -> bool {
    part > 0 && draft.seen_before(part).is_superset(slots) && matches!(draft.parts[part - 1], Part::Run(_))
}

/// On the side before a UNION, and in its branch.
fn into_union(draft: &mut Draft, union: usize, filter: Arc<Filter>) {
    if let Part::Union(branch) = &mut draft.parts[union] {
        branch.draft.parts.push(Part::Run(Run { atoms: Vec::new(), filters: vec![Arc::clone(&filter)] }));
        if branch.is_first {
            return;
        }
    }
    place(draft, union - 1, filter);
}
