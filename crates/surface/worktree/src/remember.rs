//! The branch that was active last in a worktree, remembered across restarts.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::file::{self, Links};
use crate::limits::GIT_LINE_FILE_BYTES_MAX;
use crate::workspace_id::ensure_folder;
use crate::{BranchName, FileProblem, Workspace, WorktreeError};

/// Names of unfinished files differ within a process, too.
static WRITES: AtomicU64 = AtomicU64::new(0);

impl Workspace {
    /// Stores `branch` as the one that was active last in this worktree; [`Workspace::branch`] returns it as the
    /// previous one as soon as another branch is active. Call it when the KB of `branch` is there.
    ///
    /// Returns whether anything was written: only a change is. It is `cairn/branch` in the git directory of the
    /// worktree, or `.cairn-workspace/branch` in the root outside of git, and is replaced as a whole.
    pub fn remember(&self, branch: &BranchName) -> Result<bool, WorktreeError> {
        if self.remembered()?.as_ref() == Some(branch) {
            return Ok(false);
        }
        let path = self.remembered_path();
        let content = format!("{branch}\n");
        match replace(&path, content.as_bytes()) {
            Ok(()) => Ok(true),
            Err(source) => Err(WorktreeError::StateWrite { path, source }),
        }
    }

    /// The branch that was stored last; `None` if the file is missing or damaged.
    pub(crate) fn remembered(&self) -> Result<Option<BranchName>, WorktreeError> {
        let path = self.remembered_path();
        match file::read(&path, Links::Refuse, GIT_LINE_FILE_BYTES_MAX) {
            Ok(content) => Ok(parse(&content)),
            Err(FileProblem::Missing) => Ok(None),
            Err(problem) => Err(WorktreeError::State { path, problem }),
        }
    }

    fn remembered_path(&self) -> PathBuf {
        self.own_folder().join("branch")
    }
}

/// The name may be one that git gave, or one that a person gave.
fn parse(content: &[u8]) -> Option<BranchName> {
    let name = content.strip_suffix(b"\n")?;
    BranchName::from_git(name).ok().or_else(|| BranchName::parse(std::str::from_utf8(name).ok()?).ok())
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::NotFound)?;
    ensure_folder(folder)?;
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("branch-{}-{write}.new", process::id()));
    let replaced = write_whole(&unfinished, content).and_then(|()| fs::rename(&unfinished, path));
    if replaced.is_err() {
        // Half a file is of no use; the first error is what counts.
        let _ = fs::remove_file(&unfinished);
    }
    replaced
}

fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(content)?;
    file.sync_data()
}
