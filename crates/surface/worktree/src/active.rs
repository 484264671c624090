//! The branch that is active in a working tree.

use crate::git::{Commit, GitDir, Head, Pointer, loose_branches, packed_branches};
use crate::limits::{GIT_LINE_FILE_BYTES_MAX, GIT_READS_MAX};
use crate::retry::retry;
use crate::{BranchName, Workspace, WorktreeError};

/// The branch whose KB a call reads and writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveBranch {
    /// The branch.
    pub branch: BranchName,
    /// The place where its name was found.
    pub source: BranchSource,
    /// The branch that was active before in this worktree, as [`Workspace::remember`] stored it; `None` if it is the
    /// same one, or if none was stored.
    pub previous: Option<BranchName>,
}

/// The place where the name of the active branch was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchSource {
    /// `CAIRN_BRANCH` or `KIBI_BRANCH`.
    Env,
    /// `HEAD` names it; it may have no commits yet.
    Head,
    /// `HEAD` is detached, and it is the only branch that points at the commit.
    Detached,
}

impl Workspace {
    /// Reads the active branch.
    ///
    /// `CAIRN_BRANCH` as it was when the workspace was found goes before `HEAD`, which is read at each call. Of a
    /// detached `HEAD` the branch is the one that points at its commit, if exactly one does.
    pub fn branch(&self) -> Result<ActiveBranch, WorktreeError> {
        let (branch, source) = match (&self.named_branch, &self.git) {
            (Some(branch), _) => (branch.clone(), BranchSource::Env),
            (None, Some(git)) => checked_out(git)?,
            (None, None) => return Err(WorktreeError::NotAGitRepo { start: self.root.clone() }),
        };
        let previous = self.remembered()?.filter(|previous| *previous != branch);
        Ok(ActiveBranch { branch, source, previous })
    }
}

fn checked_out(git: &GitDir) -> Result<(BranchName, BranchSource), WorktreeError> {
    let mut head = Head::read(git)?;
    for _ in 0..GIT_READS_MAX {
        match &head {
            Head::Branch(branch) => return Ok((branch.clone(), BranchSource::Head)),
            Head::Elsewhere(name) => {
                return Err(WorktreeError::DetachedHead { head: name.clone(), candidates: Vec::new() });
            }
            Head::Detached(commit) => {
                let candidates = retry(|| pointing_at(git, commit))?;
                let now = Head::read(git)?;
                // Only then did the branch point there while HEAD did.
                if now == head {
                    return only(candidates, commit).map(|branch| (branch, BranchSource::Detached));
                }
                head = now;
            }
        }
    }
    Err(WorktreeError::GitChanging { path: git.own.clone() })
}

fn only(mut candidates: Vec<BranchName>, commit: &Commit) -> Result<BranchName, WorktreeError> {
    match (candidates.pop(), candidates.is_empty()) {
        (Some(branch), true) => Ok(branch),
        (last, _) => {
            candidates.extend(last);
            Err(WorktreeError::DetachedHead { head: commit.to_string(), candidates })
        }
    }
}

/// The branches that point at a commit, in order. Loose refs are read before packed ones and hide them: git packs a
/// ref before it removes the loose one. A branch that is a symbolic ref is not one of its own.
fn pointing_at(git: &GitDir, commit: &Commit) -> Result<Vec<BranchName>, WorktreeError> {
    let mut branches = std::collections::BTreeMap::new();
    loose_branches(&git.common, &mut |name, path| {
        let content = crate::file::read(path, crate::file::Links::Follow, GIT_LINE_FILE_BYTES_MAX);
        // Removed meanwhile: then it is packed, or gone.
        if let Ok(content) = content {
            branches.insert(name, Pointer::parse(&content));
        }
    })?;
    packed_branches(&git.common, &mut |name, commit| {
        branches.entry(name).or_insert(Some(Pointer::Commit(commit)));
    })?;
    let points =
        |pointer: &Option<Pointer>| matches!(pointer, Some(Pointer::Commit(found)) if found == commit);
    Ok(branches.into_iter().filter(|(_, pointer)| points(pointer)).map(|(name, _)| name).collect())
}
