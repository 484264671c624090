//! Writing files of a tree through descriptors.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, linkat, mkdirat, open, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::file::{self, Links, read_flags};
use crate::inside::check_path;
use crate::{FileProblem, WorktreeError, is_denied};

/// Names of unfinished files differ within a process, too.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// The open root of a tree that files are written to. Folders are created as needed, no symbolic link is followed, and
/// a file is there whole or not at all.
#[derive(Debug)]
pub struct TreeWriter {
    root: OwnedFd,
}

/// The file that a write replaces.
#[derive(Debug, Clone, Copy)]
pub enum Replaces<'a> {
    /// There is none.
    Nothing,
    /// One with this content.
    Content(&'a [u8]),
    /// Any file, or none.
    Anything,
}

/// The reason why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteProblem {
    /// The path cannot be one of a document.
    #[error("cannot be written, {0}")]
    Path(&'static str),
    /// Another file is there.
    #[error("exists already")]
    Exists,
    /// The file is not as it was.
    #[error("has changed")]
    Changed,
    /// A part of the path is a symbolic link, or no folder.
    #[error("is below a symbolic link or a file; cairn follows no link")]
    NotAFolder,
    /// The system refuses to write it.
    #[error("could not be written: {0}")]
    Io(io::Error),
}

impl TreeWriter {
    /// Opens the root of a tree, which has to be a folder.
    pub fn open(root: &Path) -> Result<TreeWriter, WorktreeError> {
        match open(root, folder_flags(), Mode::empty()) {
            Ok(root) => Ok(TreeWriter { root }),
            Err(error) => Err(WorktreeError::Start { path: root.to_owned(), source: error.into() }),
        }
    }

    /// Writes a file, and makes it durable. The permissions of a file that is replaced stay; everyone may read a new one,
    /// and new folders.
    pub fn write(&self, path: &str, content: &[u8], replaces: Replaces<'_>) -> Result<(), WriteProblem> {
        check_path(path).map_err(WriteProblem::Path)?;
        if is_denied(path, false) {
            return Err(WriteProblem::Path("a folder of it is never synced"));
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.folder(folder)?;
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let unfinished = format!(".{}-{}-{number}.cairn", process::id(), name.len());
        let written = write_new(&folder, &unfinished, content, mode_of(&folder, name))
            .map_err(WriteProblem::from)
            .and_then(|()| publish(&folder, &unfinished, name, replaces));
        if written.is_err() {
            // The first error is what counts.
            let _ = unlinkat(&folder, &unfinished, AtFlags::empty());
        }
        written?;
        // So that the name survives a power failure, too.
        rustix::fs::fsync(&folder).map_err(WriteProblem::from)
    }

    /// Opens a folder, and creates what is missing of it.
    fn folder(&self, path: &str) -> Result<OwnedFd, WriteProblem> {
        let mut opened = openat(&self.root, ".", folder_flags(), Mode::empty())?;
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            match mkdirat(&opened, part, Mode::from_raw_mode(0o755)) {
                Ok(()) => {
                    opened = openat(&opened, part, folder_flags(), Mode::empty())?;
                    fchmod(&opened, Mode::from_raw_mode(0o755))?;
                    continue;
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            opened = openat(&opened, part, folder_flags(), Mode::empty())?;
        }
        Ok(opened)
    }
}

/// The permissions of the file that is there, if one is.
fn mode_of(folder: &OwnedFd, name: &str) -> Option<Mode> {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(Mode::from_raw_mode(found.st_mode))
}

fn write_new(folder: &OwnedFd, name: &str, content: &[u8], mode: Option<Mode>) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(openat(folder, name, flags, Mode::from_raw_mode(0o600))?);
    fchmod(file.as_fd(), mode.unwrap_or(Mode::from_raw_mode(0o644)))?;
    file.write_all(content)?;
    file.sync_all()
}

/// Gives a whole file its name, if the one that it replaces is there as expected.
fn publish(
    folder: &OwnedFd,
    unfinished: &str,
    name: &str,
    replaces: Replaces<'_>,
) -> Result<(), WriteProblem> {
    match replaces {
        Replaces::Anything => {}
        Replaces::Content(expected) => {
            if !is_content(folder, name, expected) {
                return Err(WriteProblem::Changed);
            }
        }
        Replaces::Nothing => match linkat(folder, unfinished, folder, name, AtFlags::empty()) {
            Ok(()) => return Ok(unlinkat(folder, unfinished, AtFlags::empty())?),
            Err(Errno::EXIST) => return Err(WriteProblem::Exists),
            // Not every file system has hard links.
            Err(_) if statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() => {
                return Err(WriteProblem::Exists);
            }
            Err(_) => {}
        },
    }
    Ok(renameat(folder, unfinished, folder, name)?)
}

fn is_content(folder: &OwnedFd, name: &str, expected: &[u8]) -> bool {
    let read = || -> Result<Vec<u8>, FileProblem> {
        let opened = openat(folder, name, read_flags(Links::Refuse), Mode::empty())?;
        file::read_open(&mut File::from(opened), expected.len())
    };
    read().is_ok_and(|found| found == expected)
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | OFlags::NOFOLLOW
}

impl From<io::Error> for WriteProblem {
    fn from(error: io::Error) -> Self {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::LOOP | Errno::NOTDIR) => WriteProblem::NotAFolder,
            Some(_) | None => WriteProblem::Io(error),
        }
    }
}

impl From<Errno> for WriteProblem {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}
