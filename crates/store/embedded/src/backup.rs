//! Backups: one file that holds the store as of one position, written while writing goes on.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::fs::FileSystem;
use cairn_log::{CopyPlan, FrozenCopy, KeptFiles, Published};
use cairn_seam::{MaintenanceReport, OnStage, Stage, StoreError};

use crate::container::{self, ContainerWriter};
use crate::shared::Shared;

const STAGE: &str = "writing the backup";

impl Shared {
    /// Writes everything that is published now into a new file.
    ///
    /// It gets its name when it is complete and on disk; whatever goes wrong, nothing is left of it.
    pub(crate) fn back_up(&self, to: &Path, on_stage: OnStage<'_>) -> Result<MaintenanceReport, StoreError> {
        let _one_at_a_time = self.backing_up.lock();
        let fs = &*self.options.fs;
        let place = Place::of(fs, to)?;
        let failed = |error| StoreError::io(format!("removing {}", place.unfinished.display()), error);
        // Left behind by a backup that was cut short.
        remove_if_there(fs, &place.unfinished).map_err(failed)?;
        let report = self.write_backup(&place, on_stage).and_then(|report| {
            place.give_name(fs)?;
            Ok(report)
        });
        if report.is_err() {
            // The next backup to this name would remove it too.
            let _ = remove_if_there(fs, &place.unfinished);
        }
        report
    }

    fn write_backup(
        &self,
        place: &Place<'_>,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        let (published, copy) = self.freeze_files()?;
        let files = copy.files.iter().map(|file| (file.name.as_str(), file.bytes));
        let total = container::total_bytes(files.chain([(CopyPlan::MANIFEST, copy.manifest.len() as u64)]));
        self.options.check_room(place.dir, total)?;
        let fs = &self.options.fs;
        let mut go_on = |done| {
            if self.closed.load(Ordering::Relaxed) {
                return Err(StoreError::Closed);
            }
            if on_stage(Stage { name: STAGE, done, total }) { Ok(()) } else { Err(StoreError::Stopped) }
        };
        let mut writer = ContainerWriter::create(&**fs, &place.unfinished, published.position)?;
        // First, so that whoever restores knows which files to expect.
        let manifest = copy.manifest.as_bytes();
        let from_manifest = |buffer: &mut [u8], offset: u64| {
            let start = usize::try_from(offset).expect("it is in memory");
            buffer.copy_from_slice(&manifest[start..start + buffer.len()]);
            Ok(())
        };
        writer.add(CopyPlan::MANIFEST, manifest.len() as u64, from_manifest, &mut go_on)?;
        for file in &copy.files {
            let path = self.dir.join(&file.name);
            let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
            let source = fs.open_to_read(&path).map_err(failed)?;
            let read = |buffer: &mut [u8], offset: u64| source.read_at(buffer, offset).map_err(failed);
            writer.add(&file.name, file.bytes, read, &mut go_on)?;
        }
        go_on(total)?;
        let bytes = writer.finish()?;
        let files = copy.files.len() as u64 + 1;
        let figures = vec![("position", published.position), ("files", files), ("bytes", bytes)];
        Ok(MaintenanceReport { figures, ..MaintenanceReport::default() })
    }

    /// What is published now, and the files that hold it.
    fn freeze_files(&self) -> Result<(Published, FrozenCopy), StoreError> {
        // Before the position is taken: what it needs must stay.
        let kept = KeptFiles::new(Arc::clone(&self.log));
        loop {
            let published = {
                // Between two groups: then the log ends with the run that published the position.
                let disk = self.disk.lock();
                Published { position: self.view().position, end: disk.writer.synced_to() }
            };
            if let Some(copy) = self.log.frozen_copy(published, &kept)? {
                return Ok((published, copy));
            }
        }
    }
}

/// Where a backup goes.
struct Place<'a> {
    to: &'a Path,
    dir: &'a Path,
    /// Its name until it is complete.
    unfinished: PathBuf,
}

impl<'a> Place<'a> {
    /// Refuses a name that is taken.
    fn of(fs: &dyn FileSystem, to: &'a Path) -> Result<Self, StoreError> {
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
    fn give_name(&self, fs: &dyn FileSystem) -> Result<(), StoreError> {
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
}

fn taken(to: &Path) -> StoreError {
    StoreError::Occupied { path: to.to_owned(), advice: "name a file that is not there yet" }
}

fn remove_if_there(fs: &dyn FileSystem, path: &Path) -> io::Result<()> {
    match fs.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
