//! Loose refs: a file per branch below `refs/heads`.

use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::limits::{GIT_BRANCH_BYTES_MAX, GIT_REF_ENTRIES_MAX};
use crate::{BranchName, FileProblem, WorktreeError};

/// Calls back with each loose branch and its file, in no particular order. Files with names that no branch of a KB can
/// have are left out.
///
/// Fails if `refs/heads` is no folder, as with reftables, or has too many entries.
pub(crate) fn loose_branches(
    common: &Path,
    visit: &mut dyn FnMut(BranchName, &Path),
) -> Result<(), WorktreeError> {
    let heads = common.join("refs/heads");
    if heads.is_file() {
        return Err(WorktreeError::Reftable { path: common.to_owned() });
    }
    let mut folders = vec![(heads, OsString::new())];
    let mut entries = 0_usize;
    while let Some((folder, prefix)) = folders.pop() {
        for entry in entries_of(&folder)? {
            entries += 1;
            if entries > GIT_REF_ENTRIES_MAX {
                return Err(WorktreeError::git(&folder, FileProblem::Content("it has too many entries")));
            }
            let mut name = prefix.clone();
            name.push(entry.file_name());
            let path = entry.path();
            match is_folder(&entry) {
                Some(true) if name.len() < GIT_BRANCH_BYTES_MAX => {
                    name.push("/");
                    folders.push((path, name));
                }
                Some(false) => {
                    if let Ok(branch) = BranchName::from_git(name.as_bytes()) {
                        visit(branch, &path);
                    }
                }
                Some(true) | None => {}
            }
        }
    }
    Ok(())
}

/// The entries of a folder. Git removes empty folders at any time.
fn entries_of(folder: &PathBuf) -> Result<Vec<DirEntry>, WorktreeError> {
    let read = |folder| fs::read_dir(folder)?.take(GIT_REF_ENTRIES_MAX + 1).collect::<io::Result<Vec<_>>>();
    match read(folder) {
        Ok(entries) => Ok(entries),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(WorktreeError::git(folder, error.into())),
    }
}

/// `None` for anything but a folder or file. Links to folders are not followed.
fn is_folder(entry: &DirEntry) -> Option<bool> {
    let kind = entry.file_type().ok()?;
    if kind.is_dir() {
        return Some(true);
    }
    let is_file =
        kind.is_file() || (kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|f| f.is_file()));
    is_file.then_some(false)
}
