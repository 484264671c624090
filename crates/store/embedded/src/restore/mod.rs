//! Restoring: a directory that holds what a backup holds, or nothing.

mod claim;

use std::path::Path;

use cairn_base::Position;
use cairn_base::fs::FileSystem;
use cairn_log::{CopyPlan, ExpectedFile, Sides};
use cairn_seam::{DamagedAt, MissingList, OnStage, Stage, Store, StoreError};

use self::claim::Claim;
pub use self::claim::MARK;
pub(crate) use self::claim::{refuse_occupied, refuse_unfinished};
use crate::container::{ContainerReader, missing};
use crate::options::{Background, EmbeddedOptions};
use crate::store::EmbeddedStore;

const VERIFYING: &str = "verifying the backup";
const RESTORING: &str = "restoring";

/// How a backup is restored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RestoreHow {
    /// Restore a backup that lacks something, too, and keep a store that does not open because of damage.
    pub accept_missing: bool,
    /// Open the store once before it counts, to prove that it opens.
    pub prove: bool,
}

/// What was restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The store's position when the backup was taken.
    pub position: Position,
    /// Files, the manifest included.
    pub files: u64,
    /// Bytes of the backup.
    pub bytes: u64,
    /// What the backup lacks; the restored store has the same damage at the same places.
    pub missing: MissingList,
    /// Why the store does not open, which only happens when missing data is accepted.
    pub unopened: Option<String>,
}

/// Makes a store of a backup, in a directory that is empty or not there yet.
///
/// The store is the same one: it keeps its id and its positions. What is derived is rebuilt when it is
/// opened first. Every byte of the backup is verified before anything is written. While files are written
/// the directory has a mark, which no opening passes; it is removed last. After a failure the directory is
/// as it was before, and what a killed process left behind is removed by the next restore.
///
/// Fails with [`StoreError::Damaged`] when the backup was cut or changed, with
/// [`StoreError::PartialBackup`] when it lacks something and that is not accepted, and with
/// [`StoreError::Occupied`] when the directory holds anything; these touch nothing.
pub fn restore(
    backup: &Path,
    dir: &Path,
    options: &EmbeddedOptions,
    how: RestoreHow,
    on_stage: OnStage<'_>,
) -> Result<Restored, StoreError> {
    let fs = &*options.fs;
    refuse_occupied(fs, dir)?;
    let mut reader = ContainerReader::open(fs, backup)?;
    let (again, start) = (reader.again()?, reader.offset());
    let text = read_manifest(&mut reader)?;
    let sides = if reader.is_listed() { Sides::Copied } else { Sides::Rebuilt };
    let plan = CopyPlan::parse(text.clone(), sides, backup, start)?;
    let (position, bytes) = (Position::from_stored(reader.position()), reader.len());
    let missing = read_rest(reader, &plan, VERIFYING, on_stage, &mut |_, _| Ok(None))?;
    if let Some(first) = missing.places.first().filter(|_| !how.accept_missing) {
        let (path, places) = (backup.to_owned(), missing.count());
        return Err(StoreError::PartialBackup { path, places, first: Box::new(first.clone()) });
    }
    if how.prove {
        plan.check_key(options.key.as_ref(), dir)?;
    }
    let files = plan.files().len() as u64 + 1;
    let claim = Claim::take(dir, options)?;
    let written = options
        .check_room(dir, bytes)
        .and_then(|()| write_files(fs, dir, again, (&plan, &text), on_stage))
        .and_then(|()| settle(fs, dir, &plan))
        .and_then(|()| if how.prove { prove(dir, options, &claim, how) } else { Ok(None) });
    match written.and_then(|unopened| claim.finish().map(|()| unopened)) {
        Ok(unopened) => Ok(Restored { position, files, bytes, missing, unopened }),
        Err(error) => {
            claim.undo();
            Err(error)
        }
    }
}

/// The manifest stands first: it says which files follow.
fn read_manifest(reader: &mut ContainerReader) -> Result<Vec<u8>, StoreError> {
    let start = reader.offset();
    let bytes = reader.next_file(&ExpectedFile { name: CopyPlan::MANIFEST.into(), bytes: None })?;
    if bytes > CopyPlan::MANIFEST_BYTES_MAX {
        return Err(reader.damaged(start, "the manifest is too large"));
    }
    read_text(reader, bytes)
}

fn read_text(reader: &mut ContainerReader, bytes: u64) -> Result<Vec<u8>, StoreError> {
    let mut text = Vec::new();
    reader.read_file(bytes, |chunk, _, _| {
        text.extend_from_slice(chunk);
        Ok(())
    })?;
    Ok(text)
}

/// Takes the chunks of one file with their offsets; with `None` they are verified alone.
type Sink = Box<dyn FnMut(&[u8], u64) -> Result<(), StoreError>>;

/// Called with each file and its length.
type OnFile<'a> = &'a mut dyn FnMut(&ExpectedFile, u64) -> Result<Option<Sink>, StoreError>;

/// Reads everything behind the manifest to the last byte of the backup. Returns the list of what is
/// missing.
fn read_rest(
    mut reader: ContainerReader,
    plan: &CopyPlan,
    stage: &str,
    on_stage: OnStage<'_>,
    begin: OnFile<'_>,
) -> Result<MissingList, StoreError> {
    let total = reader.len();
    let mut go_on = |done| match on_stage(Stage { name: stage, done, total }) {
        true => Ok(()),
        false => Err(StoreError::Stopped),
    };
    for expected in plan.files() {
        let bytes = reader.next_file(&expected)?;
        let mut sink = begin(&expected, bytes)?;
        reader.read_file(bytes, |chunk, offset, done| {
            go_on(done)?;
            sink.as_mut().map_or(Ok(()), |sink| sink(chunk, offset))
        })?;
    }
    let mut list = MissingList::default();
    if reader.is_listed() {
        let start = reader.offset();
        let bytes = reader.next_file(&ExpectedFile { name: missing::NAME.into(), bytes: None })?;
        if bytes > missing::BYTES_MAX {
            return Err(reader.damaged(start, "the list of what is missing is too large"));
        }
        let text = read_text(&mut reader, bytes)?;
        list = missing::parse(&text)
            .ok_or_else(|| reader.damaged(start, "the list of what is missing makes no sense"))?;
    }
    reader.finish()?;
    go_on(total)?;
    Ok(list)
}

/// Writes and syncs every file.
fn write_files(
    fs: &dyn FileSystem,
    dir: &Path,
    mut reader: ContainerReader,
    (plan, text): (&CopyPlan, &[u8]),
    on_stage: OnStage<'_>,
) -> Result<(), StoreError> {
    if let Some(folder) = plan.folder().map(|folder| dir.join(folder)) {
        fs.create_dir(&folder)
            .map_err(|error| StoreError::io(format!("making {}", folder.display()), error))?;
    }
    let start = reader.offset();
    if read_manifest(&mut reader)? != text {
        return Err(reader.damaged(start, "the backup was changed while it was restored"));
    }
    let is_listed = reader.is_listed();
    let written = read_rest(reader, plan, RESTORING, on_stage, &mut |expected, bytes| {
        if is_listed && bytes == 0 {
            // It was not there when the backup was written.
            return Ok(None);
        }
        let path = dir.join(&expected.name);
        let doing = format!("writing {}", path.display());
        let file = fs.create(&path).map_err(|error| StoreError::io(&*doing, error))?;
        Ok(Some(Box::new(move |chunk: &[u8], offset: u64| {
            let is_last = offset + chunk.len() as u64 == bytes;
            let written = file.write_at(chunk, offset);
            let written = written.and_then(|()| if is_last { file.sync_data() } else { Ok(()) });
            written.map_err(|error| StoreError::io(&*doing, error))
        })))
    });
    written.map(drop)
}

/// Makes a store of the files. Their names are on disk before the manifest's.
fn settle(fs: &dyn FileSystem, dir: &Path, plan: &CopyPlan) -> Result<(), StoreError> {
    let folder = plan.folder().map(|folder| dir.join(folder));
    for dir in [folder.as_deref(), Some(dir)].into_iter().flatten() {
        fs.sync_dir(dir).map_err(|error| StoreError::io(format!("syncing {}", dir.display()), error))?;
    }
    plan.write_manifest(fs, dir)
}

/// Opens the store once. Returns why it does not open, if missing data is accepted: backups of an older
/// cairn may hold damage that they do not list.
fn prove(
    dir: &Path,
    options: &EmbeddedOptions,
    claim: &Claim<'_>,
    how: RestoreHow,
) -> Result<Option<String>, StoreError> {
    let options = EmbeddedOptions { background: Background::Manual, ..options.clone() };
    let opened = EmbeddedStore::open_claimed(dir, options, claim.lock()).and_then(|store| {
        store.close()?;
        // It opens around damage, which a backup that does not list any must not have.
        match store.open_report().damage.first().filter(|_| !how.accept_missing) {
            Some(lost) => {
                let (file, offset, detail) = (lost.file.clone(), lost.offset.start, lost.detail.clone());
                Err(StoreError::Damaged(DamagedAt { file, offset, detail }))
            }
            None => Ok(()),
        }
    });
    match opened {
        Err(error @ StoreError::Damaged(_)) if how.accept_missing => Ok(Some(error.to_string())),
        opened => opened.map(|()| None),
    }
}
