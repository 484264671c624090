//! Pass: LIMIT without ORDER BY stops reading when enough is found.
//!
//! Answers without an ORDER BY are sorted by the elements of their first variable. If the first scan of a plan
//! comes by these in the same order, then everything it has yet to come by belongs behind what was found.

use crate::eval::Source;
use crate::plan::{Block, Slot};

/// The source of a plan whose rows come in the order of answers, which begin with this variable.
pub(crate) fn leading(root: &Block, first: Slot) -> Option<Source<'_>> {
    Source::of(root).filter(|source| source.sorted_by() == Some(first))
}
