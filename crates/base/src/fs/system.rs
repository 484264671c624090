//! The operating system's files.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use super::{File, FileSystem, LockGuard, Locked, exposed_mode, is_full};

/// The real file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemFs;

impl FileSystem for SystemFs {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        Ok(Arc::new(SystemFile(file)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Arc::new(SystemFile(file)))
    }

    fn open_to_read(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        Ok(Arc::new(SystemFile(fs::File::open(path)?)))
    }

    fn open_to_scan(&self, path: &Path) -> io::Result<Arc<dyn File>> {
        let file = fs::File::open(path)?;
        // Best effort. Pages that are cached because others use them stay cached.
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::NoReuse);
        Ok(Arc::new(SystemFile(file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            if entry.file_type()?.is_file()
                && let Ok(name) = entry.file_name().into_string()
            {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    fn entries(&self, dir: &Path) -> io::Result<Vec<String>> {
        let names = fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    fn remove_dir(&self, dir: &Path) -> io::Result<()> {
        std::fs::remove_dir(dir)
    }

    fn is_dir_empty(&self, dir: &Path) -> io::Result<bool> {
        Ok(fs::read_dir(dir)?.next().transpose()?.is_none())
    }

    fn create_dir(&self, dir: &Path) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        fs::File::open(dir)?.sync_all()
    }

    fn free_bytes(&self, dir: &Path) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(dir)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    fn lock(&self, path: &Path, holder: &str) -> io::Result<Locked> {
        // Never truncated on open: until the lock is ours, the name inside is the owner's.
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {
                match name_holder(&file, holder) {
                    // The lock is what counts; the name is for people.
                    Err(error) if is_full(&error) => {}
                    named => named?,
                }
                Ok(Locked::Acquired(Box::new(SystemLock { file })))
            }
            Err(fs::TryLockError::WouldBlock) => {
                let mut owner = String::new();
                file.take(4096).read_to_string(&mut owner)?;
                Ok(Locked::Held(owner))
            }
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock_to_read(&self, path: &Path) -> io::Result<Locked> {
        let file = fs::File::open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Locked::Acquired(Box::new(SystemLock { file }))),
            Err(fs::TryLockError::WouldBlock) => {
                let mut owner = String::new();
                file.take(4096).read_to_string(&mut owner)?;
                Ok(Locked::Held(owner))
            }
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Writes over what is there, so that a file which has a block needs no other one.
fn name_holder(file: &fs::File, holder: &str) -> io::Result<()> {
    file.write_all_at(holder.as_bytes(), 0)?;
    file.set_len(holder.len() as u64)
}

#[derive(Debug)]
struct SystemLock {
    // The lock belongs to this open file; the kernel ends it when the process dies.
    file: fs::File,
}

impl LockGuard for SystemLock {}

impl Drop for SystemLock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that is being spawned has a duplicate of the handle until it runs
        // its program, and would keep the lock for so long. If this fails, closing still ends it a moment later.
        let _ = self.file.unlock();
    }
}

#[derive(Debug)]
struct SystemFile(fs::File);

impl File for SystemFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn exposed_mode(&self) -> io::Result<Option<u32>> {
        Ok(exposed_mode(&self.0.metadata()?))
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buf, offset)
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(data, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn scratch() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().to_path_buf();
        (dir, path)
    }

    fn kind<T: std::fmt::Debug>(result: io::Result<T>) -> io::ErrorKind {
        result.expect_err("must fail").kind()
    }

    #[test]
    fn a_name_is_created_once_and_opened_only_when_there() {
        let (_keep, dir) = scratch();
        assert_eq!(kind(SystemFs.open(&dir.join("a"))), io::ErrorKind::NotFound);
        SystemFs.create(&dir.join("a")).unwrap().write_at(b"kept", 0).unwrap();
        assert_eq!(kind(SystemFs.create(&dir.join("a"))), io::ErrorKind::AlreadyExists);
        assert_eq!(SystemFs.open(&dir.join("a")).unwrap().len().unwrap(), 4);
    }

    #[test]
    fn reads_and_writes_are_whole_and_at_their_offset() {
        let (_keep, dir) = scratch();
        let file = SystemFs.create(&dir.join("a")).unwrap();
        assert!(file.is_empty().unwrap());
        file.write_at(b"end", 5).unwrap();
        file.write_at(b"ab", 0).unwrap();
        file.sync_data().unwrap();
        let mut bytes = [1; 8];
        SystemFs.open(&dir.join("a")).unwrap().read_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"ab\0\0\0end");
        assert_eq!(kind(file.read_at(&mut bytes, 1)), io::ErrorKind::UnexpectedEof);
        file.set_len(1).unwrap();
        file.set_len(3).unwrap();
        file.read_at(&mut bytes[..3], 0).unwrap();
        assert_eq!((&bytes[..3], file.len().unwrap()), (&b"a\0\0"[..], 3));
    }

    #[test]
    fn a_rename_replaces_and_open_handles_keep_their_file() {
        let (_keep, dir) = scratch();
        let old = SystemFs.create(&dir.join("old")).unwrap();
        old.write_at(b"old", 0).unwrap();
        SystemFs.create(&dir.join("new")).unwrap().write_at(b"newer", 0).unwrap();
        SystemFs.rename(&dir.join("new"), &dir.join("old")).unwrap();
        SystemFs.sync_dir(&dir).unwrap();
        assert_eq!(SystemFs.list(&dir).unwrap(), ["old"]);
        assert_eq!(SystemFs.open(&dir.join("old")).unwrap().len().unwrap(), 5);
        assert_eq!(old.len().unwrap(), 3);
        SystemFs.remove(&dir.join("old")).unwrap();
        assert_eq!(kind(SystemFs.remove(&dir.join("old"))), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_list_is_sorted_and_holds_files_only() {
        let (_keep, dir) = scratch();
        SystemFs.create_dir(&dir.join("sub/deep")).unwrap();
        SystemFs.create_dir(&dir.join("sub/deep")).unwrap();
        for name in ["b", "c", "a", "sub/hidden"] {
            SystemFs.create(&dir.join(name)).unwrap();
        }
        assert_eq!(SystemFs.list(&dir).unwrap(), ["a", "b", "c"]);
        assert_eq!(kind(SystemFs.list(&dir.join("missing"))), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_is_something_too() {
        let (_keep, dir) = scratch();
        assert!(SystemFs.is_dir_empty(&dir).unwrap());
        SystemFs.create_dir(&dir.join("sub")).unwrap();
        assert!(!SystemFs.is_dir_empty(&dir).unwrap());
        assert_eq!(kind(SystemFs.is_dir_empty(&dir.join("missing"))), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_for_its_owner_and_can_be_read_when_it_may_not_be_written() {
        use std::os::unix::fs::PermissionsExt;
        let (_keep, dir) = scratch();
        let path = dir.join("a");
        SystemFs.create(&path).unwrap().write_at(b"kept", 0).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
        let file = SystemFs.open_to_read(&path).unwrap();
        assert_eq!(file.len().unwrap(), 4);
        assert!(file.write_at(b"lost", 0).is_err(), "also where everything may be written");
    }

    #[test]
    fn free_bytes_are_those_of_a_disk_that_is_there() {
        let (_keep, dir) = scratch();
        assert!(SystemFs.free_bytes(&dir).unwrap() > 0);
        assert_eq!(kind(SystemFs.free_bytes(&dir.join("missing"))), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_lock_ends_with_its_guard_though_a_duplicate_of_its_file_is_open() {
        let (_dir, path) = scratch();
        let path = path.join("LOCK");
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.expect("it opens");
        // As a child process has it that is being spawned.
        let duplicate = file.try_clone().expect("a duplicate");
        file.try_lock().expect("nobody has it");
        drop(SystemLock { file });
        assert!(matches!(SystemFs.lock(&path, "me").expect("it can be tried"), Locked::Acquired(_)));
        drop(duplicate);
    }

    #[test]
    fn a_lock_has_one_owner_who_is_named_until_it_lets_go() {
        let (_keep, dir) = scratch();
        let path = dir.join("lock");
        let Locked::Acquired(guard) = SystemFs.lock(&path, "the first, with a long name").unwrap() else {
            panic!("nobody else has it");
        };
        for _ in 0..2 {
            let Locked::Held(owner) = SystemFs.lock(&path, "the second").unwrap() else {
                panic!("the first still has it");
            };
            assert_eq!(owner, "the first, with a long name");
        }
        drop(guard);
        let Locked::Acquired(_guard) = SystemFs.lock(&path, "the second").unwrap() else {
            panic!("the first let go");
        };
        assert_eq!(fs::read_to_string(&path).unwrap(), "the second");
    }
}
