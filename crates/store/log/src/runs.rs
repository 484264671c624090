//! Reading a segment run by run.
//!
//! A run is what one group wrote: blobs and at least one transaction, closed by a commit frame. Nothing
//! of it counts before its commit frame was seen. A gap may stand for frames of a run, and one at its
//! start for whole runs before it as well.

use std::io;
use std::ops::Range;

use cairn_base::TenantId;
use cairn_base::fs::File;

use crate::frame::{self, CommitBody, Frame, FrameKind};
use crate::log::Segment;
use crate::seal::Sealer;
use crate::segment;

const READ_BYTES: usize = 1 << 20;

/// A complete run.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    /// Position of its last transaction: readers that see the run stand here.
    pub(crate) position: u64,
    /// Position of its commit frame.
    pub(crate) commit_at: u64,
    /// What its commit frame says.
    pub(crate) commit: CommitBody,
    /// Position of the first byte behind it.
    pub(crate) end: u64,
    frames: &'a [FramePlace],
    bytes: &'a [u8],
}

impl<'a> Run<'a> {
    /// Its frames in order, the commit frame left out.
    pub(crate) fn frames(&self) -> impl Iterator<Item = Frame<'a>> + '_ {
        self.frames.iter().map(|place| Frame {
            position: place.position,
            kind: place.kind,
            tenant: place.tenant,
            body: &self.bytes[place.body.clone()],
        })
    }
}

#[derive(Debug)]
struct FramePlace {
    position: u64,
    kind: FrameKind,
    tenant: TenantId,
    body: Range<usize>,
}

/// What comes next in a segment.
pub(crate) enum Step<'a> {
    Run(Run<'a>),
    /// No further complete run; the first byte that is not part of a valid frame is at this offset.
    End {
        bad_at: u64,
    },
}

/// Reads the runs of one segment in order, holding one run in memory at a time.
pub(crate) struct RunReader<'a> {
    file: &'a dyn File,
    number: u64,
    salt: u64,
    /// Opens what is sealed; without one, bodies come as they are stored.
    sealer: Option<&'a Sealer>,
    /// Offset where reading stops.
    limit: u64,
    /// Offset of the next run.
    at: u64,
    /// Position of the next run.
    position: u64,
    buffer: Vec<u8>,
    buffer_at: u64,
    frames: Vec<FramePlace>,
}

impl<'a> RunReader<'a> {
    /// Reads a segment up to an offset; what the segment says about its length is not asked.
    pub(crate) fn new(file: &'a dyn File, segment: &Segment, limit: u64, sealer: Option<&'a Sealer>) -> Self {
        let at = segment::HEADER_BYTES as u64;
        let Segment { number, base, salt, .. } = *segment;
        let (buffer, frames) = (Vec::new(), Vec::new());
        RunReader {
            file,
            number,
            salt,
            sealer,
            limit,
            at,
            position: base + at,
            buffer,
            buffer_at: at,
            frames,
        }
    }

    /// Starts at an offset where a run is known to start.
    pub(crate) fn starting_at(mut self, offset: u64) -> Self {
        self.position += offset - self.at;
        self.at = offset;
        self.buffer_at = offset;
        self
    }

    /// The position behind the last complete run.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The offset behind the last complete run.
    pub(crate) fn offset(&self) -> u64 {
        self.at
    }

    pub(crate) fn next(&mut self) -> io::Result<Step<'_>> {
        let start = usize::try_from(self.at - self.buffer_at).expect("the buffer is in memory");
        self.buffer.drain(..start);
        self.buffer_at = self.at;
        self.frames.clear();
        let mut cursor = 0;
        let mut position = self.position;
        loop {
            let bad = Step::End { bad_at: self.at + cursor as u64 };
            if cursor > 0 && self.frames.is_empty() && self.at + cursor as u64 == self.limit {
                // Everything behind the last run was taken out.
                self.at = self.limit;
                self.position = position;
                return Ok(bad);
            }
            if !self.fill(cursor + frame::HEADER_BYTES)? {
                return Ok(bad);
            }
            let Some(stored) = frame::claimed_stored_bytes(&self.buffer[cursor..], position) else {
                return Ok(bad);
            };
            if !self.fill(cursor + stored)? {
                return Ok(bad);
            }
            let Some(frame) = frame::decode(&self.buffer[cursor..], self.salt, position) else {
                return Ok(bad);
            };
            let body = cursor + frame::HEADER_BYTES..cursor + frame::HEADER_BYTES + frame.body.len();
            match frame.kind {
                FrameKind::Commit => {
                    let first = self.frames.first().map_or(position, |frame| frame.position);
                    let commit = CommitBody::decode(frame.body);
                    let is_ours = |commit: &CommitBody| (self.position..=first).contains(&commit.run_start);
                    let Some(commit) = commit.filter(is_ours) else {
                        return Ok(bad);
                    };
                    let transactions =
                        self.frames.iter().filter(|frame| frame.kind == FrameKind::Transaction);
                    let Some(last) = transactions.map(|frame| frame.position).next_back() else {
                        return Ok(bad);
                    };
                    if let Err(bad_at) = self.open_frames() {
                        return Ok(Step::End { bad_at });
                    }
                    self.at += (cursor + stored) as u64;
                    self.position = position + stored as u64;
                    return Ok(Step::Run(Run {
                        position: last,
                        commit_at: position,
                        commit,
                        end: self.position,
                        frames: &self.frames,
                        bytes: &self.buffer,
                    }));
                }
                kind @ (FrameKind::Transaction | FrameKind::Blob) => {
                    self.frames.push(FramePlace { position, kind, tenant: frame.tenant, body });
                    position += stored as u64;
                }
                FrameKind::Gap => {
                    match gap_of(frame.body).and_then(|skipped| position.checked_add(skipped)) {
                        Some(behind) => position = behind,
                        None => return Ok(bad),
                    }
                }
            }
            cursor += stored;
        }
    }

    /// Opens the bodies of a whole run; `Err` with the offset of the first that does not open.
    fn open_frames(&mut self) -> Result<(), u64> {
        let Some(sealer) = self.sealer else { return Ok(()) };
        for FramePlace { position, kind, tenant, body } in &mut self.frames {
            let cipher = sealer.of_frames(self.number, self.salt, *tenant);
            let opened = frame::open(&mut self.buffer[body.clone()], &cipher, *position, *kind, *tenant);
            let offset = self.buffer_at + (body.start - frame::HEADER_BYTES) as u64;
            body.end = body.start + opened.map_err(|_| offset)?;
        }
        Ok(())
    }

    /// Makes the buffer hold `wanted` bytes; `false` when the segment ends before.
    fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        if self.buffer.len() >= wanted {
            return Ok(true);
        }
        let left = self.limit.saturating_sub(self.buffer_at);
        if (wanted as u64) > left {
            return Ok(false);
        }
        let target = (wanted.next_multiple_of(READ_BYTES) as u64).min(left);
        let had = self.buffer.len();
        self.buffer.resize(usize::try_from(target).expect("bounded by a run and one read"), 0);
        self.file.read_at(&mut self.buffer[had..], self.buffer_at + had as u64)?;
        Ok(true)
    }
}

/// How many positions a gap stands for.
pub(crate) fn gap_of(body: &[u8]) -> Option<u64> {
    body.try_into().ok().map(u64::from_le_bytes)
}

/// What the bytes behind the last complete run tell.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Remains {
    /// The furthest `synced_to` of any valid commit frame found there.
    pub(crate) synced_to: u64,
    /// Valid transaction frames found there.
    pub(crate) transactions: u64,
    /// Offset behind the last byte that is not zero.
    pub(crate) used_to: u64,
}

/// Looks through everything behind `from` for frames that are valid in this segment.
pub(crate) fn inspect_remains(
    file: &dyn File,
    salt: u64,
    base: u64,
    from: u64,
    limit: u64,
) -> io::Result<Remains> {
    let mut remains = Remains { used_to: from, ..Remains::default() };
    let mut chunk_at = from;
    // A frame may reach into the next chunk; commit frames, which matter, are 40 bytes.
    let overlap = frame::stored_bytes(CommitBody::BYTES);
    let mut chunk = Vec::new();
    while chunk_at < limit {
        let len = (limit - chunk_at).min(READ_BYTES as u64);
        chunk.resize(usize::try_from(len).expect("at most one read"), 0);
        file.read_at(&mut chunk, chunk_at)?;
        if let Some(last) = chunk.iter().rposition(|byte| *byte != 0) {
            remains.used_to = chunk_at + last as u64 + 1;
            inspect_chunk(&chunk, salt, base + chunk_at, &mut remains);
        }
        if len < READ_BYTES as u64 {
            break;
        }
        chunk_at += len - overlap as u64;
    }
    Ok(remains)
}

fn inspect_chunk(chunk: &[u8], salt: u64, position: u64, remains: &mut Remains) {
    let mut at = 0;
    while at + frame::HEADER_BYTES <= chunk.len() {
        let here = position + at as u64;
        let step = match frame::decode(&chunk[at..], salt, here) {
            Some(frame) => {
                match frame.kind {
                    FrameKind::Commit => {
                        let commit = CommitBody::decode(frame.body);
                        remains.synced_to = remains.synced_to.max(commit.map_or(0, |body| body.synced_to));
                    }
                    FrameKind::Transaction => remains.transactions += 1,
                    FrameKind::Blob | FrameKind::Gap => {}
                }
                frame.stored_bytes()
            }
            None => 8,
        };
        at += step;
    }
}
