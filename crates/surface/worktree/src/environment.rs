//! Environment variables that go before what the tree says.

use std::path::{Path, PathBuf};

use crate::{BranchName, WorktreeError};

/// Variables that name the branch; the first one that is set wins.
pub const BRANCH_VARIABLES: [&str; 2] = ["CAIRN_BRANCH", "KIBI_BRANCH"];
/// Variables that name the root of the tree; the first one that is set wins.
pub const WORKSPACE_VARIABLES: [&str; 2] = ["CAIRN_WORKSPACE", "KIBI_WORKSPACE"];

type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The branch that the environment names.
pub(crate) fn branch(env: Env<'_>) -> Result<Option<BranchName>, WorktreeError> {
    let Some((variable, value)) = first_set(env, BRANCH_VARIABLES) else { return Ok(None) };
    match BranchName::parse(&value) {
        Ok(name) => Ok(Some(name)),
        Err(problem) => {
            let value = value.chars().take(crate::limits::GIT_BRANCH_BYTES_MAX).collect();
            Err(WorktreeError::EnvBranch { variable, value, problem })
        }
    }
}

/// The root that the environment names, from `start` if it is relative.
pub(crate) fn workspace(env: Env<'_>, start: &Path) -> Result<Option<PathBuf>, WorktreeError> {
    let Some((variable, value)) = first_set(env, WORKSPACE_VARIABLES) else { return Ok(None) };
    let root = start.join(&value).canonicalize().ok().filter(|root| root.is_dir());
    root.map(Some).ok_or_else(|| WorktreeError::EnvWorkspace { variable, path: value.into() })
}

/// The first variable with a value. Blank is not set: scripts pass on variables that they do not have.
fn first_set(env: Env<'_>, names: [&'static str; 2]) -> Option<(&'static str, String)> {
    let set = |name: &'static str| {
        let value = env(name)?;
        let value = value.trim();
        (!value.is_empty()).then(|| (name, value.to_owned()))
    };
    names.into_iter().find_map(set)
}
