//! Writing groups: a plan of where each goes, and a writer that puts them on disk in that order.
//!
//! The two are apart so that a group can be made while the one before it is still being synced.

use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::group::{Group, GroupPlace};
use crate::hashed::HashedMap;
use crate::log::{Log, Recent, Segment, Spare};
use crate::manifest::{Manifest, SegmentState};
use crate::segment;

/// A segment is left when less than this is free in it: most groups fit.
const ROLL_MARGIN_BYTES: u64 = 256 << 10;
/// A segment whose blocks were not prepared is left early, once it holds this much.
const UNFILLED_BYTES_MAX: u64 = 1 << 20;

/// Memory of a group that is kept for another one.
const BUFFER_BYTES_KEPT: usize = 8 << 20;
/// Groups whose memory is kept: one is made while one is written.
const BUFFERS_KEPT: usize = 2;

/// Bytes of zeroes written at once to get blocks of the disk.
const ALLOCATE_SLICE_BYTES: u64 = 256 << 10;

/// Where the next group goes.
#[derive(Debug)]
pub struct LogPlan {
    log: Arc<Log>,
    /// `None` before the first group: opening a log makes no segment.
    next: Option<GroupPlace>,
    /// Position behind the last group.
    end: u64,
    /// Whether the blocks of the whole segment are on disk already.
    filled: bool,
    /// Offset in the segment up to which its blocks are on disk already.
    allocated_to: u64,
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
    pub(crate) fn new(log: Arc<Log>, end: u64) -> Self {
        LogPlan { log, next: None, end, filled: false, allocated_to: 0 }
    }

    /// Starts a group, in a new segment when there is none or the active one is full.
    ///
    /// Fails without any effect on the log: nothing was promised yet.
    pub fn start_group(&mut self) -> Result<Group, StoreError> {
        let place = match self.next.clone().filter(|_| !self.is_full()) {
            Some(place) => place,
            None => self.roll()?,
        };
        let buffer = self.log.buffers.lock().pop().unwrap_or_default();
        Ok(Group::new(buffer, place, self.log.sealer.clone()))
    }

    /// Whether the next group needs a segment that nobody prepared.
    pub fn needs_new_segment(&self) -> bool {
        (self.next.is_none() || self.is_full()) && self.log.spare.lock().is_none()
    }

    /// Takes the place of a group that will be written; one that is not given here takes none.
    pub fn end_group(&mut self, group: &Group) {
        if let Some(next) = &mut self.next {
            next.offset += group.closed_bytes();
            self.end = next.base + next.offset;
        }
    }

    /// Leaves the active segment, unless it is empty: what was written so far shall stay as it is in
    /// complete segments. Says with which segment, and at which position, the log goes on. Nobody may be
    /// writing.
    pub fn roll_over(&mut self) -> Result<(u64, u64), StoreError> {
        let number = match &self.next {
            Some(next) if next.offset > 0 => self.roll()?.segment,
            Some(next) => next.segment,
            // Segments from before this opening are complete, and later ones have larger numbers.
            None => self.log.manifest.lock().next,
        };
        Ok((number, self.end))
    }

    /// The number of the segment that the next group goes to, if it was chosen already.
    pub fn segment(&self) -> Option<u64> {
        self.next.as_ref().map(|next| next.segment)
    }

    /// Whether the blocks of the whole active segment were put on disk before it was used.
    pub fn is_prepared(&self) -> bool {
        self.filled
    }

    /// Bytes of a group in the making for which the segment has no blocks on disk yet, if `more` bytes are
    /// added to the group and it is closed.
    pub fn bytes_to_allocate(&self, group: &Group, more: u64) -> u64 {
        let to = group.place.offset + group.closed_bytes() + more;
        to.saturating_sub(self.allocated(group))
    }

    /// Puts blocks for so many further bytes of a group in the making on disk, so that writing them needs
    /// none. Fails without any effect on the log: there are zeroes behind its end.
    pub fn allocate(&mut self, group: &Group, bytes: u64) -> Result<(), StoreError> {
        let mut at = self.allocated(group);
        let to = at + bytes;
        let name = segment::file_name(group.place.segment);
        while at < to {
            let slice = (to - at).min(ALLOCATE_SLICE_BYTES);
            let zeroes = vec![0; usize::try_from(slice).expect("a quarter of a MiB")];
            group.place.file.write_at(&zeroes, at).map_err(self.log.io("preparing", &name))?;
            at += slice;
        }
        group.place.file.sync_data().map_err(self.log.io("syncing", &name))?;
        self.allocated_to = to;
        Ok(())
    }

    /// Offset up to which there are blocks; everything before the group has some.
    fn allocated(&self, group: &Group) -> u64 {
        self.allocated_to.max(group.place.offset)
    }

    fn is_full(&self) -> bool {
        let offset = self.next.as_ref().map_or(0, |next| next.offset);
        let margin = ROLL_MARGIN_BYTES.min(self.log.options.segment_bytes / 4);
        offset + margin > self.log.options.segment_bytes
            || (!self.filled && offset > UNFILLED_BYTES_MAX && self.log.spare.lock().is_some())
    }

    /// Leaves the active segment. The first group of the next one is written when everything here is
    /// synced, and its header says so.
    fn roll(&mut self) -> Result<GroupPlace, StoreError> {
        let spare = self.log.spare.lock().take();
        let next = match spare {
            Some(spare) => spare,
            None => self.log.add_unfilled_segment()?,
        };
        self.log.keep_file(next.number, &next.file);
        self.filled = next.filled;
        self.allocated_to = if next.filled { self.log.options.segment_bytes } else { 0 };
        let place = next.place(self.end);
        self.next = Some(place.clone());
        Ok(place)
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
        let salt = self.options.entropy.next_u64();
        next.segments.push((number, SegmentState::Open { salt }));
        let made = self.create_segment_file(number).and_then(|file| {
            next.write(&*self.options.fs, &self.options.dir)?;
            Ok(file)
        });
        let file = made.inspect_err(|_| self.remove_unlisted_segment(number))?;
        *manifest = next;
        Ok(Spare { number, salt, file, filled: false })
    }

    /// Removes the file of a segment that was not added after all, if the manifest on disk says so too.
    fn remove_unlisted_segment(&self, number: u64) {
        let listed = Manifest::read(&*self.options.fs, &self.options.dir);
        let is_listed = |manifest: Manifest| manifest.segments.iter().any(|(listed, _)| *listed == number);
        if listed.is_ok_and(|manifest| manifest.is_some_and(|manifest| !is_listed(manifest))) {
            // Best effort: the next opening removes it.
            let _ = self.options.fs.remove(&self.path(&segment::file_name(number)));
        }
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
