//! Walking a segment frame by frame, over bad places too.

use std::io;

use cairn_base::fs::File;

use crate::frame::{self, Frame, FrameKind, u64_at};
use crate::log::Segment;
use crate::runs::gap_of;
use crate::seal::Sealer;
use crate::segment;

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
}

impl<'a> FrameWalk<'a> {
    pub(crate) fn new(file: &'a dyn File, segment: Segment, limit: u64, sealer: Option<&'a Sealer>) -> Self {
        let at = segment::HEADER_BYTES as u64;
        let position = segment.base + at;
        FrameWalk { file, segment, sealer, limit, at, position, buffer: Vec::new(), buffer_at: at }
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
                Err(_) => return Ok(Step::Sealed { at }),
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
        let from = self.position;
        loop {
            self.at += ALIGN;
            self.position += ALIGN;
            if self.at >= self.limit {
                return Ok(());
            }
            if self.segment.packed > 0 {
                // How much was taken out before is unknown here: the frame says where it stands, and
                // its checksum proves it.
                let Some(claimed) = self.claimed_position()? else { continue };
                if claimed < from || claimed >= self.segment.end() {
                    continue;
                }
                self.position = claimed;
            }
            if self.valid_frame()?.is_some() {
                return Ok(());
            }
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
