//! Writing groups: a plan of where each goes, and a writer that puts them on disk in that order.
//!
//! The two are apart so that a group can be made while the one before it is still being synced.

use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::group::{Group, GroupPlace};
use crate::hashed::HashedMap;
use crate::log::{Log, Recent, Segment, Spare};
use crate::manifest::SegmentState;
use crate::segment;

/// A segment is left when less than this is free in it: most groups fit.
const ROLL_MARGIN_BYTES: u64 = 256 << 10;
/// A segment whose blocks were not prepared is left early, once it holds this much.
const UNFILLED_BYTES_MAX: u64 = 1 << 20;

/// Memory of a group that is kept for another one.
const BUFFER_BYTES_KEPT: usize = 8 << 20;
/// Groups whose memory is kept: one is made while one is written.
const BUFFERS_KEPT: usize = 2;

/// Where the next group goes.
#[derive(Debug)]
pub struct LogPlan {
    log: Arc<Log>,
    /// `None` where nothing may be written.
    next: Option<GroupPlace>,
    /// Whether the blocks of the segment are on disk already.
    filled: bool,
}

/// Puts groups on disk, in the order of the plan.
#[derive(Debug)]
pub struct LogWriter {
    log: Arc<Log>,
    /// Everything before this position is on disk.
    synced_to: u64,
    recent: Recent,
}

/// What a group is after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Position behind it.
    pub end: u64,
    /// Bytes written.
    pub bytes: u64,
}

impl LogPlan {
    pub(crate) fn new(log: Arc<Log>, first: Spare, base: u64) -> Self {
        log.keep_file(first.number, &first.file);
        let filled = first.filled;
        LogPlan { log, next: Some(first.place(base)), filled }
    }

    /// For a log that is only read.
    pub(crate) fn without_segment(log: Arc<Log>) -> Self {
        LogPlan { log, next: None, filled: false }
    }

    /// Starts a group, in a new segment when the active one is full.
    ///
    /// Fails without any effect on the log: nothing was promised yet.
    pub fn start_group(&mut self) -> Result<Group, StoreError> {
        if self.is_full() {
            self.roll()?;
        }
        let next = self.next.clone().ok_or(StoreError::Closed)?;
        let buffer = self.log.buffers.lock().pop().unwrap_or_default();
        Ok(Group::new(buffer, next, self.log.sealer.clone()))
    }

    /// Takes the place of a group that will be written; one that is not given here takes none.
    pub fn end_group(&mut self, group: &Group) {
        if let Some(next) = &mut self.next {
            next.offset += group.closed_bytes();
        }
    }

    /// Leaves the active segment, unless it is empty: what was written so far shall stay as it is in
    /// complete segments. Says with which segment, and at which position, the log goes on. Nobody may be
    /// writing.
    pub fn roll_over(&mut self) -> Result<(u64, u64), StoreError> {
        if self.next.as_ref().is_some_and(|next| next.offset > 0) {
            self.roll()?;
        }
        let next = self.next.as_ref().ok_or(StoreError::Closed)?;
        Ok((next.segment, next.base))
    }

    /// The number of the segment that the next group goes to.
    pub fn segment(&self) -> u64 {
        self.next.as_ref().map_or(0, |next| next.segment)
    }

    fn is_full(&self) -> bool {
        let Some(offset) = self.next.as_ref().map(|next| next.offset) else { return false };
        let margin = ROLL_MARGIN_BYTES.min(self.log.options.segment_bytes / 4);
        offset + margin > self.log.options.segment_bytes
            || (!self.filled && offset > UNFILLED_BYTES_MAX && self.log.spare.lock().is_some())
    }

    /// Leaves the active segment. The first group of the next one is written when everything here is
    /// synced, and its header says so.
    fn roll(&mut self) -> Result<(), StoreError> {
        let spare = self.log.spare.lock().take();
        let next = match spare {
            Some(spare) => spare,
            None => self.log.add_unfilled_segment()?,
        };
        self.log.keep_file(next.number, &next.file);
        self.filled = next.filled;
        let end = self.next.as_ref().map_or(0, |next| next.base + next.offset);
        self.next = Some(next.place(end));
        Ok(())
    }
}

impl LogWriter {
    pub(crate) fn new(log: Arc<Log>, synced_to: u64) -> Self {
        LogWriter { log, synced_to, recent: Recent::default() }
    }

    /// Everything before this position is on disk.
    pub fn synced_to(&self) -> u64 {
        self.synced_to
    }

    /// Writes a group and syncs it. After an error nothing may be written any more.
    pub fn commit(&mut self, mut group: Group) -> Result<Written, StoreError> {
        debug_assert_eq!(group.place.base + group.place.offset, self.synced_to, "in the order of the plan");
        group.close(self.synced_to, self.log.options.clock.now_ms());
        let name = segment::file_name(group.place.segment);
        let GroupPlace { file, offset, .. } = &group.place;
        file.write_at(&group.bytes, *offset).map_err(self.log.io("writing", &name))?;
        file.sync_data().map_err(self.log.io("syncing", &name))?;
        let bytes = group.bytes.len() as u64;
        self.synced_to += bytes;
        self.record(&group);
        self.log.keep_buffer(group);
        Ok(Written { end: self.synced_to, bytes })
    }

    /// Makes the hashed entries of a committed group readable.
    pub fn publish_hashed(&self, entries: &HashedMap) {
        let entries = entries.iter().map(|(name, entry)| (*name, entry.clone()));
        self.recent.write().extend(entries);
    }

    fn record(&mut self, group: &Group) {
        let GroupPlace { segment: number, base, salt, .. } = group.place;
        let bytes = self.synced_to - base;
        let mut segments = self.log.segments.write();
        if group.opens_segment() {
            segments.push(Segment { number, base, salt, bytes, packed: 0 });
            drop(segments);
            self.recent = Recent::default();
            let recent = Arc::clone(&self.recent);
            self.log.change_hashed(|view| drop(view.recent.insert(number, recent)));
        } else if let Some(last) = segments.last_mut() {
            last.bytes = bytes;
        }
    }
}

impl Spare {
    fn place(self, base: u64) -> GroupPlace {
        GroupPlace { segment: self.number, file: self.file, base, salt: self.salt, offset: 0 }
    }
}

impl Log {
    /// Takes the memory of a group that is not needed any more.
    pub fn keep_buffer(&self, mut group: Group) {
        // A rare huge group must not pin its memory for ever.
        group.bytes.clear();
        group.bytes.shrink_to(BUFFER_BYTES_KEPT);
        let mut buffers = self.buffers.lock();
        if buffers.len() < BUFFERS_KEPT {
            buffers.push(group.bytes);
        }
    }

    /// Adds a segment without preparing its blocks: quick to make, slower to write.
    pub(crate) fn add_unfilled_segment(&self) -> Result<Spare, StoreError> {
        let mut manifest = self.manifest.lock();
        // One that got ready in this moment has the smaller number and must be used first.
        if let Some(spare) = self.spare.lock().take() {
            return Ok(spare);
        }
        // Taken for good, also if the rest fails: the file may be there under this number.
        let number = manifest.take_number();
        let mut next = manifest.clone();
        let file = self.create_segment_file(number)?;
        let salt = self.options.entropy.next_u64();
        next.segments.push((number, SegmentState::Open { salt }));
        next.write(&*self.options.fs, &self.options.dir)?;
        *manifest = next;
        Ok(Spare { number, salt, file, filled: false })
    }

    /// Creates a segment file with a durable name. The caller lists it in the manifest.
    pub(crate) fn create_segment_file(&self, number: u64) -> Result<Arc<dyn File>, StoreError> {
        let name = segment::file_name(number);
        let fs = &self.options.fs;
        let file = fs.create(&self.path(&name)).map_err(self.io("creating", &name))?;
        fs.sync_dir(&self.options.dir).map_err(self.io("syncing the directory of", &name))?;
        Ok(file)
    }
}
