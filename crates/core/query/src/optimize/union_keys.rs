//! Pass: a UNION inside an OPTIONAL or NOT is asked for what goes together with rows from outside, instead of
//! for everything there is.
//!
//! What its branch binds has to agree with what there is from outside. Patterns that come first in the branch
//! give the same rows whether these are compared before or after; what an OPTIONAL binds would not. A UNION inside
//! of the branch would find what is known from outside where it binds nothing itself.

use crate::plan::{Draft, Part};

pub(super) fn keep(draft: &mut Draft) {
    for part in &mut draft.parts {
        if let Part::Union(branch) = part
            && let Some(Part::Run(first)) = branch.draft.parts.first()
            && !branch.draft.parts.iter().any(|part| matches!(part, Part::Union(_)))
        {
            let is_bound = |slot| first.slots().any(|own| own == slot);
            branch.keys = branch.agree_on.iter().copied().filter(|slot| is_bound(*slot)).collect();
        }
    }
    for inner in draft.inner() {
        keep(inner);
    }
}
