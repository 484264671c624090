//! `HEAD`: the branch or commit that is checked out.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{Commit, GitDir, Pointer};
use crate::file::{self, Links};
use crate::limits::{GIT_LINE_FILE_BYTES_MAX, GIT_READS_MAX, GIT_SYMBOLIC_REFS_MAX};
use crate::retry::retry;
use crate::{BranchName, FileProblem, WorktreeError};

const BRANCHES: &[u8] = b"refs/heads/";

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Head {
    /// A branch, which may have no commit yet.
    Branch(BranchName),
    /// A commit.
    Detached(Commit),
    /// A ref that is no branch.
    Elsewhere(String),
}

impl Head {
    /// Reads what is checked out in the working tree, waiting for a write in progress.
    ///
    /// A branch that is a symbolic ref stands for the branch it leads to, as in `git branch --show-current`.
    pub(crate) fn read(git: &GitDir) -> Result<Head, WorktreeError> {
        let mut pointer = read_pointer(&git.own.join("HEAD"))?;
        for _ in 0..=GIT_SYMBOLIC_REFS_MAX {
            let name = match pointer {
                Pointer::Commit(commit) => return Ok(Head::Detached(commit)),
                Pointer::Ref(name) => name,
            };
            let Some(branch) = name.strip_prefix(BRANCHES) else {
                return Ok(Head::Elsewhere(String::from_utf8_lossy(&name).into_owned()));
            };
            let branch = checked(branch, git)?;
            match leads_to(git, &branch)? {
                Some(other) => pointer = Pointer::Ref(other),
                None => return Ok(Head::Branch(branch)),
            }
        }
        Err(WorktreeError::git(&git.own.join("HEAD"), FileProblem::Content("its symbolic refs do not end")))
    }

    /// Reads the branch that the `HEAD` in a folder names; `None` if it names none that can be used, or is missing.
    pub(crate) fn branch_named_in(folder: &Path) -> Result<Option<BranchName>, WorktreeError> {
        match read_pointer(&folder.join("HEAD")) {
            Ok(Pointer::Ref(name)) => {
                Ok(name.strip_prefix(BRANCHES).and_then(|branch| BranchName::from_git(branch).ok()))
            }
            Ok(Pointer::Commit(_)) => Ok(None),
            Err(WorktreeError::GitUnreadable { problem: FileProblem::Missing, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn checked(branch: &[u8], git: &GitDir) -> Result<BranchName, WorktreeError> {
    // The name that git gives HEAD for readers which know only refs in files.
    if branch == b".invalid" {
        return Err(WorktreeError::Reftable { path: git.common.clone() });
    }
    BranchName::from_git(branch).map_err(|problem| WorktreeError::BranchName {
        name: String::from_utf8_lossy(branch).into_owned(),
        problem,
    })
}

/// The other ref that a branch stands for; `None` for an ordinary branch, with commits or without.
fn leads_to(git: &GitDir, branch: &BranchName) -> Result<Option<Vec<u8>>, WorktreeError> {
    let path = git.common.join("refs/heads").join(branch.as_str());
    match file::read(&path, Links::Follow, GIT_LINE_FILE_BYTES_MAX) {
        Ok(content) if content.starts_with(b"ref:") => match read_pointer(&path)? {
            Pointer::Ref(other) => Ok(Some(other)),
            Pointer::Commit(_) => Ok(None),
        },
        // The name of the branch is known, whatever state its commit is in.
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Reads a ref again until it is whole.
fn read_pointer(path: &Path) -> Result<Pointer, WorktreeError> {
    settle(path, || read_line(path))
}

/// Git ends a ref with a line break, so without one it may be half of one that is being written, unless it is the same
/// at every read.
fn settle(
    path: &Path,
    mut read: impl FnMut() -> Result<Vec<u8>, FileProblem>,
) -> Result<Pointer, WorktreeError> {
    let mut last = Vec::new();
    let mut same_reads = 0;
    retry(|| {
        let content = read().map_err(|problem| WorktreeError::git(path, problem))?;
        same_reads = if content == last { same_reads + 1 } else { 1 };
        let is_whole = content.ends_with(b"\n") || same_reads == GIT_READS_MAX;
        let pointer = Pointer::parse(&content).filter(|_| is_whole);
        last = content;
        let problem = || FileProblem::Content("it names neither a branch nor a commit");
        pointer.ok_or_else(|| WorktreeError::git(path, problem()))
    })
}

/// The content of a ref. Old versions of git made `HEAD` a symbolic link to the ref.
fn read_line(path: &Path) -> Result<Vec<u8>, FileProblem> {
    match file::read(path, Links::Refuse, GIT_LINE_FILE_BYTES_MAX) {
        Err(FileProblem::NotAFile) => match fs::read_link(path) {
            Ok(target) if target.as_os_str().as_bytes().starts_with(b"refs/") => {
                Ok([b"ref: ", target.as_os_str().as_bytes(), b"\n"].concat())
            }
            Ok(_) => file::read(path, Links::Follow, GIT_LINE_FILE_BYTES_MAX),
            Err(_) => Err(FileProblem::NotAFile),
        },
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file that has these contents one after the other, and the last one from then on.
    fn check(contents: &[&str], expected: Option<&str>) {
        let mut reads = 0;
        let pointer = settle(Path::new("HEAD"), || {
            let content = contents[reads.min(contents.len() - 1)];
            reads += 1;
            if content == "gone" { Err(FileProblem::Missing) } else { Ok(content.into()) }
        });
        let expected = expected.map(|name| Pointer::Ref(name.into()));
        assert_eq!(pointer.ok(), expected, "{contents:?}");
    }

    #[test]
    fn half_of_a_ref_is_no_ref() {
        check(&["ref: refs/heads/main\n"], Some("refs/heads/main"));
        check(
            &["", "gone", "ref: refs/he", "ref: refs/he", "ref: refs/heads/main\n"],
            Some("refs/heads/main"),
        );
        check(
            &["ref: refs/heads/m", "ref: refs/heads/ma", "ref: refs/heads/main\n"],
            Some("refs/heads/main"),
        );
        check(&["", "ref: refs/heads/main"], None);
        check(&["ref: refs/heads/main"], Some("refs/heads/main"));
        check(&["gone"], None);
        check(&["abc\n"], None);
    }
}
