//! Changes that git makes to a working tree while it is read.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::file::{self, Links};
use crate::limits::GIT_LINE_FILE_BYTES_MAX;
use crate::{Workspace, WorktreeError};

/// The state of git in a working tree. Files that are read between two equal stamps, neither of which is
/// [busy](TreeStamp::is_busy), are those of one branch.
///
/// A checkout holds a lock while it replaces files, and then replaces the index and `HEAD`. Every worktree has its own
/// index and `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeStamp {
    /// The content of `HEAD`.
    head: Vec<u8>,
    files: [Option<Seen>; 3],
    is_busy: bool,
}

/// The state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    ino: u64,
    bytes: u64,
    modified: (i64, i64),
}

impl Workspace {
    /// Reads the state of git. Outside of git it is always the same.
    pub fn stamp(&self) -> Result<TreeStamp, WorktreeError> {
        let Some(git) = &self.git else {
            return Ok(TreeStamp { head: Vec::new(), files: [None, None, None], is_busy: false });
        };
        let head = git.own.join("HEAD");
        let content = crate::retry::retry(|| {
            file::read(&head, Links::Follow, GIT_LINE_FILE_BYTES_MAX)
                .map_err(|problem| WorktreeError::git(&head, problem))
        });
        let files = [head.clone(), git.own.join("index"), git.common.join("packed-refs")];
        let locks = [git.own.join("index.lock"), git.own.join("HEAD.lock")];
        Ok(TreeStamp {
            // An unborn branch of an old git is a link to nowhere.
            head: content.or_else(|error| link(&head).ok_or(error))?,
            files: [seen(&files[0])?, seen(&files[1])?, seen(&files[2])?],
            is_busy: locks.iter().any(|lock| fs::symlink_metadata(lock).is_ok()),
        })
    }
}

impl TreeStamp {
    /// Returns true if `HEAD` and the index are older than `age` at `now`. A checkout replaces the index some moments
    /// before `HEAD`, without a lock.
    pub fn is_older_than(&self, age: Duration, now: SystemTime) -> bool {
        let [head, index, _] = &self.files;
        [head, index].into_iter().flatten().all(|file| {
            let (Ok(seconds), Ok(nanos)) = (u64::try_from(file.modified.0), u32::try_from(file.modified.1))
            else {
                return true;
            };
            let modified = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanos);
            // A clock that was set back must not make anyone wait.
            now.duration_since(modified).map_or(true, |since| since >= age)
        })
    }

    /// Returns true if git held a lock: it may be replacing files.
    pub fn is_busy(&self) -> bool {
        self.is_busy
    }
}

fn link(head: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    fs::read_link(head).ok().map(|target| target.into_os_string().into_vec())
}

fn seen(path: &Path) -> Result<Option<Seen>, WorktreeError> {
    match fs::symlink_metadata(path) {
        Ok(found) => {
            let modified = (found.mtime(), found.mtime_nsec());
            Ok(Some(Seen { ino: found.ino(), bytes: found.len(), modified }))
        }
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(WorktreeError::git(path, error.into())),
    }
}
