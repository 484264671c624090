//! Backups: one file that holds the store as of one position, written while writing goes on.
//!
//! What goes into the file is verified by the same reads that copy it, so a backup that was written can be
//! restored. A damaged place ends the backup, or is listed in it.

mod copying;
mod place;
mod tee;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_log::{CopyPlan, FrozenCopy, KeptFiles, Published, Sides};
use cairn_seam::{Finding, MaintenanceReport, OnStage, Stage, StoreError};

use self::copying::Copying;
use self::place::Place;
use crate::container::{self, ContainerWriter};
use crate::index;
use crate::shared::Shared;

const STAGE: &str = "writing the backup";

/// What a backup does about damaged places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    /// It fails with the first one.
    Refuse,
    /// It lists them.
    Skip,
}

impl Shared {
    /// Writes everything that is published now into a new file.
    ///
    /// It gets its name when it is complete and on disk; whatever goes wrong, nothing is left of it. Fails
    /// with [`StoreError::Damaged`] for the first damaged place, unless those are to be skipped.
    pub(crate) fn back_up(
        &self,
        to: &Path,
        damage: Damage,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        let _one_at_a_time = self.backing_up.lock();
        let fs = &*self.options.fs;
        let place = Place::of(fs, to)?;
        // Left behind by a backup that was cut short.
        place.remove_unfinished(fs)?;
        let report = self.write_backup(&place, damage, on_stage).and_then(|report| {
            place.give_name(fs)?;
            Ok(report)
        });
        if report.is_err() {
            // The next backup to this name would remove it too.
            let _ = place.remove_unfinished(fs);
        }
        report.map_err(|error| self.as_full_disk(error, place.dir))
    }

    fn write_backup(
        &self,
        place: &Place<'_>,
        damage: Damage,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        let mut findings = Vec::new();
        let (format, sides) = match damage {
            Damage::Refuse => (container::WHOLE, Sides::Rebuilt),
            Damage::Skip => {
                findings.extend(self.cover_damage());
                (container::LISTED, Sides::Copied)
            }
        };
        let (published, copy) = self.freeze_files(sides)?;
        let files = copy.files.iter().map(|file| (file.name.as_str(), file.bytes));
        let total = container::total_bytes(files.chain([(CopyPlan::MANIFEST, copy.manifest.len() as u64)]));
        self.options.check_room(place.dir, total)?;
        let mut go_on = |done: u64| {
            if self.closed.load(Ordering::Relaxed) {
                return Err(StoreError::Closed);
            }
            let done = done.min(total);
            if on_stage(Stage { name: STAGE, done, total }) { Ok(()) } else { Err(StoreError::Stopped) }
        };
        go_on(0)?;
        let fs = &*self.options.fs;
        let mut writer = ContainerWriter::create(fs, &place.unfinished, format, published.position)?;
        // First, so that whoever restores knows which files to expect.
        writer.add(CopyPlan::MANIFEST, copy.manifest.as_bytes())?;
        let mut copying = Copying::new(self, writer, damage, &mut go_on);
        copy.files.iter().try_for_each(|file| copying.file(file))?;
        copying.look_for_missing_blobs(&copy.files)?;
        let done = copying.finish()?;
        go_on(total)?;
        let files = copy.files.len() as u64 + 1;
        let mut figures = vec![("position", published.position), ("files", files), ("bytes", done.bytes)];
        if damage == Damage::Skip {
            let sum = |count: &dyn Fn(&cairn_seam::Missing) -> Option<u64>| {
                done.missing.places.iter().filter_map(count).sum::<u64>()
            };
            figures.push(("places_missing", done.missing.count()));
            figures.push(("transactions_missing", sum(&|place| place.transactions)));
            figures.push(("blobs_missing", sum(&|place| place.blobs)));
        }
        findings.extend(done.findings);
        Ok(MaintenanceReport { figures, findings, missing: done.missing, ..MaintenanceReport::default() })
    }

    /// Makes damage in the log cost less: seals the segment in use, so that its hashed entries, which are in
    /// memory, are in a side file, and writes an image of everything that the index holds.
    fn cover_damage(&self) -> Option<Finding> {
        let completed = self.complete_segments().map(drop);
        let error = self.write_image().map(drop).and(completed).err()?;
        Some(Finding {
            file: index::FILE.to_owned(),
            offset: 0,
            detail: format!("no image could be written, so more may be missing than was damaged: {error}"),
            repaired: false,
        })
    }

    /// What is published now, and the files that hold it.
    fn freeze_files(&self, sides: Sides) -> Result<(Published, FrozenCopy), StoreError> {
        // Before the position is taken: what it needs must stay.
        let kept = KeptFiles::new(Arc::clone(&self.log));
        loop {
            let published = {
                // Between two groups: then the log ends with the run that published the position.
                let disk = self.disk.lock();
                Published { position: self.view().position, end: disk.writer.synced_to() }
            };
            if let Some(copy) = self.log.frozen_copy(published, sides, &kept)? {
                return Ok((published, copy));
            }
        }
    }

    /// The error of a disk that filled up while the backup was written.
    fn as_full_disk(&self, error: StoreError, dir: &Path) -> StoreError {
        let StoreError::Io { source, .. } = &error else { return error };
        if source.kind() != io::ErrorKind::StorageFull {
            return error;
        }
        let free_bytes = self.options.fs.free_bytes(dir).unwrap_or(0);
        StoreError::StorageFull { free_bytes, reserve_bytes: self.options.reserve_bytes }
    }
}
