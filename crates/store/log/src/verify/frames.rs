//! Walking a segment frame by frame, over bad places too.

use std::io;

use cairn_base::fs::File;

use crate::frame::{self, Frame};
use crate::log::Segment;
use crate::segment;

const READ_BYTES: u64 = 1 << 20;
/// Frames stand at multiples of this.
const ALIGN: u64 = 8;

/// What comes next in a segment.
pub(super) enum Step<'a> {
    Frame {
        frame: Frame<'a>,
        offset: u64,
        /// Whether what fills it up to a multiple of 8 is zero, as it should be.
        is_padding_clean: bool,
    },
    /// No valid frame here; the walk goes on at the next one there is.
    Bad {
        at: u64,
    },
    End,
}

/// Reads frames in order, holding one of them in memory at a time.
pub(super) struct FrameWalk<'a> {
    file: &'a dyn File,
    segment: Segment,
    /// Offset where reading stops.
    limit: u64,
    at: u64,
    buffer: Vec<u8>,
    buffer_at: u64,
}

impl<'a> FrameWalk<'a> {
    pub(super) fn new(file: &'a dyn File, segment: Segment, limit: u64) -> Self {
        let at = segment::HEADER_BYTES as u64;
        FrameWalk { file, segment, limit, at, buffer: Vec::new(), buffer_at: at }
    }

    pub(super) fn next(&mut self) -> io::Result<Step<'_>> {
        if self.at >= self.limit {
            return Ok(Step::End);
        }
        let at = self.at;
        let Some(stored) = self.valid_frame()? else {
            self.at += ALIGN;
            while self.at < self.limit && self.valid_frame()?.is_none() {
                self.at += ALIGN;
            }
            return Ok(Step::Bad { at });
        };
        self.at += stored as u64;
        let start = self.index_of(at);
        let bytes = &self.buffer[start..start + stored];
        let frame = frame::decode(bytes, self.segment.salt, self.segment.base + at);
        let frame = frame.expect("it was valid a moment ago, and these are the same bytes");
        let padding = &bytes[frame::HEADER_BYTES + frame.body.len()..];
        let is_padding_clean = padding.iter().all(|byte| *byte == 0);
        Ok(Step::Frame { frame, offset: at, is_padding_clean })
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.limit
    }

    /// How many bytes the frame here takes; `None` when there is no valid one.
    fn valid_frame(&mut self) -> io::Result<Option<usize>> {
        let position = self.segment.base + self.at;
        if !self.fill(frame::HEADER_BYTES)? {
            return Ok(None);
        }
        let here = self.index_of(self.at);
        let Some(stored) = frame::claimed_stored_bytes(&self.buffer[here..], position) else {
            return Ok(None);
        };
        if !self.fill(stored)? {
            return Ok(None);
        }
        let here = self.index_of(self.at);
        let valid = frame::decode(&self.buffer[here..], self.segment.salt, position);
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
