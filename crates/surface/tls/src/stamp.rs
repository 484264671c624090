//! What tells whether files have changed, without reading them.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::TlsFiles;

/// How both files looked at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    certificate: Option<FileStamp>,
    key: Option<FileStamp>,
}

/// How one file looked. Links are followed: those who replace certificates like to replace links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    modified: (i64, i64),
    length: u64,
    /// Another file under the same name may be as old and as long.
    inode: u64,
    /// `chmod` may be all that was missing.
    mode: u32,
}

impl Stamp {
    /// How the files look now; one that is not there looks like nothing.
    pub(crate) fn of(files: &TlsFiles) -> Self {
        Stamp { certificate: FileStamp::of(&files.certificate), key: FileStamp::of(&files.key) }
    }
}

impl FileStamp {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(FileStamp {
            modified: (found.mtime(), found.mtime_nsec()),
            length: found.len(),
            inode: found.ino(),
            mode: found.mode(),
        })
    }
}
