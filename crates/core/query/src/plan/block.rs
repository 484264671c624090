//! Blocks: the stages of a WHERE, OPTIONAL, NOT or UNION, in order.

use super::Step;
use super::scope::Slot;

/// What is run over rows from outside.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) stages: Vec<Stage>,
    /// Variables from outside that it uses. If there are none it is the same for every row.
    pub(crate) shared: Vec<Slot>,
    /// Whether it is asked once for all rows that agree on those, instead of once for each row.
    pub(crate) is_asked_once: bool,
    /// Which of all stages it is.
    pub(crate) number: usize,
}

/// One stage of a block.
#[derive(Debug)]
pub(crate) enum Stage {
    Step(Step),
    /// Rows that find nothing stay as they are.
    Optional(Block),
    /// Rows that find something go.
    Not(Block),
    Union(Union),
}

/// Rows of a branch beside those there are.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) branch: Block,
    /// Whether the block begins with it: then there is no other side.
    pub(crate) is_first: bool,
    /// What the branch binds that the block has from outside: there they have to agree.
    pub(crate) agree_on: Vec<Slot>,
    /// All variables afterwards: rows that agree on them are one.
    pub(crate) visible: Vec<Slot>,
    /// What the branch is asked with from outside, instead of being asked for everything.
    pub(crate) keys: Vec<Slot>,
}

impl Block {
    /// Numbers all stages, the outer ones first.
    pub(super) fn number_stages(&mut self, next: &mut usize) {
        for stage in &mut self.stages {
            let number = *next;
            *next += 1;
            match stage {
                Stage::Step(step) => step.number = number,
                Stage::Optional(block) | Stage::Not(block) | Stage::Union(Union { branch: block, .. }) => {
                    block.number = number;
                    block.number_stages(next);
                }
            }
        }
    }
}

impl Stage {
    pub(crate) fn number(&self) -> usize {
        match self {
            Stage::Step(step) => step.number,
            Stage::Optional(block) | Stage::Not(block) | Stage::Union(Union { branch: block, .. }) => {
                block.number
            }
        }
    }
}
