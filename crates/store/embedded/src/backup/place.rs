//! Where a backup goes: a name that is given to a complete file alone.

use std::io;
use std::path::{Path, PathBuf};

use cairn_base::fs::FileSystem;
use cairn_seam::StoreError;

/// Where a backup goes.
pub(super) struct Place<'a> {
    to: &'a Path,
    pub(super) dir: &'a Path,
    /// Its name until it is complete.
    pub(super) unfinished: PathBuf,
}

impl<'a> Place<'a> {
    /// Refuses a name that is taken.
    pub(super) fn of(fs: &dyn FileSystem, to: &'a Path) -> Result<Self, StoreError> {
        let Some(name) = to.file_name() else { return Err(taken(to)) };
        let mut unfinished = name.to_owned();
        unfinished.push(".unfinished");
        let dir = to.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let place = Place { to, dir, unfinished: to.with_file_name(unfinished) };
        place.refuse_taken(fs)?;
        Ok(place)
    }

    fn refuse_taken(&self, fs: &dyn FileSystem) -> Result<(), StoreError> {
        let there = [io::ErrorKind::IsADirectory, io::ErrorKind::PermissionDenied];
        match fs.open_to_read(self.to) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) if !there.contains(&error.kind()) => {
                Err(StoreError::io(format!("looking for {}", self.to.display()), error))
            }
            Ok(_) | Err(_) => Err(taken(self.to)),
        }
    }

    /// Gives a complete backup its name, for good.
    pub(super) fn give_name(&self, fs: &dyn FileSystem) -> Result<(), StoreError> {
        // Once more: a rename would replace what came meanwhile.
        self.refuse_taken(fs)?;
        let failed = |error| StoreError::io(format!("naming {}", self.to.display()), error);
        fs.rename(&self.unfinished, self.to).map_err(failed)?;
        fs.sync_dir(self.dir).map_err(|error| {
            // A backup that was reported as failed must not be taken for a good one later.
            let _ = fs.remove(self.to);
            failed(error)
        })
    }

    /// Removes what there is of a backup that is not complete.
    pub(super) fn remove_unfinished(&self, fs: &dyn FileSystem) -> Result<(), StoreError> {
        match fs.remove(&self.unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io(format!("removing {}", self.unfinished.display()), error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn taken(to: &Path) -> StoreError {
    StoreError::Occupied { path: to.to_owned(), advice: "name a file that is not there yet" }
}
