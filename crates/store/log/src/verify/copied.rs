//! Verifying the files of a copy while they are read to be copied.
//!
//! The same checks as for files in place, over a file that the caller hands in. Tables of packed segments
//! are not looked at: they are derived, and opening does without them.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::{Missing, MissingList, StoreError};

use super::blobs::is_place_of_file;
use super::segments::LogFigures;
use super::{Findings, Watch};
use crate::batch::{Op, Ops};
use crate::blob_file;
use crate::copy::CopyFile;
use crate::frame::Frame;
use crate::hashed::{HashedEntry, HashedName};
use crate::log::{Log, Segment};
use crate::segment;

/// What a copy holds so far.
#[derive(Debug, Default)]
pub struct CopyCheck {
    figures: LogFigures,
    /// The position behind the last segment.
    end: Option<u64>,
    /// Whether a segment is damaged.
    is_damaged: bool,
    /// Blobs that have files, as far as the segments say.
    blobs: BTreeSet<HashedName>,
}

impl Log {
    /// Verifies a segment of a copy, of which `file` is read once from its start to its end. Returns the
    /// ranges that cannot be read.
    pub fn verify_copied_segment(
        &self,
        segment: Segment,
        file: Arc<dyn File>,
        check: &mut CopyCheck,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<MissingList, StoreError> {
        let mut missing = MissingList::default();
        let name = segment::file_name(segment.number);
        if let Some(end) = check.end.filter(|end| *end != segment.base) {
            let detail = format!("the log ends at position {end} before this segment at {}", segment.base);
            findings.add(&name, 0, &*detail);
            let positions = end.min(segment.base)..segment.base;
            missing.add(Missing {
                positions: Some(positions),
                blobs: None,
                ..missing_blob(name.clone(), 0..0, &detail)
            });
        }
        check.end = Some(segment.end());
        let limit = file.len().map_err(self.io("measuring", &name))?.min(segment.frames_end());
        let blobs = &mut check.blobs;
        let mut visit = |frame: &Frame<'_>| note_blobs(frame, blobs);
        let opened = (segment, file, limit);
        let read = self.verify_opened(opened, &name, &mut check.figures, findings, watch, &mut visit)?;
        missing.append(read.lost);
        check.is_damaged |= !missing.is_empty();
        Ok(missing)
    }

    /// Verifies a blob file of a copy whose segments were verified before. Returns what cannot be read.
    pub fn verify_copied_blob(
        &self,
        name: &HashedName,
        file: Arc<dyn File>,
        check: &CopyCheck,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Missing>, StoreError> {
        if !self.needs_blob_file(name, check) {
            return Ok(None);
        }
        let path = blob_file::path_of(name);
        let before = findings.count();
        let lost = self.verify_blob(name, &path, file, findings, watch)?;
        Ok((findings.count() > before).then(|| missing_blob(path, lost, "the blob does not verify")))
    }

    /// Looks for blobs that the segments of a copy place into files that the copy does not have.
    pub fn missing_blob_files(
        &self,
        check: &CopyCheck,
        files: &[CopyFile],
        findings: &mut Findings,
    ) -> MissingList {
        let copied: HashSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let mut missing = MissingList::default();
        for name in &check.blobs {
            let path = blob_file::path_of(name);
            if !copied.contains(path.as_str()) && self.needs_blob_file(name, check) {
                let detail = "the file of the blob is missing";
                findings.add(&path, 0, detail);
                missing.add(missing_blob(path, 0..0, detail));
            }
        }
        missing
    }

    /// Whether a commit says that a blob has a file. An upload under way has one that none names.
    fn needs_blob_file(&self, name: &HashedName, check: &CopyCheck) -> bool {
        // With damage in the segments, what placed or removed the blob may not have been read.
        if check.is_damaged {
            !matches!(self.names_file(name), Ok(false))
        } else {
            check.blobs.contains(name)
        }
    }
}

/// Follows which blobs have files: the last place of a name counts.
fn note_blobs(frame: &Frame<'_>, blobs: &mut BTreeSet<HashedName>) {
    for op in Ops::new(frame.body).map_while(Result::ok) {
        let Op::Hashed { name, expires_at_ms, value } = op else { continue };
        let entry = HashedEntry { expires_at_ms, value: value.into() };
        if is_place_of_file(&entry) {
            blobs.insert(name);
        } else {
            blobs.remove(&name);
        }
    }
}

fn missing_blob(file: String, bytes: Range<u64>, detail: &str) -> Missing {
    Missing { file, bytes, positions: None, transactions: None, blobs: Some(1), detail: detail.into() }
}
