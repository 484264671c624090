//! Pass: OPTIONAL and NOT become joins: they are asked once, for all rows, by what they have in common with them.
//! Without it, they are asked for each row.

use crate::plan::{Block, Stage, Union};

pub(super) fn ask(block: &mut Block) {
    for stage in &mut block.stages {
        match stage {
            Stage::Step(_) => {}
            Stage::Optional(inner) | Stage::Not(inner) => {
                inner.is_asked_once = true;
                ask(inner);
            }
            Stage::Union(Union { branch, .. }) => ask(branch),
        }
    }
}
