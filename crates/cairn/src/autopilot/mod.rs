//! Candidates for the KB of a working tree: the one place where files, settings, the branch and `cairn_autopilot` come
//! together, for the command and for tool calls of the process that has the tree.
//!
//! Nothing is written: not the tree, not `.git`, not the store.

mod existing;
mod files;
mod project;

pub(crate) use self::existing::{Held, existing};

use cairn_autopilot::{AutopilotInput, AutopilotOutput, Sources};
use cairn_kb::Rule;
use cairn_worktree::{Lanes, Workspace};

use crate::failure::Failure;

/// Generates candidates from the files of a tree. `held` is what the branch has.
pub(crate) fn generate(
    workspace: &Workspace,
    held: &Held,
    input: &AutopilotInput,
) -> Result<AutopilotOutput, Failure> {
    let config = workspace.config(Rule::TEXTS)?;
    let lanes = Lanes::of(&config.paths)?;
    let listing = files::listing(workspace, &lanes)?;
    let project = project::project(workspace, &config, &lanes, &held.snapshot_id);
    let tree = files::Files::open(workspace)?;
    let sources = Sources { tree: &tree, listing, project: &project, existing: &held.existing };
    cairn_autopilot::generate(sources, input)
        .map_err(|error| Failure::usage(error.to_string()).with_code(error.code()))
}
