//! Reading a segment around damage: every frame that is whole, and which of them count.
//!
//! Frames behind a bad place are found again by their checksum, which is bound to their position and to
//! the segment's salt. A frame counts if its transaction was durable:
//!
//! - the commit frame of its run is there, or
//! - a later commit frame is there: groups are written one after the other, each after the sync of the
//!   one before it, or
//! - the caller knows that the log was on disk beyond it (`durable_to`): a later segment, a sealed
//!   segment, the index.
//!
//! Everything else behind the last commit frame is a torn tail, which nobody was told about.

use std::ops::Range;

use cairn_base::TenantId;
use cairn_base::fs::File;

use crate::frame::{CommitBody, Frame, FrameKind};
use crate::log::Segment;
use crate::seal::Sealer;
use crate::verify::frames::{FrameWalk, Step};

/// A stretch of a segment that holds no valid frame although something durable was there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Offsets in the file. Empty where the file ends early.
    pub(crate) offset: Range<u64>,
    /// Positions of the log.
    pub(crate) position: Range<u64>,
}

/// What is left of a run. At least one of its frames is.
#[derive(Debug)]
pub(crate) struct RunAround<'a> {
    /// Its blobs and transactions that can be read, in order.
    pub(crate) frames: Vec<Frame<'a>>,
    /// Position and body of its commit frame. `None` when that is lost and something later proves the
    /// run; frames of several such runs come as one.
    pub(crate) commit: Option<(u64, CommitBody)>,
    /// Position behind the last of its frames, the commit frame included.
    pub(crate) end: u64,
}

impl RunAround<'_> {
    /// Position of its last transaction that can be read.
    pub(crate) fn position(&self) -> Option<u64> {
        let mut transactions = self.frames.iter().filter(|frame| frame.kind == FrameKind::Transaction);
        transactions.next_back().map(|frame| frame.position)
    }
}

/// What was read of a segment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Around {
    /// What cannot be read, in order.
    pub(crate) lost: Vec<Lost>,
    /// Offset at which a torn tail begins; `None` when nothing but zeroes follows what counts.
    pub(crate) torn_at: Option<u64>,
    /// Position behind everything that counts, lost stretches included.
    pub(crate) end: u64,
    /// Transactions that can be read and count.
    pub(crate) transactions: u64,
    /// Blobs that can be read and count.
    pub(crate) blobs: u64,
    /// Whether bytes that fill a frame up to a multiple of 8 are not zero. Nothing is lost with them.
    pub(crate) has_dirty_padding: bool,
}

/// Reads a segment up to the offset `limit` and calls `visit` with what is left of each run, in order.
///
/// Everything before the position `durable_to` was on disk. Without a sealer bodies come as they are
/// stored. Memory holds one run at a time. Fails when the file cannot be read, and with what `visit`
/// fails with.
pub(crate) fn read_around<E: From<std::io::Error>>(
    file: &dyn File,
    segment: &Segment,
    limit: u64,
    sealer: Option<&Sealer>,
    durable_to: u64,
    visit: &mut dyn FnMut(&RunAround<'_>) -> Result<(), E>,
) -> Result<Around, E> {
    // Gaps and frames behind damage are believed up to here.
    let bytes = segment.bytes.max(durable_to.saturating_sub(segment.base)).max(limit);
    let mut walk = FrameWalk::new(file, Segment { bytes, ..*segment }, limit, sealer);
    let mut reader = Reader { around: Around::default(), run: Pending::default(), visit };
    loop {
        let (offset, position) = (walk.offset(), walk.position());
        let is_lost = match walk.next()? {
            Step::Frame { frame, offset, stored, is_padding_clean } => {
                reader.around.has_dirty_padding |= !is_padding_clean;
                reader.frame(&frame, offset, stored)?;
                false
            }
            Step::Bad { .. } | Step::Sealed { .. } => true,
            Step::End => break,
        };
        if is_lost {
            let (offset, position) = (offset..walk.offset(), position..walk.position());
            reader.around.lost.push(Lost { offset, position });
        }
    }
    reader.finish(file, (limit, walk.position()), durable_to)
}

struct Reader<'v, E> {
    around: Around,
    run: Pending,
    visit: &'v mut dyn FnMut(&RunAround<'_>) -> Result<(), E>,
}

/// Frames that no commit frame was seen for yet.
#[derive(Default)]
struct Pending {
    places: Vec<Place>,
    bytes: Vec<u8>,
}

struct Place {
    position: u64,
    /// Where the frame stands in the file.
    offset: u64,
    end: u64,
    kind: FrameKind,
    tenant: TenantId,
    body: Range<usize>,
}

impl Place {
    fn frame<'a>(&self, bytes: &'a [u8]) -> Frame<'a> {
        let Place { position, kind, tenant, ref body, .. } = *self;
        Frame { position, kind, tenant, body: &bytes[body.clone()] }
    }
}

impl<E: From<std::io::Error>> Reader<'_, E> {
    fn frame(&mut self, frame: &Frame<'_>, offset: u64, stored: u64) -> Result<(), E> {
        let Frame { position, kind, tenant, body } = *frame;
        let end = position + stored;
        match kind {
            FrameKind::Transaction | FrameKind::Blob => {
                let start = self.run.bytes.len();
                self.run.bytes.extend_from_slice(body);
                let body = start..self.run.bytes.len();
                self.run.places.push(Place { position, offset, end, kind, tenant, body });
            }
            FrameKind::Commit => {
                let commit = CommitBody::decode(body);
                self.around.end = end;
                let run_start = commit.map_or(position, |commit| commit.run_start);
                // Only damage leaves frames of an earlier run here: this commit frame proves them.
                let earlier = self.run.places.partition_point(|place| place.position < run_start);
                let later = self.run.places.split_off(earlier);
                self.emit(None)?;
                self.run.places = later;
                self.emit(commit.map(|commit| (position, commit)))?;
                self.run.bytes.clear();
            }
            FrameKind::Gap => {}
        }
        Ok(())
    }

    fn emit(&mut self, commit: Option<(u64, CommitBody)>) -> Result<(), E> {
        let places = std::mem::take(&mut self.run.places);
        let Some(last) = places.last() else { return Ok(()) };
        let end = commit.map_or(last.end, |_| self.around.end);
        let frames: Vec<Frame<'_>> = places.iter().map(|place| place.frame(&self.run.bytes)).collect();
        for frame in &frames {
            match frame.kind {
                FrameKind::Transaction => self.around.transactions += 1,
                FrameKind::Blob => self.around.blobs += 1,
                FrameKind::Commit | FrameKind::Gap => {}
            }
        }
        self.around.end = self.around.end.max(end);
        (self.visit)(&RunAround { frames, commit, end })
    }

    /// Tells lost bytes from a torn tail and from bytes that were never used.
    fn finish(mut self, file: &dyn File, (limit, at): (u64, u64), durable_to: u64) -> Result<Around, E> {
        let counted = self.run.places.partition_point(|place| place.position < durable_to);
        let torn = self.run.places.split_off(counted);
        self.emit(None)?;
        let durable_to = durable_to.max(self.around.end);
        self.around.torn_at = torn.first().map(|place| place.offset);
        let mut lost = std::mem::take(&mut self.around.lost);
        while let Some(last) = lost.pop() {
            if last.position.start < durable_to {
                lost.push(last);
                break;
            }
            // Prepared space that was not used is zero.
            if self.around.torn_at.is_some() || !is_zero(file, &last.offset)? {
                let torn_at = self.around.torn_at.unwrap_or(last.offset.start);
                self.around.torn_at = Some(torn_at.min(last.offset.start));
            }
        }
        // A stretch that reaches the end of the file goes on to where the segment ended.
        let known_to = lost.last().map_or(0, |last| last.position.end).max(self.around.end);
        match lost.last_mut().filter(|last| last.offset.end == limit) {
            Some(last) => last.position.end = durable_to.max(last.position.start),
            None if at.max(known_to) < durable_to => {
                lost.push(Lost { offset: limit..limit, position: at.max(known_to)..durable_to });
            }
            None => {}
        }
        self.around.end = durable_to.max(self.around.end);
        self.around.lost = lost;
        Ok(self.around)
    }
}

/// Whether a stretch of a file holds nothing but zeroes.
fn is_zero(file: &dyn File, range: &Range<u64>) -> std::io::Result<bool> {
    let mut buffer = vec![0; 64 << 10];
    let mut at = range.start;
    while at < range.end {
        let len = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(buffer.len());
        file.read_at(&mut buffer[..len], at)?;
        if buffer[..len].iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at += len as u64;
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
