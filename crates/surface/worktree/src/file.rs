//! Files of unknown origin: opened without waiting, read up to a limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum FileProblem {
    /// There is no such file.
    #[error("does not exist")]
    Missing,
    /// It is a folder, a pipe, a device or a symbolic link where none is followed.
    #[error("is not a regular file")]
    NotAFile,
    /// It is longer than it may be.
    #[error("has more than {bytes_max} bytes")]
    TooLong {
        /// The limit.
        bytes_max: usize,
    },
    /// A symbolic link leads out of the tree.
    #[error("is outside of the tree; cairn follows no symbolic link out of it")]
    Outside,
    /// It is not text.
    #[error("is not UTF-8 text")]
    NotUtf8,
    /// It has something else in it than it should.
    #[error("is damaged: {0}")]
    Content(&'static str),
    /// The system refuses to read it.
    #[error("could not be read: {0}")]
    Io(io::Error),
}

/// Symbolic links as the last part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Refuse,
}

/// Flags that open for reading and wait for nobody, as opening a pipe would.
pub(crate) fn read_flags(links: Links) -> OFlags {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    match links {
        Links::Follow => flags,
        Links::Refuse => flags | OFlags::NOFOLLOW,
    }
}

/// Reads a regular file of at most `bytes_max` bytes.
pub(crate) fn read(path: &Path, links: Links, bytes_max: usize) -> Result<Vec<u8>, FileProblem> {
    let opened = rustix::fs::open(path, read_flags(links), Mode::empty());
    read_open(&mut opened.map(File::from)?, bytes_max)
}

/// Reads an open file from its start, if it is a regular one of at most `bytes_max` bytes.
pub(crate) fn read_open(file: &mut File, bytes_max: usize) -> Result<Vec<u8>, FileProblem> {
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(FileProblem::NotAFile);
    }
    let too_long = || FileProblem::TooLong { bytes_max };
    let expected = usize::try_from(found.len()).ok().filter(|len| *len <= bytes_max).ok_or_else(too_long)?;
    let mut content = Vec::with_capacity(expected + 1);
    // It may have grown since.
    file.take(bytes_max as u64 + 1).read_to_end(&mut content)?;
    if content.len() > bytes_max { Err(too_long()) } else { Ok(content) }
}

impl From<io::Error> for FileProblem {
    fn from(error: io::Error) -> Self {
        use rustix::io::Errno;
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOENT | Errno::NOTDIR) => FileProblem::Missing,
            // A link that is not followed, a chain of links without end, a folder or a socket.
            Some(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => FileProblem::NotAFile,
            Some(_) | None => FileProblem::Io(error),
        }
    }
}

impl From<rustix::io::Errno> for FileProblem {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}
