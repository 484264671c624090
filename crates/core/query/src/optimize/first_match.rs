//! Pass: a NOT only has to know whether there is a match, so its last join stops at the first one of each row.

use crate::plan::{Block, Stage, Step, Union, Work};

pub(super) fn stop(block: &mut Block) {
    for stage in &mut block.stages {
        match stage {
            Stage::Step(_) => {}
            Stage::Not(inner) => {
                if let Some(Stage::Step(Step { work: Work::Links(last), .. })) = inner.stages.last_mut() {
                    last.is_one_enough = true;
                }
                stop(inner);
            }
            Stage::Optional(inner) | Stage::Union(Union { branch: inner, .. }) => stop(inner),
        }
    }
}
