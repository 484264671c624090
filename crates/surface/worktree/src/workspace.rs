//! A working tree.

use std::path::{Path, PathBuf};

use crate::git::GitDir;
use crate::{BranchName, KbConfig, WorktreeError, find};

/// The root of a working tree, and the repository that it belongs to.
///
/// One clone is one workspace: its worktrees and folders share the id, and each worktree has its own active branch.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) root: PathBuf,
    /// `None` outside of git, where the environment has to name the branch.
    pub(crate) git: Option<GitDir>,
    /// The branch that the environment names.
    pub(crate) named_branch: Option<BranchName>,
}

impl Workspace {
    /// Finds the tree that `start` is in. Nothing is written.
    ///
    /// The root is the folder in `CAIRN_WORKSPACE`, else the nearest folder from `start` up that has `.git` or
    /// `cairn-kb.toml`. The repository is that of the nearest folder from the root up that has `.git`. `env` returns
    /// the value of an environment variable.
    ///
    /// Fails if a variable has a value that cannot be used, if `.git` cannot be read, and outside of git unless
    /// `CAIRN_BRANCH` is set; then the root defaults to `start`.
    pub fn find(start: &Path, env: &dyn Fn(&str) -> Option<String>) -> Result<Workspace, WorktreeError> {
        find::find(start, env)
    }

    /// The root of the tree, an absolute path without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the tree belongs to a git repository.
    pub fn is_git(&self) -> bool {
        self.git.is_some()
    }

    /// The folder of the tree that has `.git`: the root, or above it.
    pub fn git_top(&self) -> Option<&Path> {
        self.git.as_ref().map(|git| git.tree.as_path())
    }

    /// The git directory that all worktrees of the clone share.
    pub fn git_common_dir(&self) -> Option<&Path> {
        self.git.as_ref().map(|git| git.common.as_path())
    }

    /// The main worktree of the clone, if this is a linked one.
    pub fn main_tree(&self) -> Option<&Path> {
        let git = self.git.as_ref().filter(|git| git.own != git.common)?;
        git.common.parent().filter(|_| git.common.file_name().is_some_and(|name| name == ".git"))
    }

    /// Reads the settings of the KB; `rules` are the names of all checks.
    pub fn config(&self, rules: &[&str]) -> Result<KbConfig, WorktreeError> {
        KbConfig::read(&self.root, rules)
    }

    /// The folder of cairn that all worktrees of the clone share: `cairn` in the common git directory, or
    /// `.cairn-workspace` in the root outside of git.
    pub(crate) fn shared_folder(&self) -> PathBuf {
        self.git.as_ref().map_or_else(|| self.plain_folder(), |git| git.common.join("cairn"))
    }

    /// The folder of cairn of this worktree alone.
    pub(crate) fn own_folder(&self) -> PathBuf {
        self.git.as_ref().map_or_else(|| self.plain_folder(), |git| git.own.join("cairn"))
    }

    fn plain_folder(&self) -> PathBuf {
        self.root.join(".cairn-workspace")
    }
}
