//! Finding the root of a tree.

use std::path::{Path, PathBuf};

use crate::git::{GitDir, is_repository};
use crate::limits::TREE_ANCESTORS_MAX;
use crate::{Workspace, WorktreeError, config, environment};

pub(crate) fn find(start: &Path, env: &dyn Fn(&str) -> Option<String>) -> Result<Workspace, WorktreeError> {
    let named_branch = environment::branch(env)?;
    let named_root = environment::workspace(env, start)?;
    let start = match &named_root {
        Some(root) => root.clone(),
        None => {
            start.canonicalize().map_err(|source| WorktreeError::Start { path: start.to_owned(), source })?
        }
    };
    let (configured, git) = search(&start)?;
    let nearest = nearer(configured, git.as_ref().map(|(tree, _)| tree.clone()));
    let root = named_root.or(nearest).unwrap_or_else(|| start.clone());
    let git = git.map(|(_, git)| git);
    if git.is_none() && named_branch.is_none() {
        return Err(match start.ancestors().take(TREE_ANCESTORS_MAX).find(|folder| is_repository(folder)) {
            Some(bare) => WorktreeError::BareRepository { path: bare.to_owned() },
            None => WorktreeError::NotAGitRepo { start },
        });
    }
    Ok(Workspace { root, git, named_branch })
}

type Found = (Option<PathBuf>, Option<(PathBuf, GitDir)>);

/// The nearest folder with a configuration that is not above the repository, and the nearest one with a repository.
fn search(start: &Path) -> Result<Found, WorktreeError> {
    let mut configured = None;
    for folder in start.ancestors().take(TREE_ANCESTORS_MAX) {
        if configured.is_none() && folder.join(config::TOML).exists() {
            configured = Some(folder.to_owned());
        }
        if let Some(git) = GitDir::of(folder)? {
            return Ok((configured, Some((folder.to_owned(), git))));
        }
    }
    Ok((configured, None))
}

/// Both are ancestors of one folder, so the longer path is the nearer one.
fn nearer(one: Option<PathBuf>, other: Option<PathBuf>) -> Option<PathBuf> {
    [one, other].into_iter().flatten().max_by_key(|path| path.as_os_str().len())
}
