//! Inputs and outputs of the `kb_*` tools, one file per tool.

mod skills_list;
mod skills_load;
mod skills_read;

pub use skills_list::{SkillsListInput, SkillsListOutput};
pub use skills_load::{SkillsLoadInput, SkillsLoadOutput};
pub use skills_read::{SkillsReadInput, SkillsReadOutput};
