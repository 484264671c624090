//! Pass: links from ends that are bound are looked up one by one, or read all at once, whichever is less for the
//! rows that there really are. Without it, they are looked up.

use super::each_step;
use crate::plan::{Block, Method, Work};

pub(super) fn choose(block: &mut Block) {
    each_step(block, &mut |step| {
        if let Work::Links(links) = &mut step.work {
            links.method = Method::Cheapest;
        }
    });
}
