//! Writing groups to the active segment.

use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::group::Group;
use crate::hashed::{HashedEntry, HashedName};
use crate::log::{Log, Recent, Segment, Spare};
use crate::manifest::SegmentState;
use crate::segment::{self, SegmentHeader};

/// A segment is left when less than this is free in it: most groups fit.
const ROLL_MARGIN_BYTES: u64 = 256 << 10;
/// A segment whose blocks were not prepared is left early, once it holds this much.
const UNFILLED_BYTES_MAX: u64 = 1 << 20;

/// Memory of a group that is kept for the next one.
const BUFFER_BYTES_KEPT: usize = 8 << 20;

/// The one writer of a log.
#[derive(Debug)]
pub struct LogWriter {
    log: Arc<Log>,
    active: Active,
    /// Everything before this position is on disk.
    synced_to: u64,
    /// Given back by the last group, to be filled again.
    spare_buffer: Vec<u8>,
    recent: Recent,
}

#[derive(Debug)]
struct Active {
    number: u64,
    file: Arc<dyn File>,
    base: u64,
    salt: u64,
    /// Where the next group goes; 0 until the header is written.
    offset: u64,
    filled: bool,
}

/// What a group is after it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Position behind it.
    pub end: u64,
    /// Bytes written.
    pub bytes: u64,
}

impl LogWriter {
    pub(crate) fn new(log: Arc<Log>, first: Spare, base: u64) -> Self {
        log.keep_file(first.number, &first.file);
        let recent = Recent::default();
        let active = Active {
            number: first.number,
            file: first.file,
            base,
            salt: first.salt,
            offset: 0,
            filled: first.filled,
        };
        LogWriter { log, active, synced_to: base, spare_buffer: Vec::new(), recent }
    }

    /// Everything before this position is on disk.
    pub fn synced_to(&self) -> u64 {
        self.synced_to
    }

    /// Starts a group, in a new segment when the active one is full.
    ///
    /// Fails without any effect on the log: nothing was promised yet.
    pub fn start_group(&mut self) -> Result<Group, StoreError> {
        if self.is_full() {
            self.roll()?;
        }
        let active = &self.active;
        let header = (active.offset == 0).then(|| {
            SegmentHeader {
                number: active.number,
                base: active.base,
                salt: active.salt,
                synced_to: self.synced_to,
                created_ms: self.log.options.clock.now_ms(),
            }
            .encode()
        });
        let buffer = std::mem::take(&mut self.spare_buffer);
        let start = active.base + active.offset;
        let opens = header.as_ref().map(<[u8; segment::HEADER_BYTES]>::as_slice);
        Ok(Group::new(buffer, start, active.salt, self.synced_to, opens))
    }

    /// Gives back a group that turned out to hold nothing.
    pub fn discard(&mut self, mut group: Group) {
        group.bytes.clear();
        group.bytes.shrink_to(BUFFER_BYTES_KEPT);
        self.spare_buffer = group.bytes;
    }

    /// Writes a group and syncs it. After an error nothing may be written any more.
    pub fn commit(&mut self, mut group: Group) -> Result<Written, StoreError> {
        group.close();
        let name = segment::file_name(self.active.number);
        self.active.file.write_at(&group.bytes, self.active.offset).map_err(self.log.io("writing", &name))?;
        self.active.file.sync_data().map_err(self.log.io("syncing", &name))?;
        let bytes = group.bytes.len() as u64;
        let opened = self.active.offset == 0;
        self.active.offset += bytes;
        self.synced_to = self.active.base + self.active.offset;
        self.record(opened);
        // A rare huge group must not pin its memory for ever.
        group.bytes.clear();
        group.bytes.shrink_to(BUFFER_BYTES_KEPT);
        self.spare_buffer = group.bytes;
        Ok(Written { end: self.synced_to, bytes })
    }

    /// Makes the hashed entries of a committed group readable.
    pub fn publish_hashed(&self, entries: impl IntoIterator<Item = (HashedName, HashedEntry)>) {
        self.recent.write().extend(entries);
    }

    fn record(&mut self, opened: bool) {
        let Active { number, base, salt, offset: bytes, .. } = self.active;
        let mut segments = self.log.segments.write();
        if opened {
            segments.push(Segment { number, base, salt, bytes });
            drop(segments);
            self.recent = Recent::default();
            let recent = Arc::clone(&self.recent);
            self.log.change_hashed(|view| drop(view.recent.insert(number, recent)));
        } else if let Some(last) = segments.last_mut() {
            last.bytes = bytes;
        }
    }

    fn is_full(&self) -> bool {
        let Active { offset, filled, .. } = self.active;
        let margin = ROLL_MARGIN_BYTES.min(self.log.options.segment_bytes / 4);
        offset + margin > self.log.options.segment_bytes
            || (!filled && offset > UNFILLED_BYTES_MAX && self.log.spare.lock().is_some())
    }

    /// Leaves the active segment. Its bytes are all synced, so the next header may say so.
    fn roll(&mut self) -> Result<(), StoreError> {
        let spare = self.log.spare.lock().take();
        let next = match spare {
            Some(spare) => spare,
            None => self.log.add_unfilled_segment()?,
        };
        self.log.keep_file(next.number, &next.file);
        self.active = Active {
            number: next.number,
            file: next.file,
            base: self.synced_to,
            salt: next.salt,
            offset: 0,
            filled: next.filled,
        };
        Ok(())
    }

    /// The number of the segment being written.
    pub fn active_segment(&self) -> u64 {
        self.active.number
    }
}

impl Log {
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
