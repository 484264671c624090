//! Reading history: blobs by place, frames by position.

use std::cell::RefCell;
use std::io;

use cairn_base::fs::File;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{Change, ChangePage, Event, StoreError};

use crate::batch::{Op, Ops};
use crate::blob_frame::BlobFrame;
use crate::frame::{self, CommitBody, FrameKind};
use crate::log::{Log, Segment};
use crate::runs::{Run, RunReader, Step};
use crate::seal::TAG_BYTES;
use crate::segment;

/// A page of changes ends early at this many bytes of events; one transaction always fits.
const PAGE_BYTES_MAX: usize = 4 << 20;
/// How many consumers that page inside large runs are remembered.
const RESUME_MAX: usize = 16;

impl Log {
    /// Reads a blob in the log, verified against its frame's checksum and its own hash.
    pub fn read_blob<T>(
        &self,
        position: u64,
        body_bytes: u32,
        hash: &ContentHash,
        visit: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, StoreError> {
        let segment = self.segment_of(position);
        let Some(segment) = segment.filter(|segment| position < segment.end()) else {
            return Err(self.damaged("MANIFEST", 0, format!("no segment holds position {position}")));
        };
        let name = segment::file_name(segment.number);
        let (segment, file) = self.segment_and_file(segment.number)?;
        let offset = self.offset_of(&segment, &*file, position)?;
        let tag_bytes = if self.sealer.is_some() { TAG_BYTES } else { 0 };
        let stored_bytes = frame::stored_bytes(body_bytes as usize + tag_bytes);
        if offset + stored_bytes as u64 > segment.frames_end() {
            return Err(self.damaged(
                &name,
                offset,
                format!("blob {hash} is said to be longer than the log"),
            ));
        }
        let read = with_buffer(stored_bytes, |bytes| {
            match file.read_at(bytes, offset) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(self.damaged(&name, offset, format!("the file ends before blob {hash}")));
                }
                read => read.map_err(self.io("reading", &name))?,
            }
            let frame = frame::decode(bytes, segment.salt, position);
            let blob = frame
                .filter(|frame| frame.kind == FrameKind::Blob)
                .map(|frame| (frame.tenant, frame::HEADER_BYTES..frame::HEADER_BYTES + frame.body.len()))
                .and_then(|(tenant, body)| self.open_blob(&segment, tenant, position, &mut bytes[body]))
                .and_then(BlobFrame::decode)
                .filter(|blob| blob.hash == *hash);
            Ok(blob.and_then(|blob| blob.with_plain(visit)))
        })?;
        read.ok_or_else(|| self.damaged(&name, offset, format!("blob {hash} does not verify")))
    }

    /// The content of a blob frame's body, opened in place if it is sealed; `None` when it does not open.
    fn open_blob<'a>(
        &self,
        segment: &Segment,
        tenant: TenantId,
        position: u64,
        body: &'a mut [u8],
    ) -> Option<&'a [u8]> {
        let Some(sealer) = &self.sealer else { return Some(body) };
        let cipher = sealer.of_frames(segment.number, segment.salt, tenant);
        let len = frame::open(body, &cipher, position, FrameKind::Blob, tenant).ok()?;
        body.get(..len)
    }

    /// Events after a position up to `to`, which is published and therefore complete.
    pub fn changes(
        &self,
        after: u64,
        to: u64,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let mut page = Page { changes: Vec::new(), next: after, tenant, limit, bytes: 0 };
        let segments = self.segments();
        let first = segments.partition_point(|segment| segment.end() <= after);
        for segment in &segments[first..] {
            if segment.base > to {
                break;
            }
            match self.changes_of(segment, after, to, &mut page) {
                Ok(true) => {}
                Ok(false) => return Ok(page.finish(false)),
                // Events are lost here: what can be read before them is, and then a consumer starts again
                // from a snapshot.
                Err(StoreError::Damaged(_)) if !page.changes.is_empty() => return Ok(page.finish(false)),
                Err(StoreError::Damaged(_)) => {
                    let horizon = cairn_base::Position::from_stored(segment.end().min(to).max(after + 1));
                    return Err(StoreError::TooOld { horizon });
                }
                Err(error) => return Err(error),
            }
        }
        page.next = page.next.max(to);
        Ok(page.finish(true))
    }

    /// Adds a segment's events; `false` when the page is full.
    fn changes_of(
        &self,
        segment: &Segment,
        after: u64,
        to: u64,
        page: &mut Page,
    ) -> Result<bool, StoreError> {
        let (segment, file) = self.segment_and_file(segment.number)?;
        let segment = &segment;
        let name = segment::file_name(segment.number);
        let limit = self.readable_to(segment, &*file)?;
        let mut reader = RunReader::new(&*file, segment, limit, self.sealer.as_deref());
        if let Some(offset) = self.run_near(segment, &*file, after)? {
            reader = reader.starting_at(offset);
        }
        loop {
            let offset = reader.offset();
            match reader.next().map_err(self.io("reading", &name))? {
                Step::Run(run) => {
                    if run.position > to {
                        return Ok(true);
                    }
                    if run.end > after
                        && !page
                            .add(&run, after)
                            .ok_or(offset)
                            .map_err(|offset| self.damaged(&name, offset, "a transaction makes no sense"))?
                    {
                        if segment.packed == 0 {
                            self.remember_run(page.next, segment.base + offset);
                        }
                        return Ok(false);
                    }
                }
                Step::End { bad_at } if bad_at < segment.frames_end() => {
                    return Err(self.damaged(&name, bad_at, "not a valid frame"));
                }
                Step::End { .. } => return Ok(true),
            }
        }
    }
}

/// Runs with memory of the calling thread: a blob is read many times as often as memory of its size is
/// worth keeping for.
fn with_buffer<T>(bytes: usize, run: impl FnOnce(&mut [u8]) -> T) -> T {
    thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    // Taken out while it is used: a visitor that reads again finds another one.
    let mut buffer = BUFFER.take();
    if buffer.len() < bytes {
        buffer.resize(bytes, 0);
    }
    let result = run(&mut buffer[..bytes]);
    BUFFER.set(buffer);
    result
}

impl Log {
    /// The offset up to which frames can be read: a file that was cut ends before its segment does.
    pub(crate) fn readable_to(&self, segment: &Segment, file: &dyn File) -> Result<u64, StoreError> {
        let name = segment::file_name(segment.number);
        let len = file.len().map_err(self.io("measuring", &name))?;
        Ok(segment.frames_end().min(len))
    }

    fn remember_run(&self, next: u64, run: u64) {
        let mut resume = self.resume.lock();
        resume.push_front((next, run));
        resume.truncate(RESUME_MAX);
    }

    /// The offset of a run from which `after` can be read on, when it is known without a search.
    ///
    /// Pages end behind a whole run, where its commit frame is found again, or inside one, which is
    /// remembered; so a consumer that pages through history reads it once.
    fn run_near(&self, segment: &Segment, file: &dyn File, after: u64) -> Result<Option<u64>, StoreError> {
        // Where frames were taken out, an offset does not follow from a position.
        let is_known = after >= segment.base + segment::HEADER_BYTES as u64 && after < segment.end();
        if !is_known || segment.packed > 0 {
            return Ok(None);
        }
        let remembered = self.resume.lock().iter().find(|(next, _)| *next == after).copied();
        if let Some((_, run)) = remembered.filter(|(_, run)| *run >= segment.base) {
            return Ok(Some(run - segment.base));
        }
        let read = |at: u64, bytes: &mut [u8]| -> Result<bool, StoreError> {
            let fits = at - segment.base + bytes.len() as u64 <= self.readable_to(segment, file)?;
            let name = segment::file_name(segment.number);
            match fits {
                true => {
                    file.read_at(bytes, at - segment.base).map_err(self.io("reading", &name)).map(|()| true)
                }
                false => Ok(false),
            }
        };
        let mut header = [0; frame::HEADER_BYTES];
        if !read(after, &mut header)? {
            return Ok(None);
        }
        let Some(stored) = frame::claimed_stored_bytes(&header, after) else { return Ok(None) };
        let commit_at = after + stored as u64;
        let mut commit = [0; frame::HEADER_BYTES + CommitBody::BYTES];
        if !read(commit_at, &mut commit)? {
            return Ok(None);
        }
        // The checksum is what proves it: the header before was taken on trust.
        let commit = frame::decode(&commit, segment.salt, commit_at);
        let commit = commit.filter(|frame| frame.kind == FrameKind::Commit);
        Ok(commit.map(|frame| commit_at + frame.stored_bytes() as u64 - segment.base))
    }
}

struct Page {
    changes: Vec<Change>,
    next: u64,
    tenant: Option<TenantId>,
    limit: usize,
    bytes: usize,
}

impl Page {
    /// Adds a run's events; `Some(false)` when the page is full, `None` when the run makes no sense.
    fn add(&mut self, run: &Run<'_>, after: u64) -> Option<bool> {
        for frame in run.frames() {
            if frame.position <= after || frame.kind != FrameKind::Transaction {
                continue;
            }
            if self.tenant.is_none_or(|tenant| tenant == frame.tenant) {
                let change = change_of(frame.position, frame.tenant, frame.body)?;
                if let Some(change) = change {
                    let bytes: usize = change.events.iter().map(|event| event.body.len()).sum();
                    let is_full = self.changes.len() == self.limit || self.bytes + bytes > PAGE_BYTES_MAX;
                    if is_full && !self.changes.is_empty() {
                        return Some(false);
                    }
                    self.bytes += bytes;
                    self.changes.push(change);
                }
            }
            self.next = frame.position;
        }
        Some(true)
    }

    fn finish(self, at_end: bool) -> ChangePage {
        ChangePage { changes: self.changes, next: cairn_base::Position::from_stored(self.next), at_end }
    }
}

/// The events of a transaction's body; `None` inside when it emitted none, outside when it is damaged.
pub fn change_of(position: u64, tenant: TenantId, body: &[u8]) -> Option<Option<Change>> {
    let mut events = Vec::new();
    for op in Ops::new(body) {
        if let Op::Event { kind, body } = op.ok()? {
            events.push(Event { kind, body: body.to_vec() });
        }
    }
    let change = Change { position: cairn_base::Position::from_stored(position), tenant, events };
    Some((!change.events.is_empty()).then_some(change))
}
