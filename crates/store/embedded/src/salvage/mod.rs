//! Making a new store of what can be read of a damaged one.
//!
//! The log is copied, with gaps where it cannot be read. Records come from the best source there is: the
//! index, where its pages verify; else the image, where its blocks do; else the log. They go into the
//! image of the new store, from which its index is rebuilt when it is opened.
//!
//! Nothing is ever written to the damaged directory.

mod image;
mod index;
mod span;

use std::io;
use std::path::Path;

use cairn_base::Position;
use cairn_base::fs::{LockGuard, Locked};
use cairn_log::{DamagedLog, ImageRow, Op, Ops, Thinned, image_name};
use cairn_seam::{MaintenanceReport, OnStage, SalvagedStore, Stage, StoreError, Witness};

use self::image::ImageSource;
use self::index::{EachError, IndexSource};
use self::span::{Emit, Patch, Span};
use crate::image::{Blocks, Identity};
use crate::open::{self, LOCK};
use crate::options::EmbeddedOptions;
use crate::restore;

/// Records of damaged parts of index or image that are kept in memory at the most.
const PATCH_BYTES_MAX: usize = 512 << 20;

const COPYING: &str = "reading the damaged store";
const WRITING: &str = "writing records";

/// Makes a store in `to`, an empty directory or one that is not there yet, of everything that can be read
/// in `from`. Shows `witness` every transaction that can be read.
///
/// The new store is the same one: it keeps its id and its positions. What a transaction changed in other
/// records may be lost while they are there: the caller puts right what depends on each other.
///
/// Fails with [`StoreError::Locked`] when the damaged store is in use, with [`StoreError::Occupied`] when
/// `to` is, and with [`StoreError::Damaged`] when there is nothing to read. After a failure `to` may hold
/// files, and no store.
pub fn salvage(
    from: &Path,
    to: &Path,
    mut options: EmbeddedOptions,
    witness: &mut dyn Witness,
    on_stage: OnStage<'_>,
) -> Result<SalvagedStore, StoreError> {
    let fs = std::sync::Arc::clone(&options.fs);
    restore::refuse_occupied(&*fs, to)?;
    let mut notes = Vec::new();
    let _source = match fs.lock_to_read(&from.join(LOCK)) {
        Ok(Locked::Acquired(guard)) => Some(guard),
        Ok(Locked::Held(owner)) => return Err(StoreError::Locked { dir: from.to_owned(), owner }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            notes.push(format!("LOCK cannot be locked: {error}"));
            None
        }
    };
    let log_options = open::log_options(from, &mut options);
    let mut log = DamagedLog::open(log_options)?;
    let _lock = claim(to, &options)?;
    options.check_room(to, log.bytes())?;
    let index = match IndexSource::open(&*fs, from, log.sealer(), log.store_id()) {
        Ok(index) => Some(index),
        Err(why) => {
            notes.push(format!("{} is not used: {why}", crate::index::FILE));
            None
        }
    };
    if log.store_id().is_none() {
        let id = index.as_ref().map_or_else(
            || {
                let mut id = [0; 16];
                options.entropy.fill(&mut id);
                notes.push("the id of the store is lost: the new one has another".into());
                id
            },
            |index| index.store,
        );
        log.set_store_id(id);
    }
    if let Some(index) = &index {
        log.set_durable_to(index.applied.synced_to);
    }
    let image = ImageSource::open(&*fs, &log, &mut notes);
    let base = Base::choose(index, image);
    base.build(log, (from, to), &options, notes, witness, on_stage)
}

/// Says what is wrong with a directory whose store does not open, as far as its log can be read. Nothing is
/// written.
///
/// Fails as opening does when the key is missing or does not fit, and with [`StoreError::Damaged`] when there
/// is nothing to read.
pub fn diagnose(dir: &Path, mut options: EmbeddedOptions) -> Result<MaintenanceReport, StoreError> {
    let survey = DamagedLog::open(open::log_options(dir, &mut options))?.survey()?;
    let figures =
        vec![("segments", survey.segments), ("transactions", survey.transactions), ("blobs", survey.blobs)];
    Ok(MaintenanceReport { figures, findings: survey.findings, ..MaintenanceReport::default() })
}

/// Makes the new directory ours. Nobody can open a store in it until we are done.
fn claim(dir: &Path, options: &EmbeddedOptions) -> Result<Box<dyn LockGuard>, StoreError> {
    let made = options.fs.create_dir(dir);
    made.map_err(|error| StoreError::io(format!("creating {}", dir.display()), error))?;
    open::lock(dir, options)
}

/// Where records up to a position come from.
struct Base {
    index: Option<IndexSource>,
    image: Option<ImageSource>,
    patch: Patch,
}

impl Base {
    fn choose(index: Option<IndexSource>, image: Option<ImageSource>) -> Self {
        // An index from before history was thinned out lacks what the image has.
        let index = index.filter(|index| {
            index.applied.position > 0
                && image.as_ref().is_none_or(|image| image.row.position <= index.applied.position)
        });
        let mut patch = Patch::default();
        match (&index, &image) {
            (Some(index), image) => {
                patch.spans = index.unread();
                patch.up_to = index.applied.position;
                if let Some(image) = image.as_ref().filter(|_| !patch.spans.is_empty()) {
                    patch.older = Some((image.row.position, image.unread.clone()));
                }
            }
            (None, Some(image)) => {
                patch.spans = image.unread.clone();
                patch.up_to = image.row.position;
            }
            (None, None) => {}
        }
        Base { index, image, patch }
    }

    fn position(&self) -> u64 {
        let of_image = self.image.as_ref().map_or(0, |image| image.row.position);
        self.index.as_ref().map_or(of_image, |index| index.applied.position)
    }

    fn build(
        mut self,
        log: DamagedLog,
        (from, to): (&Path, &Path),
        options: &EmbeddedOptions,
        notes: Vec<String>,
        witness: &mut dyn Witness,
        on_stage: OnStage<'_>,
    ) -> Result<SalvagedStore, StoreError> {
        let fs = &*options.fs;
        let position = self.position();
        let thinned = log.thinned();
        let is_packed = log.is_packed();
        let sealer = log.sealer().cloned();
        let blob_source = log.blob_source();
        let total = log.bytes();
        let mut done = 0;
        let mut advance = |bytes: u64| {
            done += bytes;
            go_on(on_stage, Stage { name: COPYING, done: done.min(total), total })
        };
        if let (true, Some(image)) = (self.index.is_some() && !self.patch.spans.is_empty(), &self.image) {
            let patch = &mut self.patch;
            let read = image.each(&mut |keyspace, key, value| {
                patch.record(keyspace, key, value);
                Ok(())
            });
            read.map_err(|error| StoreError::io(format!("reading {}", from.display()), error))?;
        }
        let patch = &mut self.patch;
        let mut each = |at: u64, body: &[u8]| -> Result<(), StoreError> {
            if patch.spans.is_empty() || at > patch.up_to {
                return Ok(());
            }
            for op in Ops::new(body).map_while(Result::ok) {
                match op {
                    Op::Put { keyspace, key, value } => patch.change(at, keyspace, key, Some(value)),
                    Op::Delete { keyspace, key } => patch.change(at, keyspace, key, None),
                    Op::Hashed { .. } | Op::Event { .. } => {}
                }
            }
            match patch.bytes > PATCH_BYTES_MAX {
                true => Err(too_much()),
                false => Ok(()),
            }
        };
        // The image has to lie before the end of the log.
        let at_least = if position > 0 { (position + 8).next_multiple_of(8) } else { 0 };
        let mut copied = log.copy(to, at_least, witness, &mut each, &mut advance)?;
        let blobs = blob_source.copy(to, &mut |_| Ok(()))?;
        let salts = (options.entropy.next_u64(), options.clock.now_ms());
        let renamed = copied.name_blobs(&blobs, &blob_source, to, salts)?;
        let mut salvaged = SalvagedStore {
            lost: std::mem::take(&mut copied.lost),
            notes: [notes, std::mem::take(&mut copied.notes)].concat(),
            records_to: Position::from_stored(position),
            unread: self.patch.spans.iter().map(Span::to_unread).collect(),
            bytes: total,
            transactions: copied.transactions,
            blobs: copied.blobs + blobs.files,
        };
        if renamed > 0 {
            salvaged.notes.push(format!("{renamed} blob files were named again"));
        }
        salvaged.lost.extend(blobs.lost);
        if let Some(image) = &self.image {
            salvaged.lost.extend(image.lost.iter().cloned());
        }
        if position == 0 && (thinned.records_to > 0 || is_packed) {
            salvaged.notes.push(
                "history was thinned out, and neither index nor image can be read: records that only they held are lost"
                    .into(),
            );
        }
        let (row, thinned) = if position > 0 {
            let row = ImageRow { number: copied.take_number(), position };
            let path = to.join(image_name(row.number));
            let file = fs.create(&path);
            let file = file.map_err(|error| StoreError::io(format!("creating {}", path.display()), error))?;
            let identity = Identity::new(row, options.entropy.next_u64(), sealer.as_deref());
            go_on(on_stage, Stage { name: WRITING, done: 0, total: 0 })?;
            self.write(&*file, &identity, &path)?;
            let is_lossy = salvaged.lost.iter().any(|lost| !lost.positions.is_empty());
            let records_to = if is_lossy || is_packed { position } else { thinned.records_to.min(position) };
            (Some(row), Thinned { records_to, events_to: thinned.events_to.min(records_to) })
        } else {
            (None, Thinned::default())
        };
        copied.finish(fs, to, row, thinned)?;
        Ok(salvaged)
    }

    /// Writes every record as of the base's position.
    fn write(
        &self,
        file: &dyn cairn_base::fs::File,
        identity: &Identity,
        path: &Path,
    ) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(format!("writing {}", path.display()), error);
        let mut out = Blocks::begin(file, identity).map_err(failed)?;
        let mut count = 0;
        let mut emit = |keyspace: u16, key: &[u8], value: &[u8]| {
            count += 1;
            out.key(keyspace, key, value)
        };
        match (&self.index, &self.image) {
            (Some(index), _) => index.each(&self.patch, &mut emit).map_err(|error| match error {
                EachError::Write(error) => failed(error),
                EachError::Unreadable(why) => failed(io::Error::other(why)),
            })?,
            (None, Some(image)) => self.merge(image, &mut emit).map_err(failed)?,
            (None, None) => {}
        }
        out.finish(count).map_err(failed)
    }

    /// The image's records, and those of the log where it cannot be read.
    fn merge(&self, image: &ImageSource, emit: Emit<'_>) -> io::Result<()> {
        let mut patched = self.patch.records.iter().peekable();
        image.each(&mut |keyspace, key, value| {
            while let Some(((other, patch_key), patch_value)) =
                patched.next_if(|((other, patch_key), _)| (*other, &**patch_key) < (keyspace, key))
            {
                emit(*other, patch_key, patch_value)?;
            }
            emit(keyspace, key, value)
        })?;
        patched.try_for_each(|((keyspace, key), value)| emit(*keyspace, key, value))
    }
}

fn too_much() -> StoreError {
    let doing = format!(
        "replacing damaged parts of {} or the image by what the log knows; salvage a copy of the directory \
         without {}",
        crate::index::FILE,
        crate::index::FILE
    );
    StoreError::io(doing, io::ErrorKind::OutOfMemory.into())
}

fn go_on(on_stage: OnStage<'_>, stage: Stage<'_>) -> Result<(), StoreError> {
    match on_stage(stage) {
        true => Ok(()),
        false => Err(StoreError::Stopped),
    }
}
