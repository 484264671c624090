//! Walking a segment frame by frame, over bad places too.

use std::io;

use cairn_base::fs::File;

use crate::frame::{self, Frame, FrameKind, u64_at};
use crate::log::Segment;
use crate::pack;
use crate::runs::gap_of;
use crate::seal::Sealer;
use crate::segment;
use crate::verify::line_up::longest_rise;

const READ_BYTES: u64 = 1 << 20;
/// Frames stand at multiples of this.
const ALIGN: u64 = 8;

/// What comes next in a segment.
pub(crate) enum Step<'a> {
    Frame {
        /// Its body is opened if it is sealed.
        frame: Frame<'a>,
        offset: u64,
        /// Bytes it takes in the file.
        stored: u64,
        /// Whether what fills it up to a multiple of 8 is zero, as it should be.
        is_padding_clean: bool,
    },
    /// A valid frame whose body does not open with the store's key.
    Sealed {
        at: u64,
        kind: FrameKind,
    },
    /// No valid frame here; the walk goes on at the next one there is.
    Bad {
        at: u64,
    },
    End,
}

/// Reads frames in order, holding one of them in memory at a time.
pub(crate) struct FrameWalk<'a> {
    file: &'a dyn File,
    segment: Segment,
    /// Opens what is sealed.
    sealer: Option<&'a Sealer>,
    /// Offset where reading stops.
    limit: u64,
    at: u64,
    /// The position that belongs to the offset; where frames were taken out it runs ahead.
    position: u64,
    buffer: Vec<u8>,
    buffer_at: u64,
    /// Offsets and positions of the frames of a packed segment that stand where they belong; known from
    /// the first bad place on.
    in_place: Option<Vec<(u64, u64)>>,
}

impl<'a> FrameWalk<'a> {
    pub(crate) fn new(file: &'a dyn File, segment: Segment, limit: u64, sealer: Option<&'a Sealer>) -> Self {
        let at = segment::HEADER_BYTES as u64;
        let position = segment.base + at;
        let buffer = Vec::new();
        FrameWalk { file, segment, sealer, limit, at, position, buffer, buffer_at: at, in_place: None }
    }

    pub(crate) fn next(&mut self) -> io::Result<Step<'_>> {
        if self.at >= self.limit {
            return Ok(Step::End);
        }
        let at = self.at;
        let Some(stored) = self.valid_frame()? else {
            self.seek()?;
            return Ok(Step::Bad { at });
        };
        let position = self.position;
        self.at += stored as u64;
        self.position += stored as u64;
        let start = self.index_of(at);
        let bytes = &mut self.buffer[start..start + stored];
        let frame = frame::decode(bytes, self.segment.salt, position);
        let frame = frame.expect("it was valid a moment ago, and these are the same bytes");
        let (kind, tenant) = (frame.kind, frame.tenant);
        let mut body = frame::HEADER_BYTES..frame::HEADER_BYTES + frame.body.len();
        if kind == FrameKind::Gap {
            // A length that makes no sense is not followed: what comes next is a bad place.
            let behind = gap_of(frame.body).and_then(|skipped| position.checked_add(skipped));
            self.position = behind.filter(|behind| *behind <= self.segment.end()).unwrap_or(self.position);
        }
        let is_padding_clean = bytes[body.end..].iter().all(|byte| *byte == 0);
        if let Some(sealer) = self.sealer.filter(|_| matches!(kind, FrameKind::Transaction | FrameKind::Blob))
        {
            let cipher = sealer.of_frames(self.segment.number, self.segment.salt, tenant);
            match frame::open(&mut bytes[body.clone()], &cipher, position, kind, tenant) {
                Ok(len) => body.end = body.start + len,
                Err(_) => return Ok(Step::Sealed { at, kind }),
            }
        }
        let frame = Frame { position, kind, tenant, body: &bytes[body] };
        Ok(Step::Frame { frame, offset: at, stored: stored as u64, is_padding_clean })
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.limit
    }

    /// The offset of what comes next.
    pub(crate) fn offset(&self) -> u64 {
        self.at
    }

    /// The position behind the last frame.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Goes to the next valid frame behind a bad place, or to the end.
    fn seek(&mut self) -> io::Result<()> {
        if self.segment.packed > 0 {
            return self.seek_in_packed();
        }
        loop {
            self.at += ALIGN;
            self.position += ALIGN;
            if self.at >= self.limit {
                self.position -= self.at - self.limit;
                self.at = self.limit;
                return Ok(());
            }
            if self.valid_frame()?.is_some() {
                return Ok(());
            }
        }
    }

    /// The same where frames were taken out: how much is unknown, so frames say where they stand.
    fn seek_in_packed(&mut self) -> io::Result<()> {
        let in_place = match self.in_place.take() {
            Some(in_place) => in_place,
            None => self.line_up()?,
        };
        let next = in_place.partition_point(|(offset, _)| *offset <= self.at);
        let next = in_place[next..].iter().find(|(_, position)| *position >= self.position).copied();
        let end = (self.limit, self.position + (self.limit - self.at));
        self.in_place = Some(in_place);
        (self.at, self.position) = next.unwrap_or(end);
        Ok(())
    }

    /// Finds every valid frame of the segment, and leaves out those that were moved.
    fn line_up(&mut self) -> io::Result<Vec<(u64, u64)>> {
        let back_to = (self.at, self.position);
        self.at = segment::HEADER_BYTES as u64;
        let (mut found, mut gaps) = (Vec::new(), 0);
        while self.at < self.limit {
            self.rewind();
            let claimed = self.claimed_position()?;
            let inside = self.segment.base..self.segment.end();
            self.position = claimed.filter(|position| inside.contains(position)).unwrap_or(u64::MAX);
            match self.valid_frame()? {
                Some(stored) => {
                    let here = self.index_of(self.at);
                    let frame = frame::decode(&self.buffer[here..], self.segment.salt, self.position);
                    gaps += u64::from(frame.is_some_and(|frame| frame.kind == FrameKind::Gap));
                    found.push((self.at, self.position));
                    self.at += stored as u64;
                }
                None => self.at += ALIGN,
            }
        }
        (self.at, self.position) = back_to;
        self.rewind();
        // Before no frame more can have been taken out than before the end. Gaps take bytes themselves, and
        // the table behind the frames may have been read as if it were some.
        let gap_bytes = (frame::stored_bytes(8) as u64 + pack::ROW_BYTES as u64) * (gaps + 1);
        let taken_out = (self.segment.bytes + gap_bytes).saturating_sub(self.limit);
        found.retain(|(offset, position)| position - self.segment.base <= offset + taken_out);
        let positions: Vec<u64> = found.iter().map(|(_, position)| *position).collect();
        Ok(longest_rise(&positions).into_iter().map(|at| found[at]).collect())
    }

    /// Makes the buffer begin at or before the offset.
    fn rewind(&mut self) {
        if self.at < self.buffer_at {
            self.buffer.clear();
            self.buffer_at = self.at;
        }
    }

    fn claimed_position(&mut self) -> io::Result<Option<u64>> {
        let is_there = self.fill(frame::HEADER_BYTES)?;
        Ok(is_there.then(|| u64_at(&self.buffer[self.index_of(self.at)..], 8)))
    }

    /// How many bytes the frame here takes; `None` when there is no valid one.
    fn valid_frame(&mut self) -> io::Result<Option<usize>> {
        if !self.fill(frame::HEADER_BYTES)? {
            return Ok(None);
        }
        let here = self.index_of(self.at);
        let Some(stored) = frame::claimed_stored_bytes(&self.buffer[here..], self.position) else {
            return Ok(None);
        };
        if !self.fill(stored)? {
            return Ok(None);
        }
        let here = self.index_of(self.at);
        let valid = frame::decode(&self.buffer[here..], self.segment.salt, self.position);
        Ok(valid.map(|frame| frame.stored_bytes()))
    }

    fn index_of(&self, offset: u64) -> usize {
        usize::try_from(offset - self.buffer_at).expect("the buffer is in memory")
    }

    /// Makes the buffer hold `wanted` bytes from here on; `false` when the segment ends before.
    fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        let here = self.index_of(self.at).min(self.buffer.len());
        if self.buffer.len() - here >= wanted {
            return Ok(true);
        }
        let left = self.limit - self.at;
        if wanted as u64 > left {
            return Ok(false);
        }
        self.buffer.drain(..here);
        // One rare large frame must not keep its memory.
        self.buffer.shrink_to(2 * usize::try_from(READ_BYTES).expect("one MiB") + wanted);
        self.buffer_at = self.at;
        let had = self.buffer.len();
        let target = (wanted as u64).next_multiple_of(READ_BYTES).min(left);
        let target = usize::try_from(target).map_err(io::Error::other)?;
        self.buffer.reserve_exact(target - had);
        self.buffer.resize(target, 0);
        let read = self.file.read_at(&mut self.buffer[had..], self.buffer_at + had as u64);
        if read.is_err() {
            self.buffer.truncate(had);
        }
        read.map(|()| true)
    }
}
