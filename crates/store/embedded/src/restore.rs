//! Restoring: a directory that holds what a backup holds, or nothing.

use std::io;
use std::path::Path;

use cairn_base::Position;
use cairn_base::fs::{FileSystem, LockGuard};
use cairn_log::{CopyPlan, ExpectedFile};
use cairn_seam::{OnStage, Stage, StoreError};

use crate::container::ContainerReader;
use crate::open::{self, LOCK};
use crate::options::EmbeddedOptions;

const STAGE: &str = "restoring";

/// What was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// The store's position when the backup was taken.
    pub position: Position,
    /// Files, the manifest included.
    pub files: u64,
    /// Bytes of the backup.
    pub bytes: u64,
}

/// Makes a store of a backup, in a directory that is empty or not there yet.
///
/// The store is the same one: it keeps its id and its positions. What is derived is made again when it is
/// opened first. Every byte of the backup is verified before the manifest is written, which is what makes
/// a store of the files: until then there is none, and after a failure the directory is empty again.
///
/// Fails with [`StoreError::Damaged`] when the backup was cut or changed, and with
/// [`StoreError::Occupied`], touching nothing, when the directory holds anything.
pub fn restore(
    backup: &Path,
    dir: &Path,
    options: &EmbeddedOptions,
    on_stage: OnStage<'_>,
) -> Result<Restored, StoreError> {
    let fs = &*options.fs;
    refuse_occupied(fs, dir)?;
    let mut reader = ContainerReader::open(fs, backup)?;
    let plan = read_plan(&mut reader, backup)?;
    let files = plan.files();
    let restored = Restored {
        position: Position(reader.position()),
        files: files.len() as u64 + 1,
        bytes: reader.len(),
    };
    let _lock = claim(dir, options)?;
    let written = options
        .check_room(dir, reader.len())
        .and_then(|()| make_folder(fs, dir, &plan))
        .and_then(|()| write_files(fs, dir, reader, &files, on_stage))
        .and_then(|()| settle(fs, dir, &plan));
    if written.is_err() {
        clear(fs, dir, &plan);
    }
    written.map(|()| restored)
}

pub(crate) fn refuse_occupied(fs: &dyn FileSystem, dir: &Path) -> Result<(), StoreError> {
    match fs.is_dir_empty(dir) {
        Ok(true) => Ok(()),
        Ok(false) => Err(occupied(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::io(format!("looking into {}", dir.display()), error)),
    }
}

fn occupied(dir: &Path) -> StoreError {
    StoreError::Occupied {
        path: dir.to_owned(),
        advice: "restore into an empty directory, or one that is not there yet",
    }
}

/// The manifest stands first: it says which files follow.
fn read_plan(reader: &mut ContainerReader, backup: &Path) -> Result<CopyPlan, StoreError> {
    let start = reader.offset();
    let bytes = reader.next_file(&ExpectedFile { name: CopyPlan::MANIFEST.into(), bytes: None })?;
    if bytes > CopyPlan::MANIFEST_BYTES_MAX {
        return Err(reader.damaged(start, "the manifest is too large"));
    }
    let mut text = Vec::new();
    reader.read_file(bytes, |chunk, _, _| {
        text.extend_from_slice(chunk);
        Ok(())
    })?;
    CopyPlan::parse(text, backup, start)
}

/// Makes the directory ours. Nobody can open a store in it until we are done.
pub(crate) fn claim(dir: &Path, options: &EmbeddedOptions) -> Result<Box<dyn LockGuard>, StoreError> {
    let fs = &*options.fs;
    let failed = |error| StoreError::io(format!("making {}", dir.display()), error);
    fs.create_dir(dir).map_err(failed)?;
    let lock = open::lock(dir, options)?;
    // Somebody may have been quicker.
    if fs.list(dir).map_err(failed)? != [LOCK] { Err(occupied(dir)) } else { Ok(lock) }
}

fn make_folder(fs: &dyn FileSystem, dir: &Path, plan: &CopyPlan) -> Result<(), StoreError> {
    let Some(folder) = plan.folder().map(|folder| dir.join(folder)) else { return Ok(()) };
    fs.create_dir(&folder).map_err(|error| StoreError::io(format!("making {}", folder.display()), error))
}

/// Writes and syncs every file, and verifies the backup to its last byte.
fn write_files(
    fs: &dyn FileSystem,
    dir: &Path,
    mut reader: ContainerReader,
    files: &[ExpectedFile],
    on_stage: OnStage<'_>,
) -> Result<(), StoreError> {
    let total = reader.len();
    let mut go_on = |done| match on_stage(Stage { name: STAGE, done, total }) {
        true => Ok(()),
        false => Err(StoreError::Stopped),
    };
    for expected in files {
        let bytes = reader.next_file(expected)?;
        let path = dir.join(&expected.name);
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        let file = fs.create(&path).map_err(failed)?;
        reader.read_file(bytes, |chunk, offset, done| {
            go_on(done)?;
            file.write_at(chunk, offset).map_err(failed)
        })?;
        file.sync_data().map_err(failed)?;
    }
    reader.finish()?;
    go_on(total)
}

/// Makes a store of the files. Their names are on disk before the manifest's.
fn settle(fs: &dyn FileSystem, dir: &Path, plan: &CopyPlan) -> Result<(), StoreError> {
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = plan.folder().map(|folder| dir.join(folder));
    for dir in [folder.as_deref(), Some(dir), parent].into_iter().flatten() {
        fs.sync_dir(dir).map_err(|error| StoreError::io(format!("syncing {}", dir.display()), error))?;
    }
    plan.write_manifest(fs, dir)
}

/// Takes out everything that was put in, the manifest first: without it the rest is no store.
fn clear(fs: &dyn FileSystem, dir: &Path, plan: &CopyPlan) {
    CopyPlan::remove_manifest(fs, dir);
    for name in plan.files().iter().map(|file| file.name.as_str()).chain([LOCK]) {
        // Most were not written yet; what cannot be removed is refused when somebody opens it.
        let _ = fs.remove(&dir.join(name));
    }
    if let Some(folder) = plan.folder() {
        let _ = fs.remove_dir(&dir.join(folder));
    }
    let _ = fs.sync_dir(dir);
}
