//! The file-system seam: what cairn needs of a disk, and nothing else.
//!
//! Every durable byte of cairn goes through [`FileSystem`]: the commit log, the manifest, side
//! files and the index. That is what lets one simulated power cut hit all of them in one history.
//!
//! Promises an implementation makes, and no more than these:
//! - bytes and lengths are durable once [`File::sync_data`] returned `Ok`;
//! - names (creation, rename, removal) are durable once [`FileSystem::sync_dir`] returned `Ok` for
//!   their directory;
//! - what was not synced may be lost, kept, reordered or torn by a power cut.

mod private;
mod simulated;
mod system;

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

pub use private::exposed_mode;
pub use simulated::{Fault, SimulatedFs};
pub use system::SystemFs;

/// Whether an error says that the disk, or what its owner may use of it, is full.
pub fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// A place where files live.
pub trait FileSystem: Send + Sync + Debug {
    /// Creates a new, empty file open for reading and writing, for its owner's eyes only.
    ///
    /// Fails with [`io::ErrorKind::AlreadyExists`] when the name is taken.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Opens an existing file for reading and writing.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>>;

    /// Opens an existing file that need not be writable; writing to it may fail.
    fn open_to_read(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        self.open(path)
    }

    /// Opens an existing file to read it once from start to end, without making the system keep what was
    /// read.
    fn open_to_scan(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        self.open_to_read(path)
    }

    /// Gives a file a new name, replacing what had that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// The names of the files directly inside a directory, sorted.
    fn list(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// The names of everything directly inside a directory, folders too, sorted.
    fn entries(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.list(dir)
    }

    /// Whether a directory holds nothing at all: no file, no folder.
    fn is_dir_empty(&self, dir: &Path) -> io::Result<bool> {
        Ok(self.list(dir)?.is_empty())
    }

    /// Makes a directory and its parents, for their owner alone; an existing one is fine.
    fn create_dir(&self, dir: &Path) -> io::Result<()>;

    /// Removes a directory that holds nothing. Where directories do not count, there is nothing to do.
    fn remove_dir(&self, _dir: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Makes the names inside a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;

    /// Bytes still free for us on the disk that holds `dir`.
    fn free_bytes(&self, dir: &Path) -> io::Result<u64>;

    /// Takes the exclusive lock on a file, creating it when missing, and writes `holder` into it. On a full
    /// disk the lock is taken without the name.
    ///
    /// The lock ends when the guard is dropped or the process dies.
    fn lock(&self, path: &Path, holder: &str) -> io::Result<Locked>;

    /// Takes the same lock on a file that is there, and writes nothing into it.
    fn lock_to_read(&self, path: &Path) -> io::Result<Locked> {
        self.open_to_read(path)?;
        self.lock(path, "")
    }
}

/// What came of [`FileSystem::lock`].
#[derive(Debug)]
pub enum Locked {
    /// The lock is ours until the guard is dropped.
    Acquired(Box<dyn LockGuard>),
    /// Somebody else holds it and wrote this into the file.
    Held(String),
}

/// Keeps a lock taken by [`FileSystem::lock`].
pub trait LockGuard: Send + Sync + Debug {}

/// An open file. Reads and writes name their offset, so one handle serves many threads.
pub trait File: Send + Sync + Debug {
    /// Length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Whether the file holds no bytes.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }

    /// Returns the permission bits of a file that users other than its owner may access, and `None` if it is
    /// private. Defaults to private, for file systems without permissions.
    fn exposed_mode(&self) -> io::Result<Option<u32>> {
        Ok(None)
    }

    /// Fills `buf` from `offset`; fails with [`io::ErrorKind::UnexpectedEof`] when the file ends before.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `data` at `offset`, growing the file when needed.
    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// Cuts the file, or grows it with zeroes.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Makes bytes and length durable.
    fn sync_data(&self) -> io::Result<()>;
}
