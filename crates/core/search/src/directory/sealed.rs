//! A folder in which every file is sealed.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cairn_seam::DerivedSeal;
use parking_lot::Mutex;
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{DirectoryLock, FileHandle, Lock, OwnedBytes, WatchCallback, WatchHandle, WritePtr};

use super::cache::Blocks;
use super::read::SealedFile;
use super::write::SealedWriter;

/// The files of an index, sealed. Names of files are not: the engine of the index makes them up.
#[derive(Clone)]
pub(super) struct SealedDirectory(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    seal: Arc<dyn DerivedSeal>,
    blocks: Arc<Blocks>,
    /// Held while a file is replaced: there is one name for what is being written.
    replacing: Mutex<()>,
}

impl SealedDirectory {
    pub(super) fn new(dir: &Path, seal: Arc<dyn DerivedSeal>) -> Self {
        let blocks = Arc::new(Blocks::new());
        SealedDirectory(Arc::new(Inner { dir: dir.to_owned(), seal, blocks, replacing: Mutex::new(()) }))
    }

    /// The content of a file.
    pub(super) fn read_whole(&self, name: &Path) -> io::Result<OwnedBytes> {
        self.open(name)?.read_whole()
    }

    fn open(&self, name: &Path) -> io::Result<SealedFile> {
        SealedFile::open(&self.path_of(name)?, name, &*self.0.seal, &self.0.blocks)
    }

    /// A writer for a file at a path that is going to have this name.
    fn start(&self, name: &Path, path: &Path, options: &mut OpenOptions) -> io::Result<SealedWriter> {
        let file = options.write(true).mode(0o600).open(path)?;
        let (stamp, seal) = self.0.seal.new_file(name.as_os_str().as_encoded_bytes());
        SealedWriter::start(file, &stamp, seal)
    }

    /// Where a file is. There are no folders in this one, and no way out of it.
    fn path_of(&self, name: &Path) -> io::Result<PathBuf> {
        let mut parts = name.components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(_)), None) => Ok(self.0.dir.join(name)),
            _ => {
                let text = format!("{} is no name of a file of the search index", name.display());
                Err(io::Error::new(io::ErrorKind::InvalidInput, text))
            }
        }
    }

    fn replace(&self, name: &Path, content: &[u8]) -> io::Result<()> {
        let path = self.path_of(name)?;
        let mut temporary = OsString::from(&path);
        temporary.push(".new");
        let _one_at_a_time = self.0.replacing.lock();
        let mut writer =
            self.start(name, Path::new(&temporary), OpenOptions::new().create(true).truncate(true))?;
        writer.write_all(content)?;
        writer.finish()?;
        fs::rename(&temporary, &path)?;
        self.sync()
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.0.dir)?.sync_all()
    }

    fn lock(&self, lock: &Lock) -> Result<File, LockError> {
        let path = self.path_of(&lock.filepath).map_err(LockError::wrap_io_error)?;
        let mut options = OpenOptions::new();
        // Nothing is ever written to it, so there is nothing to seal.
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(LockError::wrap_io_error)?;
        if lock.is_blocking {
            file.lock().map_err(LockError::wrap_io_error)?;
            return Ok(file);
        }
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(LockError::LockBusy),
            Err(TryLockError::Error(error)) => Err(LockError::wrap_io_error(error)),
        }
    }
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn not_read(name: &Path, error: io::Error) -> OpenReadError {
    if is_missing(&error) {
        return OpenReadError::FileDoesNotExist(name.to_owned());
    }
    OpenReadError::wrap_io_error(error, name.to_owned())
}

impl Directory for SealedDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let file = self.open(path).map_err(|error| not_read(path, error))?;
        Ok(Arc::new(file))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let deleted = self.path_of(path).and_then(fs::remove_file);
        deleted.map_err(|error| {
            if is_missing(&error) {
                return DeleteError::FileDoesNotExist(path.to_owned());
            }
            DeleteError::IoError { io_error: Arc::new(error), filepath: path.to_owned() }
        })
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.path_of(path).and_then(fs::exists).map_err(|error| not_read(path, error))
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let started =
            self.path_of(path).and_then(|file| self.start(path, &file, OpenOptions::new().create_new(true)));
        match started {
            Ok(writer) => Ok(BufWriter::new(Box::new(writer))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        let content = self.read_whole(path).map_err(|error| not_read(path, error))?;
        Ok(content.as_slice().to_vec())
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.replace(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.sync()
    }

    /// Locks of the system: they end with the process, however it ends.
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        Ok(DirectoryLock::from(Box::new(self.lock(lock)?)))
    }

    /// Nothing is watched: whoever commits reloads its readers itself.
    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}

impl std::fmt::Debug for SealedDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SealedDirectory").field("dir", &self.0.dir).finish_non_exhaustive()
    }
}
