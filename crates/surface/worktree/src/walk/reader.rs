//! Reading files of a tree through descriptors.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open, openat};

use crate::file::{self, Links, read_flags};
use crate::inside::check_path;
use crate::{FileProblem, WorktreeError};

/// The open root of a tree. Everything is opened from it, folder by folder, and no symbolic link is followed; a link
/// that is put somewhere meanwhile is refused.
#[derive(Debug)]
pub struct TreeReader {
    root: OwnedFd,
}

impl TreeReader {
    /// Opens the root of a tree, which has to be a folder.
    pub fn open(root: &Path) -> Result<TreeReader, WorktreeError> {
        match open(root, folder_flags(), Mode::empty()) {
            Ok(root) => Ok(TreeReader { root }),
            Err(error) => Err(WorktreeError::Start { path: root.to_owned(), source: error.into() }),
        }
    }

    /// Reads a regular file of at most `bytes_max` bytes. Nothing is read of one that is longer.
    pub fn read(&self, path: &str, bytes_max: usize) -> Result<Vec<u8>, FileProblem> {
        check_path(path).map_err(FileProblem::Content)?;
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(folder)?;
        read_in(&folder, name, bytes_max)
    }

    /// Reads a text file of at most `bytes_max` bytes. A file with NUL bytes is binary, and no text.
    pub fn read_text(&self, path: &str, bytes_max: usize) -> Result<String, FileProblem> {
        let content = self.read(path, bytes_max)?;
        if content.contains(&0) {
            return Err(FileProblem::NotUtf8);
        }
        String::from_utf8(content).map_err(|_| FileProblem::NotUtf8)
    }

    /// Opens a folder; an empty path is the root.
    pub(super) fn folder(&self, path: &str) -> Result<OwnedFd, FileProblem> {
        let mut opened = openat(&self.root, ".", folder_flags(), Mode::empty())?;
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            opened = openat(&opened, part, folder_flags(), Mode::empty())?;
        }
        Ok(opened)
    }
}

/// Reads a file of an open folder.
pub(super) fn read_in(folder: &OwnedFd, name: &str, bytes_max: usize) -> Result<Vec<u8>, FileProblem> {
    let name = OsStr::from_bytes(name.as_bytes());
    let opened = openat(folder, name, read_flags(Links::Refuse), Mode::empty())?;
    file::read_open(&mut File::from(opened), bytes_max)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | OFlags::NOFOLLOW
}
