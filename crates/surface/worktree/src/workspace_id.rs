//! The id of a workspace, stored where all worktrees of the clone find it.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::str::FromStr;

use cairn_base::{Entropy, Hex, from_hex};

use crate::file::{self, Links};
use crate::limits::GIT_LINE_FILE_BYTES_MAX;
use crate::{FileProblem, Workspace, WorktreeError};

/// The random id of a workspace: 128 bits, written as 32 hexadecimal digits.
///
/// A copy of the folder has the same id and so shares the KBs; a new clone has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspaceId([u8; 16]);

/// A text is not 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a workspace id is 32 hexadecimal digits")]
pub struct WorkspaceIdParseError;

impl FromStr for WorkspaceId {
    type Err = WorkspaceIdParseError;

    fn from_str(text: &str) -> Result<Self, WorkspaceIdParseError> {
        from_hex(text).map(WorkspaceId).ok_or(WorkspaceIdParseError)
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl Workspace {
    /// Returns the id of the workspace if it has one, and writes nothing. A workspace without an id has no KB.
    pub fn known_id(&self) -> Result<Option<WorkspaceId>, WorktreeError> {
        stored(&self.shared_folder().join(FILE))
    }

    /// Returns the id of the workspace, and creates it on first use, durably. Processes that create it at the same time
    /// all get the same one.
    ///
    /// It is `cairn/workspace` in the common git directory, or `.cairn-workspace/workspace` in the root outside of git.
    pub fn id(&self, entropy: &dyn Entropy) -> Result<WorkspaceId, WorktreeError> {
        let folder = self.shared_folder();
        let path = folder.join(FILE);
        if let Some(id) = stored(&path)? {
            return Ok(id);
        }
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        publish(&folder, &path, WorkspaceId(bytes))
            .map_err(|source| WorktreeError::StateWrite { path: path.clone(), source })?;
        // Of several processes one was first.
        stored(&path)?.ok_or(WorktreeError::State { path, problem: FileProblem::Missing })
    }
}

/// The name of the file.
const FILE: &str = "workspace";

/// The id in a file; `None` if there is none. A file that is not whole may be just being written.
fn stored(path: &Path) -> Result<Option<WorkspaceId>, WorktreeError> {
    let read = crate::retry::retry(|| {
        match file::read(path, Links::Refuse, GIT_LINE_FILE_BYTES_MAX) {
            Ok(content) => parse(&content).map(Some).ok_or(FileProblem::Content("it holds no workspace id")),
            Err(FileProblem::Missing) => Ok(None),
            Err(problem) => Err(problem),
        }
        .map_err(|problem| WorktreeError::git(path, problem))
    });
    match read {
        Err(WorktreeError::GitUnreadable { path, problem }) => Err(WorktreeError::State { path, problem }),
        read => read,
    }
}

fn parse(content: &[u8]) -> Option<WorkspaceId> {
    std::str::from_utf8(content).ok()?.strip_suffix('\n')?.parse().ok()
}

/// Gives the file its name when it is whole and durable, unless another process was first.
fn publish(folder: &Path, path: &Path, id: WorkspaceId) -> io::Result<()> {
    ensure_folder(folder)?;
    let unfinished = folder.join(format!("workspace-{id}.new"));
    let written =
        write_new(&unfinished, &format!("{id}\n")).and_then(|()| match fs::hard_link(&unfinished, path) {
            // Not every file system has hard links. Then readers wait until the file is whole.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => write_new(path, &format!("{id}\n")),
            linked => linked,
        });
    fs::remove_file(&unfinished)?;
    match written {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    File::open(folder)?.sync_all()?;
    folder.parent().map_or(Ok(()), |above| File::open(above)?.sync_all())
}

fn write_new(path: &Path, content: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
}

/// Creates a folder of cairn, or checks that it is one: a link could lead anywhere.
pub(crate) fn ensure_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_folder = fs::symlink_metadata(folder)?.is_dir();
            if is_folder { Ok(()) } else { Err(ErrorKind::NotADirectory.into()) }
        }
        created => created,
    }
}
