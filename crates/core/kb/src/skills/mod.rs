//! Agent skills: guides for agents, embedded in the binary.
//!
//! A skill is a folder of `skills/` with a `SKILL.md` (front matter and a body) and the resources that its front
//! matter declares. No request opens a file: reads come from the table in `bundled.rs`, and only by a declared
//! path.

mod bundled;
mod error;
#[cfg(test)]
pub(crate) mod examples;
mod front_matter;
mod manifest;
mod skill;

pub(crate) use bundled::{find, list};
pub use error::SkillError;
pub use manifest::{SkillManifest, SkillSource};
pub(crate) use skill::Skill;
