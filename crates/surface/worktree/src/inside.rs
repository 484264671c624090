//! Reading files of the tree, and none outside of it.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, open, openat};

use crate::file::{self, Links, read_flags};
use crate::limits::{TREE_PATH_BYTES_MAX, TREE_PATH_PARTS_MAX};
use crate::{FileProblem, WorktreeError};

/// Reads a text file of at most `bytes_max` bytes at a path below `root`.
///
/// Symbolic links are followed as long as they stay below `root`. Fails with
/// [`PathRefused`](WorktreeError::PathRefused) if the path is absolute, empty, too long or has `..`, and with
/// [`FileRefused`](WorktreeError::FileRefused) if there is no file, or something else than a file; if it is outside of
/// the tree, too long or not UTF-8. A path that is changed meanwhile leads to an error, and never out of the tree.
pub fn read_inside(root: &Path, relative: &str, bytes_max: usize) -> Result<String, WorktreeError> {
    check_path(relative)
        .map_err(|problem| WorktreeError::PathRefused { path: shortened(relative), problem })?;
    let content = read(root, Path::new(relative), bytes_max);
    let text = content.and_then(|content| String::from_utf8(content).map_err(|_| FileProblem::NotUtf8));
    text.map_err(|problem| WorktreeError::FileRefused { path: shortened(relative), problem })
}

/// Checks that a path can be one inside a tree, without looking at files.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("it is empty");
    }
    if path.len() > TREE_PATH_BYTES_MAX {
        return Err("it is too long");
    }
    if path.chars().any(char::is_control) {
        return Err("it has control characters");
    }
    let mut parts = 0;
    for part in Path::new(path).components() {
        match part {
            Component::Normal(_) => parts += 1,
            Component::CurDir => {}
            Component::ParentDir => return Err("it has `..`"),
            Component::RootDir | Component::Prefix(_) => return Err("it is absolute"),
        }
    }
    match parts {
        0 => Err("it names no file"),
        _ if parts > TREE_PATH_PARTS_MAX => Err("it has too many parts"),
        _ => Ok(()),
    }
}

/// Resolves all links first, and then opens folder by folder without following any: a link that is put there in
/// between is refused.
fn read(root: &Path, relative: &Path, bytes_max: usize) -> Result<Vec<u8>, FileProblem> {
    let root = root.canonicalize()?;
    let resolved = root.join(relative).canonicalize()?;
    let inside = resolved.strip_prefix(&root).map_err(|_| FileProblem::Outside)?;
    let folder = inside.parent().ok_or(FileProblem::NotAFile)?;
    let name = inside.file_name().ok_or(FileProblem::NotAFile)?;
    let folder = open_folder(&root, folder)?;
    let opened = openat(&folder, name, read_flags(Links::Refuse), Mode::empty())?;
    file::read_open(&mut File::from(opened), bytes_max)
}

fn open_folder(root: &Path, folder: &Path) -> Result<OwnedFd, FileProblem> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | OFlags::NOFOLLOW;
    let mut opened = open(root, flags, Mode::empty())?;
    for part in folder.components().map(|part| PathBuf::from(part.as_os_str())) {
        opened = openat(&opened, &part, flags, Mode::empty())?;
    }
    Ok(opened)
}

/// The beginning of a path, for messages.
fn shortened(path: &str) -> String {
    path.chars().take(200).collect()
}
