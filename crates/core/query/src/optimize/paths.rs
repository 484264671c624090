//! Pass: a path between two ends that are both known is walked from both of them until the walks meet, each time
//! on from the side that has fewer places. Without it, from one side.

use super::each_step;
use crate::plan::{Block, Work};

pub(super) fn meet(block: &mut Block) {
    each_step(block, &mut |step| {
        if let Work::Path(path) = &mut step.work {
            path.meets = path.subject.is_bound && path.object.is_bound;
        }
    });
}
