//! All branches of a clone.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::git::{GitDir, Head, loose_branches, packed_branches};
use crate::limits::{GIT_BRANCHES_MAX, GIT_WORKTREES_MAX};
use crate::retry::{retry, until_stable};
use crate::{BranchName, FileProblem, Workspace, WorktreeError};

impl Workspace {
    /// Lists the local branches of the clone, and branches without commits that are checked out in one of its
    /// worktrees; sorted, each once.
    ///
    /// The list is whole or an error: it decides whose KBs are removed. It is read until it is the same twice, so a
    /// branch that is being renamed is not missed. A branch that `CAIRN_BRANCH` names is in it only if git has it.
    pub fn branches(&self) -> Result<Vec<BranchName>, WorktreeError> {
        let git = self.git.as_ref().ok_or_else(|| WorktreeError::NotAGitRepo { start: self.root.clone() })?;
        let stable = until_stable(|| retry(|| list(git)))?;
        let names = stable.ok_or_else(|| WorktreeError::GitChanging { path: git.common.clone() })?;
        Ok(names.into_iter().collect())
    }
}

fn list(git: &GitDir) -> Result<BTreeSet<BranchName>, WorktreeError> {
    // Before the refs: a branch that gets its first commit meanwhile is found in one of both.
    let mut names = checked_out_anywhere(git)?;
    loose_branches(&git.common, &mut |name, _| {
        names.insert(name);
    })?;
    packed_branches(&git.common, &mut |name, _| {
        // Enough to be refused below.
        if names.len() <= GIT_BRANCHES_MAX {
            names.insert(name);
        }
    })?;
    if names.len() > GIT_BRANCHES_MAX {
        return Err(WorktreeError::git(&git.common, FileProblem::Content("it has too many branches")));
    }
    Ok(names)
}

/// The branches that `HEAD` of the main tree and of each linked worktree names.
fn checked_out_anywhere(git: &GitDir) -> Result<BTreeSet<BranchName>, WorktreeError> {
    let mut names: BTreeSet<BranchName> = Head::branch_named_in(&git.common)?.into_iter().collect();
    for worktree in worktrees(git)? {
        names.extend(Head::branch_named_in(&worktree)?);
    }
    Ok(names)
}

fn worktrees(git: &GitDir) -> Result<Vec<PathBuf>, WorktreeError> {
    let folder = git.common.join("worktrees");
    let refused = |problem| WorktreeError::git(&folder, problem);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refused(error.into())),
    };
    let mut worktrees = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| refused(error.into()))?.path();
        if worktrees.len() == GIT_WORKTREES_MAX {
            return Err(refused(FileProblem::Content("it has too many worktrees")));
        }
        if path.is_dir() {
            worktrees.push(path);
        }
    }
    Ok(worktrees)
}
