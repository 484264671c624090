//! The folder of the hooks of a working tree.

use std::path::{Path, PathBuf};

use cairn_worktree::Workspace;

use super::Git;
use crate::failure::Failure;

/// The folder of hooks, inside of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HooksFolder {
    /// The folder; it may not exist yet.
    pub(crate) path: PathBuf,
    /// Whether its files are run by `sh`, executable or not.
    pub(crate) is_run_by_shell: bool,
    /// Folders that hooks may be in: the working tree, and the git directory that all worktrees share.
    inside: [PathBuf; 2],
}

impl Git {
    /// Finds the folder of hooks: that of `core.hooksPath`, else `hooks` in the git directory that all worktrees share.
    /// Where that has the stubs of husky, it is the folder above, whose files they run.
    ///
    /// Fails if it is outside of the repository, because hooks there run in other repositories, too, and if git works on
    /// another repository than that of the workspace, because variables such as `GIT_DIR` say so.
    pub(crate) fn hooks_folder(&self, workspace: &Workspace) -> Result<HooksFolder, Failure> {
        let tree = self.line(&["rev-parse", "--show-toplevel"])?;
        let at_tree = Git::at(&tree);
        let absolute = |path: PathBuf| tree.join(path);
        let common = absolute(at_tree.line(&["rev-parse", "--git-common-dir"])?);
        let path = absolute(at_tree.line(&["rev-parse", "--git-path", "hooks"])?);
        let canonical = |path: &Path| {
            path.canonicalize().map_err(|error| Failure::io(format_args!("read {}", path.display()), &error))
        };
        let inside = [canonical(&tree)?, canonical(&common)?];
        let own = [workspace.git_top(), workspace.git_common_dir()];
        if let Some((other, own)) = inside
            .iter()
            .zip(own)
            .find_map(|(found, own)| own.filter(|own| found != own).map(|own| (found, own)))
        {
            let (other, own) = (other.display(), own.display());
            return Err(Failure::usage(format!("git works on {other}, and the workspace is that of {own}"))
                .hint("unset GIT_DIR, GIT_WORK_TREE and GIT_COMMON_DIR"));
        }
        let is_husky = path.file_name().is_some_and(|name| name == "_") && path.join("h").is_file();
        let path = match path.parent() {
            Some(above) if is_husky => above.to_owned(),
            _ => path,
        };
        let folder = HooksFolder { path, is_run_by_shell: is_husky, inside };
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
