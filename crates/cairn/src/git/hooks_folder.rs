//! The folder of the hooks of a working tree.

use std::path::{Path, PathBuf};

use super::Git;
use crate::failure::Failure;

/// The folder of hooks, inside of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HooksFolder {
    /// The folder; it may not exist yet.
    pub(crate) path: PathBuf,
    /// Folders that hooks may be in: the working tree, and the git directory that all worktrees share.
    inside: [PathBuf; 2],
}

impl Git {
    /// Finds the folder of hooks: that of `core.hooksPath`, else `hooks` in the git directory that all worktrees share.
    /// Fails if it is outside of the repository, because hooks there run in other repositories, too.
    pub(crate) fn hooks_folder(&self) -> Result<HooksFolder, Failure> {
        let tree = self.line(&["rev-parse", "--show-toplevel"])?;
        let at_tree = Git::at(&tree);
        let absolute = |path: PathBuf| tree.join(path);
        let common = absolute(at_tree.line(&["rev-parse", "--git-common-dir"])?);
        let path = absolute(at_tree.line(&["rev-parse", "--git-path", "hooks"])?);
        let canonical = |path: &Path| {
            path.canonicalize().map_err(|error| Failure::io(format_args!("read {}", path.display()), &error))
        };
        let folder = HooksFolder { inside: [canonical(&tree)?, canonical(&common)?], path };
        if !folder.holds(&folder.path) {
            return Err(Failure::usage(format!(
                "the folder of hooks, {}, is outside of the repository",
                folder.path.display()
            ))
            .hint("other repositories use it, too; set core.hooksPath of this repository to a folder inside of it"));
        }
        Ok(folder)
    }
}

impl HooksFolder {
    /// Whether a path, after all links, is inside of the repository. What does not exist is where its folder is.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        let existing = path.ancestors().find_map(|folder| folder.canonicalize().ok());
        existing.is_some_and(|found| self.inside.iter().any(|folder| found.starts_with(folder)))
    }
}
