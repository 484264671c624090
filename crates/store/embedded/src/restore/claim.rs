//! The directory of a restore: claimed while files are written, and given back as it was after a failure.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, LockGuard};
use cairn_log::CopyPlan;
use cairn_seam::StoreError;

use crate::open::{self, LOCK};
use crate::options::EmbeddedOptions;
use crate::{reserve, scrub};

/// A file that says that what is in the directory is not complete. It is the first that a restore writes
/// and the last that it removes.
pub const MARK: &str = "restore.unfinished";

/// Refuses a directory in which a restore did not end.
pub(crate) fn refuse_unfinished(fs: &dyn FileSystem, dir: &Path) -> Result<(), StoreError> {
    match fs.open_to_read(&dir.join(MARK)) {
        Ok(_) => Err(StoreError::UnfinishedRestore { dir: dir.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io(format!("looking for {MARK} in {}", dir.display()), error)),
    }
}

/// Refuses a directory that holds anything but what is left of an earlier restore.
pub(crate) fn refuse_occupied(fs: &dyn FileSystem, dir: &Path) -> Result<(), StoreError> {
    match fs.entries(dir) {
        Ok(names) => {
            let is_left = names.iter().any(|name| name == MARK);
            let is_ours = |name: &String| name == LOCK || (is_left && is_ours(name));
            if names.iter().all(is_ours) { Ok(()) } else { Err(occupied(dir)) }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io(format!("looking into {}", dir.display()), error)),
    }
}

/// Whether only a restore, or the opening that proves it, puts such a name into an empty directory.
fn is_ours(name: &str) -> bool {
    [LOCK, MARK, reserve::FILE, scrub::STATE, scrub::STATE_NEW].contains(&name)
        || name.starts_with("index.")
        || CopyPlan::is_part(name)
}

fn occupied(dir: &Path) -> StoreError {
    StoreError::Occupied {
        path: dir.to_owned(),
        advice: "restore into an empty directory, or one that is not there yet",
    }
}

/// A directory that is ours until a restore has ended.
pub(super) struct Claim<'a> {
    fs: &'a dyn FileSystem,
    dir: &'a Path,
    lock: Arc<dyn LockGuard>,
    /// Directories that were made for it, the deepest first.
    made: Vec<&'a Path>,
}

impl<'a> Claim<'a> {
    /// Makes the directory if it is not there, locks it, and marks it. What is left of an earlier restore
    /// is removed.
    pub(super) fn take(dir: &'a Path, options: &'a EmbeddedOptions) -> Result<Self, StoreError> {
        let fs = &*options.fs;
        let failed = |error| StoreError::io(format!("making {}", dir.display()), error);
        let is_missing = |dir: &&Path| {
            let looked = fs.is_dir_empty(dir);
            !dir.as_os_str().is_empty() && looked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
        };
        let made: Vec<&Path> = dir.ancestors().take_while(is_missing).collect();
        let locked = fs.create_dir(dir).map_err(failed).and_then(|()| open::lock(dir, options));
        let lock = locked.inspect_err(|_| remove_dirs(fs, &made))?.into();
        let claim = Claim { fs, dir, lock, made };
        // Another process may have been quicker.
        refuse_occupied(fs, dir)?;
        let marked = claim.sync_made().and_then(|()| claim.mark()).and_then(|()| claim.clear());
        if let Err(error) = marked {
            claim.undo();
            return Err(StoreError::io(format!("claiming {}", dir.display()), error));
        }
        Ok(claim)
    }

    /// The lock, to be held by a store in the directory as well.
    pub(super) fn lock(&self) -> Box<dyn LockGuard> {
        Box::new(HeldTwice { _lock: Arc::clone(&self.lock) })
    }

    /// Removes the mark: what is in the directory counts from now on.
    pub(super) fn finish(&self) -> Result<(), StoreError> {
        let removed = self.fs.remove(&self.dir.join(MARK)).and_then(|()| self.fs.sync_dir(self.dir));
        removed.map_err(|error| StoreError::io(format!("finishing {}", self.dir.display()), error))
    }

    /// Makes the directory as it was before. If the disk refuses that, the mark stays.
    pub(super) fn undo(&self) {
        // It may be on its way out, and must not go before the rest.
        let cleared = self.mark().and_then(|()| self.clear());
        let unmarked = cleared.and_then(|()| self.fs.remove(&self.dir.join(MARK)));
        if unmarked.and_then(|()| self.fs.sync_dir(self.dir)).is_ok() {
            let _ = self.fs.remove(&self.dir.join(LOCK));
            remove_dirs(self.fs, &self.made);
        }
    }

    /// Makes the names of new directories durable. A directory that was there needs nothing of its parent.
    fn sync_made(&self) -> io::Result<()> {
        let parents = self.made.iter().filter_map(|dir| dir.parent());
        let mut parents = parents.filter(|parent| !parent.as_os_str().is_empty());
        parents.try_for_each(|parent| self.fs.sync_dir(parent))
    }

    fn mark(&self) -> io::Result<()> {
        let path = self.dir.join(MARK);
        let file = match self.fs.create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.fs.open(&path)?,
            created => created?,
        };
        file.sync_data()?;
        self.fs.sync_dir(self.dir)
    }

    /// Removes everything but the lock and the mark, the manifest first: without it the rest is no store.
    fn clear(&self) -> io::Result<()> {
        CopyPlan::remove_manifest(self.fs, self.dir);
        let folder = self.dir.join(CopyPlan::FOLDER);
        let (in_folder, has_folder) = match self.fs.list(&folder) {
            Ok(names) => (names, true),
            Err(_) => (Vec::new(), false),
        };
        for name in in_folder.iter().filter(|name| CopyPlan::is_part_of_folder(name)) {
            self.fs.remove(&folder.join(name))?;
        }
        if has_folder {
            self.fs.sync_dir(&folder)?;
            self.fs.remove_dir(&folder)?;
        }
        for name in self.fs.list(self.dir)?.iter().filter(|name| is_ours(name)) {
            if name != LOCK && name != MARK {
                self.fs.remove(&self.dir.join(name))?;
            }
        }
        self.fs.sync_dir(self.dir)
    }
}

/// One of two holders of a lock.
#[derive(Debug)]
struct HeldTwice {
    _lock: Arc<dyn LockGuard>,
}

impl LockGuard for HeldTwice {}

fn remove_dirs(fs: &dyn FileSystem, dirs: &[&Path]) {
    for dir in dirs {
        // One that another process uses meanwhile is not empty, and stays.
        let _ = fs.remove_dir(dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_a_store_gives_are_ours() {
        for name in [
            "segment-0000000001.log",
            "image-0000000002.img",
            "side-0000000003.idx",
            "MANIFEST",
            "blobs",
            "LOCK",
        ] {
            assert!(is_ours(name), "{name}");
        }
        for name in ["letter.txt", "cairn.toml", "identity", "segment", ".git"] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
