//! Verifying segments: headers, frames, runs, transactions, blobs, and how segments join.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use cairn_base::ContentHash;
use cairn_base::fs::File;
use cairn_seam::StoreError;

use super::frames::{FrameWalk, Step};
use super::{Findings, Watch};
use crate::batch::{Op, Ops};
use crate::frame::{CommitBody, Frame, FrameKind};
use crate::group::BLOB_HEADER_BYTES;
use crate::log::{Log, Segment};
use crate::segment::{self, SegmentHeader};

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogFigures {
    /// Segments with data.
    pub segments: u64,
    /// Valid frames of every kind.
    pub frames: u64,
    /// Transaction frames.
    pub transactions: u64,
    /// Puts and deletes of records in them.
    pub records: u64,
    /// Hashed entries in them.
    pub hashed_entries: u64,
    /// Blob frames.
    pub blobs: u64,
    /// Bytes of those blobs.
    pub blob_bytes: u64,
    /// Bytes of the log.
    pub log_bytes: u64,
}

/// What came of reading the log.
#[derive(Debug, Default)]
pub struct LogCheck {
    /// What was read.
    pub figures: LogFigures,
    /// Segments in which something is wrong.
    pub damaged: BTreeSet<u64>,
    /// Whether the segments do not follow each other.
    pub has_gap: bool,
}

impl LogCheck {
    /// Whether every transaction after a position can be read.
    pub fn is_whole_after(&self, position: u64, segments: &[Segment]) -> bool {
        let is_needed = |segment: &&Segment| segment.end() > position;
        !self.has_gap
            && segments.iter().filter(is_needed).all(|segment| !self.damaged.contains(&segment.number))
    }
}

impl Log {
    /// Reads segments to their end and writes down what is wrong with them. `visit` is called with
    /// every valid transaction frame, in order.
    pub fn verify_segments(
        &self,
        segments: &[Segment],
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<LogCheck, StoreError> {
        let mut check = LogCheck::default();
        let mut end_of_last: Option<u64> = None;
        for segment in segments {
            let name = segment::file_name(segment.number);
            if let Some(end) = end_of_last.filter(|end| *end != segment.base) {
                let detail =
                    format!("the log ends at position {end} before this segment at {}", segment.base);
                findings.add(&name, 0, detail);
                check.has_gap = true;
            }
            end_of_last = Some(segment.end());
            let before = findings.count();
            let is_there = self.verify_segment(segment, &name, &mut check.figures, findings, watch, visit)?;
            if !is_there || findings.count() > before {
                check.damaged.insert(segment.number);
            }
        }
        Ok(check)
    }

    /// Reads one segment; `false` when it belongs to the log no more.
    fn verify_segment(
        &self,
        segment: &Segment,
        name: &str,
        figures: &mut LogFigures,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<bool, StoreError> {
        let is_listed = || self.segments().iter().any(|listed| listed.number == segment.number);
        let (file, limit) = match self.open_segment(segment) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_listed() => return Ok(false),
            Err(error) => {
                findings.add(name, 0, unreadable(&error));
                return watch.advance(segment.bytes).map(|()| true);
            }
        };
        figures.segments += 1;
        figures.log_bytes += segment.bytes;
        if limit < segment.bytes {
            findings.add(name, limit, format!("the file ends at {limit} of {} bytes", segment.bytes));
        }
        check_header(&*file, segment, limit, name, findings);
        let mut walk = FrameWalk::new(&*file, *segment, limit);
        let mut run = RunCheck { segment, name, start: None, has_transaction: false };
        run.begin(segment::HEADER_BYTES as u64);
        let mut told = 0;
        loop {
            match walk.next() {
                Ok(Step::Frame { frame, offset, is_padding_clean }) => {
                    if !is_padding_clean {
                        findings.add(name, offset, "the bytes behind this frame are not zero");
                    }
                    check_frame(&frame, offset, name, figures, findings);
                    run.frame(&frame, offset, findings);
                    if frame.kind == FrameKind::Transaction {
                        visit(&frame);
                    }
                    let done = offset + frame.stored_bytes() as u64;
                    watch.advance(done - told)?;
                    told = done;
                }
                Ok(Step::Bad { at }) => {
                    // A file that ends early was named for that already.
                    if limit == segment.bytes || !walk.is_at_end() {
                        findings.add(name, at, "not a valid frame");
                    }
                    run.start = None;
                }
                Ok(Step::End) => break,
                Err(error) => {
                    findings.add(name, told, unreadable(&error));
                    run.start = None;
                    break;
                }
            }
        }
        if limit == segment.bytes {
            run.end(limit, findings);
        }
        watch.advance(segment.bytes.saturating_sub(told)).map(|()| true)
    }

    /// Calls `visit` with every frame of a segment that was found whole; `false` when it is not any
    /// more.
    pub fn read_again(
        &self,
        segment: &Segment,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<bool, StoreError> {
        let Ok((file, limit)) = self.open_segment(segment) else { return Ok(false) };
        let mut walk = FrameWalk::new(&*file, *segment, limit);
        loop {
            match walk.next() {
                Ok(Step::Frame { frame, .. }) => {
                    visit(&frame);
                    watch.advance(frame.stored_bytes() as u64)?;
                }
                Ok(Step::End) => return Ok(limit == segment.bytes),
                Ok(Step::Bad { .. }) | Err(_) => return Ok(false),
            }
        }
    }

    /// Opens what has the segment's name now, which a handle kept from earlier might not be.
    fn open_segment(&self, segment: &Segment) -> io::Result<(Arc<dyn File>, u64)> {
        let file = self.options.fs.open(&self.path(&segment::file_name(segment.number)))?;
        let limit = file.len()?.min(segment.bytes);
        Ok((file, limit))
    }
}

pub(super) fn unreadable(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "the file is missing".into();
    }
    format!("it cannot be read: {error}")
}

fn check_header(file: &dyn File, segment: &Segment, limit: u64, name: &str, findings: &mut Findings) {
    let mut bytes = [0; segment::HEADER_BYTES];
    if limit < bytes.len() as u64 {
        return;
    }
    if let Err(error) = file.read_at(&mut bytes, 0) {
        findings.add(name, 0, unreadable(&error));
        return;
    }
    match SegmentHeader::decode(&bytes, segment.number) {
        None => findings.add(name, 0, "the header is not valid"),
        Some(header) if (header.base, header.salt) != (segment.base, segment.salt) => {
            findings.add(name, 0, "the header belongs to another segment");
        }
        Some(header) if header.synced_to > header.base => {
            findings.add(name, 40, "the header says that more was synced than there was");
        }
        Some(_) => {}
    }
}

fn check_frame(
    frame: &Frame<'_>,
    offset: u64,
    name: &str,
    figures: &mut LogFigures,
    findings: &mut Findings,
) {
    figures.frames += 1;
    match frame.kind {
        FrameKind::Commit => {}
        FrameKind::Blob => {
            figures.blobs += 1;
            match frame.body.split_at_checked(BLOB_HEADER_BYTES) {
                Some((hash, blob)) => {
                    figures.blob_bytes += blob.len() as u64;
                    if ContentHash::of(blob).as_bytes() != hash {
                        findings.add(name, offset, "the blob is not what its hash says");
                    }
                }
                None => findings.add(name, offset, "the blob has no hash"),
            }
        }
        FrameKind::Transaction => {
            figures.transactions += 1;
            for op in Ops::new(frame.body) {
                match op {
                    Ok(Op::Put { .. } | Op::Delete { .. }) => figures.records += 1,
                    Ok(Op::Hashed { .. }) => figures.hashed_entries += 1,
                    Ok(Op::Event { .. }) => {}
                    Err(_) => findings.add(name, offset, "the transaction makes no sense"),
                }
            }
        }
    }
}

/// Follows runs from their first frame to the commit frame that closes them.
struct RunCheck<'a> {
    segment: &'a Segment,
    name: &'a str,
    /// Offset of the run's first frame; unknown behind a bad place, up to the next commit frame.
    start: Option<u64>,
    has_transaction: bool,
}

impl RunCheck<'_> {
    fn begin(&mut self, offset: u64) {
        self.start = Some(offset);
        self.has_transaction = false;
    }

    fn frame(&mut self, frame: &Frame<'_>, offset: u64, findings: &mut Findings) {
        match frame.kind {
            FrameKind::Transaction => self.has_transaction = true,
            FrameKind::Blob => {}
            FrameKind::Commit => {
                match CommitBody::decode(frame.body) {
                    None => findings.add(self.name, offset, "the commit frame makes no sense"),
                    Some(commit) => self.commit(commit, offset, findings),
                }
                self.begin(offset + frame.stored_bytes() as u64);
            }
        }
    }

    fn commit(&self, commit: CommitBody, offset: u64, findings: &mut Findings) {
        let Some(start) = self.start else { return };
        if commit.run_start != self.segment.base + start {
            findings.add(self.name, offset, "the commit frame closes another run");
        } else if !self.has_transaction {
            findings.add(self.name, start, "the run holds no transaction");
        }
        if commit.synced_to > commit.run_start {
            findings.add(self.name, offset, "the commit frame says that more was synced than there was");
        }
    }

    fn end(&self, limit: u64, findings: &mut Findings) {
        if let Some(start) = self.start.filter(|start| *start < limit) {
            findings.add(self.name, start, "the last run is not closed by a commit frame");
        }
    }
}
