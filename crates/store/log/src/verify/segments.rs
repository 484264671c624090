//! Verifying segments: headers, frames, runs, transactions, blobs, and how segments join.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::{MissingList, StoreError};

use super::frames::{FrameWalk, Step};
use super::lost::Lost;
use super::{Findings, Watch};
use crate::batch::{Op, Ops};
use crate::blob_frame::BlobFrame;
use crate::frame::{CommitBody, Frame, FrameKind};
use crate::log::{Log, Segment};
use crate::runs::gap_of;
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
    /// Bytes of those blobs, unpacked.
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
    /// Position behind the last gap between segments; 0 when they follow each other.
    pub gap_to: u64,
}

impl LogCheck {
    /// Whether every transaction after a position can be read.
    pub fn is_whole_after(&self, position: u64, segments: &[Segment]) -> bool {
        let is_needed = |segment: &&Segment| segment.end() > position;
        self.gap_to <= position
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
                check.gap_to = segment.base;
            }
            end_of_last = Some(segment.end());
            let before = findings.count();
            let read = self.verify_segment(segment, &name, &mut check.figures, findings, watch, visit)?;
            if read.is_none() || findings.count() > before {
                check.damaged.insert(segment.number);
            } else if let Some(read) = read.filter(|read| read.segment.packed > 0) {
                // Nothing is lost with the table, so the segment is whole without it.
                self.check_table(&read, &name, findings);
            }
        }
        Ok(check)
    }

    /// Reads one segment; `None` when it belongs to the log no more, or cannot be opened.
    fn verify_segment(
        &self,
        segment: &Segment,
        name: &str,
        figures: &mut LogFigures,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<Option<SegmentRead>, StoreError> {
        let opened = match self.open_segment(segment) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(None),
            Err(error) => {
                findings.add(name, 0, unreadable(&error));
                return watch.advance(segment.frames_end()).map(|()| None);
            }
        };
        self.verify_opened(opened, name, figures, findings, watch, visit).map(Some)
    }

    /// Reads the file of a segment up to a limit.
    pub(super) fn verify_opened(
        &self,
        (segment, file, limit): OpenSegment,
        name: &str,
        figures: &mut LogFigures,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<SegmentRead, StoreError> {
        let end = segment.frames_end();
        let mut lost = Lost::new(name, segment);
        figures.segments += 1;
        figures.log_bytes += segment.bytes;
        if limit < end {
            findings.add(name, limit, format!("the file ends at {limit} of {end} bytes"));
        }
        let before = findings.count();
        check_header(&*file, &segment, limit, name, findings);
        if findings.count() > before {
            lost.header();
        }
        let mut walk = FrameWalk::new(&*file, segment, limit, self.sealer.as_deref());
        let start = segment::HEADER_BYTES as u64;
        let mut run = RunCheck { name, start: None, first: None, has_transaction: false };
        run.begin(start, segment.base + start);
        let mut rows = Vec::new();
        let (mut told, mut is_whole) = (0, limit == end);
        loop {
            let position = walk.position();
            match walk.next() {
                Ok(Step::Frame { frame, offset, stored, is_padding_clean }) => {
                    if !is_padding_clean {
                        findings.add(name, offset, "the bytes behind this frame are not zero");
                    }
                    let before = findings.count();
                    check_frame(&frame, &segment, offset, name, figures, findings);
                    run.frame(&frame, offset, stored, findings);
                    if findings.count() > before {
                        lost.frame(offset..offset + stored, frame.position, frame.kind);
                    }
                    if let Some(skipped) = gap_of(frame.body).filter(|_| frame.kind == FrameKind::Gap) {
                        let behind = frame.position.saturating_add(skipped);
                        rows.push((behind, behind.wrapping_sub(segment.base + offset + stored)));
                    }
                    if frame.kind == FrameKind::Transaction {
                        visit(&frame);
                    }
                    let done = offset + stored;
                    watch.advance(done - told)?;
                    told = done;
                }
                Ok(Step::Bad { at }) => {
                    // A file that ends early was named for that already.
                    if limit == end || !walk.is_at_end() {
                        findings.add(name, at, "not a valid frame");
                    }
                    let behind = if walk.is_at_end() { segment.end() } else { walk.position() };
                    lost.range(&*file, at..walk.offset(), position..behind);
                    (run.start, is_whole) = (None, false);
                }
                Ok(Step::Sealed { at, kind }) => {
                    findings.add(name, at, "the frame does not open with the store's key");
                    lost.frame(at..walk.offset(), position, kind);
                    run.start = None;
                }
                Ok(Step::End) => break,
                Err(error) => {
                    findings.add(name, told, unreadable(&error));
                    (run.start, is_whole) = (None, false);
                    lost.rest(walk.offset()..end, position);
                    break;
                }
            }
        }
        if limit < end {
            lost.rest(limit..end, walk.position());
        }
        if limit == end {
            run.end(limit, findings);
        }
        if is_whole && walk.position() != segment.end() {
            findings.add(name, end, "the segment ends too early");
        }
        watch.advance(end.saturating_sub(told))?;
        Ok(SegmentRead { segment, file, rows, lost: lost.finish() })
    }

    /// Compares the table of a packed segment with its frames.
    fn check_table(&self, read: &SegmentRead, name: &str, findings: &mut Findings) {
        let wrong = match self.read_pack_table(&read.segment, &*read.file) {
            Ok(Some(table)) if *table == *read.rows => return,
            Ok(Some(_)) => "the table behind the frames leads elsewhere".into(),
            Ok(None) => "the table behind the frames is damaged; it is made again in memory".into(),
            Err(error) => error.to_string(),
        };
        findings.add(name, read.segment.packed, wrong);
    }

    /// Calls `visit` with every frame of a segment that was found whole; `false` when it is not any
    /// more.
    pub fn read_again(
        &self,
        segment: &Segment,
        watch: &mut Watch<'_>,
        visit: &mut dyn FnMut(&Frame<'_>),
    ) -> Result<bool, StoreError> {
        let Ok(Some((segment, file, limit))) = self.open_segment(segment) else { return Ok(false) };
        let mut walk = FrameWalk::new(&*file, segment, limit, self.sealer.as_deref());
        loop {
            match walk.next() {
                Ok(Step::Frame { frame, stored, .. }) => {
                    visit(&frame);
                    watch.advance(stored)?;
                }
                Ok(Step::End) => return Ok(limit == segment.frames_end()),
                Ok(Step::Bad { .. } | Step::Sealed { .. }) | Err(_) => return Ok(false),
            }
        }
    }

    /// Opens what has the segment's name now, which a handle kept from earlier might not be; `None` when
    /// the segment belongs to the log no more. It may have been packed since it was looked at: the one
    /// that comes back belongs to the file.
    fn open_segment(&self, segment: &Segment) -> io::Result<Option<OpenSegment>> {
        let find = || self.segments().into_iter().find(|listed| listed.number == segment.number);
        loop {
            let Some(before) = find() else { return Ok(None) };
            let opened = self.options.fs.open_to_scan(&self.path(&segment::file_name(segment.number)));
            let Some(now) = find() else { return Ok(None) };
            if (now.packed, now.salt) != (before.packed, before.salt) {
                continue;
            }
            let file = opened?;
            // One that is being written is looked at as far as it was.
            let segment = if now.packed > 0 { now } else { *segment };
            let limit = file.len()?.min(segment.frames_end());
            return Ok(Some((segment, file, limit)));
        }
    }
}

/// A segment, its file, and the offset up to which there is something to read.
pub(super) type OpenSegment = (Segment, Arc<dyn File>, u64);

/// A segment that was read to its end.
pub(super) struct SegmentRead {
    segment: Segment,
    file: Arc<dyn File>,
    /// What its table has to say, if it is packed.
    rows: Vec<(u64, u64)>,
    /// Ranges that cannot be read.
    pub(super) lost: MissingList,
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
        Some(header) if header.packed != segment.packed => {
            findings.add(name, 56, "the header says that frames end elsewhere");
        }
        Some(header) if header.synced_to > header.base => {
            findings.add(name, 40, "the header says that more was synced than there was");
        }
        Some(_) => {}
    }
}

fn check_frame(
    frame: &Frame<'_>,
    segment: &Segment,
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
            let blob = BlobFrame::decode(frame.body);
            match blob.map(|blob| blob.with_plain(|plain| plain.len() as u64)) {
                Some(Some(bytes)) => figures.blob_bytes += bytes,
                Some(None) => findings.add(name, offset, "the blob is not what its hash says"),
                None => findings.add(name, offset, "the blob makes no sense"),
            }
        }
        FrameKind::Gap => {
            if segment.packed == 0 || gap_of(frame.body).is_none() {
                findings.add(name, offset, "a gap that makes no sense");
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
    name: &'a str,
    /// Offset and position of the run's first frame; unknown behind a bad place, up to the next commit
    /// frame.
    start: Option<(u64, u64)>,
    /// Position of its first frame that is no gap. A gap before it may stand for earlier runs, too.
    first: Option<u64>,
    has_transaction: bool,
}

impl RunCheck<'_> {
    fn begin(&mut self, offset: u64, position: u64) {
        self.start = Some((offset, position));
        self.first = None;
        self.has_transaction = false;
    }

    fn frame(&mut self, frame: &Frame<'_>, offset: u64, stored: u64, findings: &mut Findings) {
        if frame.kind != FrameKind::Gap {
            self.first.get_or_insert(frame.position);
        }
        match frame.kind {
            FrameKind::Transaction => self.has_transaction = true,
            FrameKind::Blob | FrameKind::Gap => {}
            FrameKind::Commit => {
                match CommitBody::decode(frame.body) {
                    None => findings.add(self.name, offset, "the commit frame makes no sense"),
                    Some(commit) => self.commit(commit, offset, findings),
                }
                self.begin(offset + stored, frame.position + stored);
            }
        }
    }

    fn commit(&self, commit: CommitBody, offset: u64, findings: &mut Findings) {
        let Some((start, position)) = self.start else { return };
        let first = self.first.unwrap_or(position);
        if !(position..=first).contains(&commit.run_start) {
            findings.add(self.name, offset, "the commit frame closes another run");
        } else if !self.has_transaction {
            findings.add(self.name, start, "the run holds no transaction");
        }
        if commit.synced_to > commit.run_start {
            findings.add(self.name, offset, "the commit frame says that more was synced than there was");
        }
    }

    fn end(&self, limit: u64, findings: &mut Findings) {
        // Nothing but a gap: the last runs were taken out.
        let is_open = |(start, _): &(u64, u64)| *start < limit && self.first.is_some();
        if let Some((start, _)) = self.start.filter(is_open) {
            findings.add(self.name, start, "the last run is not closed by a commit frame");
        }
    }
}
