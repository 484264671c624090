//! The folder of a repository, from the `.git` of a working tree.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::file::{self, Links};
use crate::limits::GIT_LINE_FILE_BYTES_MAX;
use crate::{FileProblem, WorktreeError};

/// A working tree of git, and the two folders of its repository; they are the same unless it is a linked worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDir {
    /// The folder that has `.git`.
    pub(crate) tree: PathBuf,
    /// Has `HEAD` of this working tree.
    pub(crate) own: PathBuf,
    /// Has the refs of all worktrees of the clone.
    pub(crate) common: PathBuf,
}

impl GitDir {
    /// Reads `tree/.git`. Returns `None` if there is none, or a folder that is no repository, as git does.
    pub(crate) fn of(tree: &Path) -> Result<Option<GitDir>, WorktreeError> {
        let dot_git = tree.join(".git");
        let found = match fs::metadata(&dot_git) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // A link to nowhere is there.
                let is_link = fs::symlink_metadata(&dot_git).is_ok();
                return if is_link {
                    Err(WorktreeError::git(&dot_git, FileProblem::Missing))
                } else {
                    Ok(None)
                };
            }
            Err(error) => return Err(WorktreeError::git(&dot_git, error.into())),
        };
        let own = if found.is_dir() {
            if !is_repository(&dot_git) {
                return Ok(None);
            }
            dot_git
        } else {
            named_by(&dot_git)?
        };
        let own = canonical(&own)?;
        let common = common(&own)?;
        Ok(Some(GitDir { tree: tree.to_owned(), own, common }))
    }
}

/// Whether a folder has what every repository has. The folders that are written to must.
pub(crate) fn is_repository(folder: &Path) -> bool {
    has_head(folder) && folder.join("objects").is_dir() && folder.join("refs").exists()
}

/// `HEAD` may be a symbolic link to a branch without commits.
fn has_head(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("HEAD")).is_ok()
}

/// The folder that a `.git` file of a worktree or submodule names.
fn named_by(dot_git: &Path) -> Result<PathBuf, WorktreeError> {
    let refused = |problem| WorktreeError::git(dot_git, problem);
    let content = file::read(dot_git, Links::Follow, GIT_LINE_FILE_BYTES_MAX).map_err(refused)?;
    let line = content.strip_prefix(b"gitdir:");
    let line = line.ok_or_else(|| refused(FileProblem::Content("it does not start with `gitdir:`")))?;
    let folder = resolve(line, dot_git.parent().unwrap_or(Path::new("")));
    let folder = folder.ok_or_else(|| refused(FileProblem::Content("it names no folder")))?;
    if !folder.is_dir() || !has_head(&folder) {
        return Err(refused(FileProblem::Content("the folder that it names is no git directory")));
    }
    Ok(folder)
}

/// The folder that the worktrees of a clone share.
fn common(own: &Path) -> Result<PathBuf, WorktreeError> {
    let path = own.join("commondir");
    let refused = |problem| WorktreeError::git(&path, problem);
    let folder = match file::read(&path, Links::Follow, GIT_LINE_FILE_BYTES_MAX) {
        Ok(content) => {
            let folder =
                resolve(&content, own).ok_or_else(|| refused(FileProblem::Content("it names no folder")))?;
            canonical(&folder)?
        }
        Err(FileProblem::Missing) => own.to_owned(),
        Err(problem) => return Err(refused(problem)),
    };
    if !is_repository(&folder) {
        return Err(WorktreeError::git(&folder, FileProblem::Content("it is no git repository")));
    }
    Ok(folder)
}

/// The path in a line, relative to `base`.
fn resolve(line: &[u8], base: &Path) -> Option<PathBuf> {
    let path = line.trim_ascii();
    let is_path = !path.is_empty() && !path.iter().any(|byte| matches!(byte, 0 | b'\n'));
    is_path.then(|| base.join(OsStr::from_bytes(path)))
}

fn canonical(folder: &Path) -> Result<PathBuf, WorktreeError> {
    folder.canonicalize().map_err(|error| WorktreeError::git(folder, error.into()))
}
