//! Verifying a store while it is in use: every stored byte, and that what is derived agrees with the log.
//!
//! Everything is looked at as of one view, taken when the work begins; what is written later is not
//! waited for and not mistaken for a difference. Nothing is changed before everything was looked at, and
//! then only derived data, and only when asked to (`repair.rs`).
//!
//! While the log has damage that matters for it, the index is not compared with the log: what the damaged
//! place held is unknown.

mod agree;
pub(crate) mod image;
mod pages;
mod repair;
pub(crate) mod scratch;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use cairn_log::{BlobFilesCheck, DirectoryCheck, Findings, Fold, LogCheck, Part, Segment, SidesCheck, Watch};
use cairn_seam::{DamagedAt, Finding, MaintenanceReport, OnStage, StoreError};

use self::image::ImageCheck;
pub(crate) use self::image::check_image_file;
use crate::index;
use crate::reserve;
use crate::scrub;
use crate::shared::Shared;
use crate::view::View;
use crate::watermark;

/// Keys whose digests are held in memory at once: as many as fit into 2^22 places of 13 bytes (52 MiB).
const KEYS_MAX: usize = 3_600_000;

/// Files in the data directory that are neither the log's nor anybody's leftovers: the lock, the index
/// and its mark, and what the program keeps beside the store.
const OTHER_FILES: [&str; 15] = [
    "LOCK",
    index::FILE,
    index::NEW,
    watermark::FILE,
    index::DAMAGED,
    index::FORGOTTEN,
    scrub::STATE,
    scrub::STATE_NEW,
    reserve::FILE,
    "cairn.toml",
    ".gitignore",
    "endpoints.json",
    "salvage-report.json",
    "cairn.sock",
    "cairn.sock.path",
];

/// Verifies the store, and makes derived data again if asked to.
pub(crate) fn verify(
    shared: &Shared,
    repair: bool,
    on_stage: OnStage<'_>,
) -> Result<MaintenanceReport, StoreError> {
    run(shared, repair, KEYS_MAX, on_stage)
}

/// Fails with what is wrong first unless the index holds what image and log leave. For those who hold
/// the lock on thinning.
pub(crate) fn check_index(shared: &Shared, on_stage: OnStage<'_>) -> Result<(), StoreError> {
    let mut findings = Findings::default();
    let mut watch = Watch::new(on_stage);
    let mut subject = Subject::new(shared, KEYS_MAX, &mut findings);
    let mut fold = subject.first_fold();
    subject.check_image(&mut fold, &mut findings, &mut watch)?;
    subject.check_log(&mut fold, &mut findings, &mut watch)?;
    subject.check_agreement(fold, &mut findings, &mut watch)?;
    let Some(Finding { file, offset, detail, .. }) = findings.finish().0.into_iter().next() else {
        return Ok(());
    };
    if subject.is_index_bad {
        // The log is whole: the next opening rebuilds the index.
        shared.place.damaged(&detail);
    }
    Err(StoreError::Damaged(DamagedAt { file: shared.dir.join(file), offset, detail }))
}

fn run(
    shared: &Shared,
    repair: bool,
    keys_max: usize,
    on_stage: OnStage<'_>,
) -> Result<MaintenanceReport, StoreError> {
    // What the image holds and the log does not is compared as of one moment.
    let history_stays = shared.thinning.read();
    let mut findings = Findings::default();
    let mut watch = Watch::new(on_stage);
    let mut subject = Subject::new(shared, keys_max, &mut findings);
    let mut fold = subject.first_fold();
    subject.check_image(&mut fold, &mut findings, &mut watch)?;
    subject.check_log(&mut fold, &mut findings, &mut watch)?;
    subject.check_pages(&mut findings, &mut watch)?;
    subject.check_agreement(fold, &mut findings, &mut watch)?;
    subject.check_sides(&mut findings, &mut watch)?;
    subject.check_blob_files(&mut findings, &mut watch)?;
    subject.check_directory(&mut findings)?;
    if repair {
        subject.repair(&history_stays, &mut findings);
    }
    Ok(subject.report(findings))
}

/// What is looked at, and what has come of it so far.
struct Subject<'a> {
    shared: &'a Shared,
    keys_max: usize,
    image: ImageCheck,
    view: Arc<View>,
    segments: Vec<Segment>,
    log: LogCheck,
    sides: SidesCheck,
    blob_files: BlobFilesCheck,
    index_pages: u64,
    is_index_bad: bool,
    directory: DirectoryCheck,
}

impl<'a> Subject<'a> {
    /// Takes the view. The order matters: an image is never ahead of a later view, and a view never
    /// ahead of what later segments hold.
    fn new(shared: &'a Shared, keys_max: usize, findings: &mut Findings) -> Self {
        let image = ImageCheck::open(shared, findings);
        let view = shared.view();
        Subject {
            shared,
            keys_max,
            image,
            view,
            segments: shared.log.segments(),
            log: LogCheck::default(),
            sides: SidesCheck::default(),
            blob_files: BlobFilesCheck::default(),
            index_pages: 0,
            is_index_bad: false,
            directory: DirectoryCheck::default(),
        }
    }

    /// A fold of the first part of all keys, which is filled while the log is read anyway.
    fn first_fold(&self) -> Fold {
        let keys = self.view.keys_at_most();
        // A little more room than needed, because hashes do not fall evenly.
        let of = (keys + keys / 8).div_ceil(self.keys_max as u64).max(1);
        Fold::new(self.shared.log.hash_key(), Part { number: 0, of }, keys / of, self.keys_max)
    }

    fn check_log(
        &mut self,
        fold: &mut Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let total = self.segments.iter().map(|segment| segment.frames_end()).sum();
        watch.begin("reading the log", total)?;
        let (after, to) = (self.image.position(), self.view.position);
        self.log = self.shared.log.verify_segments(&self.segments, findings, watch, &mut |frame| {
            if frame.position > after && frame.position <= to {
                fold.transaction(frame);
            }
        })?;
        Ok(())
    }

    fn check_sides(&mut self, findings: &mut Findings, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        let total = self.segments.iter().map(|segment| segment.frames_end()).sum();
        watch.begin("comparing side files with the log", total)?;
        let last = self.segments.last().map_or(0, |segment| segment.number);
        let log = &self.shared.log;
        self.sides = log.verify_sides(last, &self.log.damaged, self.keys_max, findings, watch)?;
        Ok(())
    }

    fn check_blob_files(&mut self, findings: &mut Findings, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        let log = &self.shared.log;
        watch.begin("reading large blobs", log.blob_file_bytes()?)?;
        // A compaction removes a file after its place; nobody waits for it here.
        let no_blob_goes = self.shared.compacting.try_lock();
        self.blob_files = log.verify_blob_files(no_blob_goes.is_none(), findings, watch)?;
        Ok(())
    }

    fn check_directory(&mut self, findings: &mut Findings) -> Result<(), StoreError> {
        let _no_image_is_half_made = self.shared.imaging.lock();
        self.directory = self.shared.log.verify_directory(&OTHER_FILES, findings)?;
        let has_index = self
            .shared
            .place
            .is_there()
            .map_err(|error| StoreError::io(format!("looking for {}", index::FILE), error))?;
        if !has_index {
            findings.add(index::FILE, 0, "the file is missing");
            self.is_index_bad = true;
        }
        Ok(())
    }

    /// Whether everything that a new index would be made of can be read.
    fn is_truth_whole(&self) -> bool {
        let has_start = self.image.position() > 0 || self.shared.log.has_all_history();
        has_start && self.log.is_whole_after(self.image.position(), &self.segments)
    }

    fn report(&self, findings: Findings) -> MaintenanceReport {
        let log = &self.log.figures;
        let left_out = findings.left_out();
        let (findings, _) = findings.finish();
        let mut figures = vec![
            ("segments", log.segments),
            ("frames", log.frames),
            ("transactions", log.transactions),
            ("records", log.records),
            ("hashed_entries", log.hashed_entries),
            ("blobs", log.blobs),
            ("blob_bytes", log.blob_bytes),
            ("blob_files", self.blob_files.files),
            ("blob_file_bytes", self.blob_files.file_bytes),
            ("side_files", self.sides.files),
            ("index_pages", self.index_pages),
            ("log_bytes", log.log_bytes),
            ("set_aside_files", self.directory.set_aside),
        ];
        figures.extend(left_out);
        MaintenanceReport { figures, findings, ..MaintenanceReport::default() }
    }
}
