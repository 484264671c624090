//! Copying the files of a store into a container, and verifying them on the way.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_log::{CopyCheck, CopyFile, CopyKind, Findings, Watch};
use cairn_seam::{DamagedAt, Finding, Missing, MissingList, StoreError};
use parking_lot::Mutex;

use super::Damage;
use super::tee::{Target, Tee};
use crate::container::{ContainerWriter, missing};
use crate::shared::Shared;
use crate::verify;

/// Is told how long the container is; an error ends the work.
type GoOn<'a> = &'a mut dyn FnMut(u64) -> Result<(), StoreError>;

/// A container that is being filled.
pub(super) struct Copying<'a> {
    shared: &'a Shared,
    target: Target,
    damage: Damage,
    go_on: GoOn<'a>,
    check: CopyCheck,
    findings: Findings,
    missing: MissingList,
}

/// A container that is complete and on disk.
pub(super) struct Copied {
    pub(super) bytes: u64,
    pub(super) findings: Vec<Finding>,
    pub(super) missing: MissingList,
}

impl<'a> Copying<'a> {
    pub(super) fn new(shared: &'a Shared, writer: ContainerWriter, damage: Damage, go_on: GoOn<'a>) -> Self {
        Copying {
            shared,
            target: Arc::new(Mutex::new(writer)),
            damage,
            go_on,
            check: CopyCheck::default(),
            findings: Findings::default(),
            missing: MissingList::default(),
        }
    }

    /// Copies a file, and verifies what is copied.
    pub(super) fn file(&mut self, file: &CopyFile) -> Result<(), StoreError> {
        (self.go_on)(self.target.lock().len())?;
        let opened = self.shared.options.fs.open_to_read(&self.shared.dir.join(&file.name));
        let opened = opened.and_then(|source| Ok((source.len()?.min(file.bytes), source)));
        let (len, source) = match opened {
            Ok(opened) => opened,
            Err(error) => return self.absent(file, &error),
        };
        self.target.lock().begin_file(&file.name, len)?;
        let tee = Arc::new(Tee::new(source, len, Arc::clone(&self.target)));
        let before = self.findings.count();
        let verified = self.verify(file, &tee);
        // Its own error tells more than what the verification made of it.
        let unreadable = tee.finish()?;
        verified?;
        for (range, error) in unreadable {
            self.findings.add(&file.name, range.start, format!("it cannot be read: {error}"));
        }
        if len < file.bytes && self.findings.count() == before {
            let detail = format!("the file ends at {len} of {} bytes", file.bytes);
            self.findings.add(&file.name, len, detail);
        }
        self.refuse_damage()
    }

    /// Looks for blobs without a file.
    pub(super) fn look_for_missing_blobs(&mut self, files: &[CopyFile]) -> Result<(), StoreError> {
        let missing = self.shared.log.missing_blob_files(&self.check, files, &mut self.findings);
        self.missing.append(missing);
        self.refuse_damage()
    }

    /// Adds the list of what is missing, if the container has one, and closes it.
    pub(super) fn finish(self) -> Result<Copied, StoreError> {
        let mut writer = self.target.lock();
        if self.damage == Damage::Skip {
            writer.add(missing::NAME, missing::to_text(&self.missing).as_bytes())?;
        }
        let (findings, _) = self.findings.finish();
        Ok(Copied { bytes: writer.finish()?, findings, missing: self.missing })
    }

    fn verify(&mut self, file: &CopyFile, tee: &Arc<Tee>) -> Result<(), StoreError> {
        let Copying { shared, target, go_on, check, findings, missing, .. } = self;
        let log = &shared.log;
        let source = Arc::clone(tee) as Arc<dyn File>;
        let mut outcome = Ok(());
        let mut tell = |_: cairn_seam::Stage<'_>| {
            let told = go_on(target.lock().len());
            let goes_on = told.is_ok();
            outcome = told;
            goes_on
        };
        let mut watch = Watch::new(&mut tell);
        let verified = match file.kind {
            CopyKind::Segment(segment) => log
                .verify_copied_segment(segment, source, check, findings, &mut watch)
                .map(|lost| missing.append(lost)),
            CopyKind::Blob(name) => log
                .verify_copied_blob(&name, source, check, findings, &mut watch)
                .map(|lost| lost.into_iter().for_each(|place| missing.add(place))),
            CopyKind::Image(row) => {
                let sealer = log.sealer().map(|sealer| &**sealer);
                verify::check_image_file(row, &*source, sealer, findings, &mut watch).map(|wrong| {
                    // A log that is whole has everything that the image has.
                    let is_needed = !log.has_all_history() || !missing.is_empty();
                    if let Some((at, detail)) = wrong.filter(|_| is_needed) {
                        missing.add(lost_bytes(file, at..file.bytes.max(at), detail));
                    }
                })
            }
            // What it holds is checked whenever it is used, and rebuilt from the segments.
            CopyKind::Side => Ok(()),
        };
        outcome.and(verified)
    }

    /// A file that is not there, or cannot be opened.
    fn absent(&mut self, file: &CopyFile, error: &io::Error) -> Result<(), StoreError> {
        let detail = if error.kind() == io::ErrorKind::NotFound {
            "the file is missing".to_owned()
        } else {
            format!("it cannot be read: {error}")
        };
        self.findings.add(&file.name, 0, &*detail);
        self.refuse_damage()?;
        match file.kind {
            CopyKind::Segment(segment) => self.missing.add(Missing {
                positions: Some(segment.base..segment.end()),
                ..lost_bytes(file, 0..file.bytes, detail)
            }),
            CopyKind::Blob(_) => {
                self.missing.add(Missing { blobs: Some(1), ..lost_bytes(file, 0..file.bytes, detail) });
            }
            CopyKind::Image(_) if self.shared.log.has_all_history() && self.missing.is_empty() => {}
            CopyKind::Image(_) => self.missing.add(lost_bytes(file, 0..file.bytes, detail)),
            CopyKind::Side => {}
        }
        self.target.lock().begin_file(&file.name, 0)
    }

    /// Fails with what was found first, unless damage is to be skipped.
    fn refuse_damage(&mut self) -> Result<(), StoreError> {
        if self.damage == Damage::Skip || self.findings.count() == 0 {
            return Ok(());
        }
        let (findings, _) = std::mem::take(&mut self.findings).finish();
        let Some(Finding { file, offset, detail, .. }) = findings.into_iter().next() else { return Ok(()) };
        let detail = format!("{detail}; no backup was written");
        Err(StoreError::Damaged(DamagedAt { file: self.shared.dir.join(file), offset, detail }))
    }
}

fn lost_bytes(file: &CopyFile, bytes: Range<u64>, detail: String) -> Missing {
    Missing { file: file.name.clone(), bytes, positions: None, transactions: None, blobs: None, detail }
}
