//! The folder of an index, in which every file is sealed or checked.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tantivy::Directory;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

use super::checked::Checking;
use super::damage::DamageNote;
use super::sealed::Sealing;
use super::{IndexFileError, Protection};

/// The files of an index, each with a seal or checksums. Names of files are as the engine of the index
/// makes them up.
#[derive(Clone)]
pub(super) struct Folder(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    kind: Kind,
    damage: DamageNote,
    /// Held while a file is replaced: there is one name for what is being written.
    replacing: Mutex<()>,
}

enum Kind {
    Sealed(Sealing),
    Checked(Checking),
}

impl Folder {
    pub(super) fn new(dir: &Path, protection: Protection) -> Self {
        let kind = match protection {
            Protection::Sealed(seal) => Kind::Sealed(Sealing::new(seal)),
            Protection::Checked(entropy) => Kind::Checked(Checking::new(entropy)),
        };
        let (dir, damage) = (dir.to_owned(), DamageNote::default());
        Folder(Arc::new(Inner { dir, kind, damage, replacing: Mutex::new(()) }))
    }

    /// The first damage that was met.
    pub(super) fn damage(&self) -> Option<&IndexFileError> {
        self.0.damage.get()
    }

    /// The content of a file, verified.
    pub(super) fn read_whole(&self, name: &Path) -> io::Result<Vec<u8>> {
        let path = self.path_of(name)?;
        self.0.damage.note(match &self.0.kind {
            Kind::Sealed(sealing) => {
                let file = sealing.open(&path, name, &self.0.damage);
                file.and_then(|file| Ok(file.read_whole()?.as_slice().to_vec()))
            }
            Kind::Checked(_) => Checking::read_whole(&path, name),
        })
    }

    /// Verifies every block of a file as it is on disk now, whatever was verified or cached before.
    pub(super) fn verify(&self, name: &Path) -> io::Result<()> {
        let path = self.path_of(name)?;
        match &self.0.kind {
            Kind::Sealed(sealing) => sealing.verify(&path, name),
            Kind::Checked(_) => Checking::verify(&path, name),
        }
    }

    fn open(&self, name: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let path = self.path_of(name)?;
        let damage = &self.0.damage;
        damage.note(match &self.0.kind {
            Kind::Sealed(sealing) => {
                sealing.open(&path, name, damage).map(|file| Arc::new(file) as Arc<dyn FileHandle>)
            }
            Kind::Checked(checking) => {
                checking.open(&self.0.dir, name, damage).map(|file| file as Arc<dyn FileHandle>)
            }
        })
    }

    /// A writer for a file at a path that is going to have this name.
    fn start(
        &self,
        name: &Path,
        path: &Path,
        options: &mut OpenOptions,
    ) -> io::Result<Box<dyn TerminatingWrite + Send + Sync>> {
        let file = options.write(true).mode(0o600).open(path)?;
        Ok(match &self.0.kind {
            Kind::Sealed(sealing) => Box::new(sealing.writer(file, name)?),
            Kind::Checked(checking) => Box::new(checking.writer(file, name)),
        })
    }

    fn forget(&self, name: &Path) {
        match &self.0.kind {
            // Its blocks are cached by their salt.
            Kind::Sealed(_) => {}
            Kind::Checked(checking) => checking.forget(name),
        }
    }

    /// Where a file is. There are no folders in this one, and no way out of it.
    fn path_of(&self, name: &Path) -> io::Result<PathBuf> {
        let mut parts = name.components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(_)), None) => Ok(self.0.dir.join(name)),
            _ => {
                let text = format!("{} is not the name of a file of the search index", name.display());
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
        writer.terminate()?;
        fs::rename(&temporary, &path)?;
        self.forget(name);
        self.sync()
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.0.dir)?.sync_all()
    }

    fn lock(&self, lock: &Lock) -> Result<File, LockError> {
        let path = self.path_of(&lock.filepath).map_err(LockError::wrap_io_error)?;
        let mut options = OpenOptions::new();
        // Nothing is ever written to it, so there is nothing to protect.
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

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.open(path).map_err(|error| not_read(path, error))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        let deleted = self.path_of(path).and_then(fs::remove_file);
        self.forget(path);
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
            Ok(writer) => Ok(BufWriter::new(writer)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(OpenWriteError::FileAlreadyExists(path.to_owned()))
            }
            Err(error) => Err(OpenWriteError::wrap_io_error(error, path.to_owned())),
        }
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.read_whole(path).map_err(|error| not_read(path, error))
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

impl std::fmt::Debug for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("dir", &self.0.dir).finish_non_exhaustive()
    }
}
