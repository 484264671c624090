//! Pass: a FILTER about one variable is asked while the concepts of its type are read, so that those that it
//! lets go take neither a row nor memory.

use crate::plan::{Block, Stage, Step, Union, Work};

pub(super) fn filter(block: &mut Block) {
    let mut stages: Vec<Stage> = Vec::with_capacity(block.stages.len());
    for mut stage in std::mem::take(&mut block.stages) {
        match (&mut stage, stages.last_mut()) {
            (
                Stage::Step(Step { work: Work::Filter(filter), estimate, .. }),
                Some(Stage::Step(Step { work: Work::Elements(scan), estimate: before, .. })),
            ) if scan.scanned().is_some() && filter.slots().all(|slot| slot == scan.slot) => {
                scan.filters.push(std::sync::Arc::clone(filter));
                *before = *estimate;
                continue;
            }
            (Stage::Optional(inner) | Stage::Not(inner) | Stage::Union(Union { branch: inner, .. }), _) => {
                self::filter(inner)
            }
            (Stage::Step(_), _) => {}
        }
        stages.push(stage);
    }
    block.stages = stages;
}
