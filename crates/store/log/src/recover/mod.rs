//! Opening a log: what is whole, what is torn, what is damaged.
//!
//! A bad frame at q is damage only if something durable says that the log was synced beyond q: a later
//! valid commit frame, a later segment, or the index. Otherwise the frame belongs to a group that was
//! never acknowledged: the torn tail, which is set aside, cut and reported.
//!
//! Damage is read around. Where the index or the image holds what the damaged bytes held, or the loss is
//! accepted, the log goes on; otherwise it is opened to be read, and nothing on disk changes.

mod around;
mod finish;
mod scan;

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_seam::StoreError;

use crate::frame::Frame;
use crate::hashed::HashKey;
use crate::log::{Log, LogOptions, Segment, Spare};
use crate::manifest::{Copied, Manifest, SegmentState, Thinned};
use crate::seal::{self, EncryptionKey, Sealer};
use crate::segment::{self, SegmentHeader};
use crate::set_aside::Cut;
use crate::side;
use crate::verify::frames::{FrameWalk, Step};
use crate::writer::{LogPlan, LogWriter};

/// What is known before the log is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecoverFrom {
    /// Transactions after this position are handed to the visitor.
    pub replay_after: u64,
    /// The index says that everything before this position was synced.
    pub synced_to: u64,
    /// Every byte before this position is behind the index: damage there takes nothing from it.
    pub covered_to: u64,
    /// Go on without what damaged bytes held, instead of opening the log to be read.
    pub accept_loss: bool,
}

/// What opening found, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// A group that was never acknowledged was cut off: file and offset, bytes set aside.
    pub torn: Option<String>,
    /// What cannot be read, in the order of positions, as far as the log was read.
    pub damage: Vec<Unreadable>,
    /// Whether some of it is nowhere else, so that records are missing.
    pub is_incomplete: bool,
    /// The disk had no room for side files or the manifest: they are written once there is some.
    pub untidy: bool,
}

/// A stretch of the log that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The file.
    pub file: PathBuf,
    /// Offsets in it.
    pub offset: Range<u64>,
    /// Positions of the log.
    pub position: Range<u64>,
    /// What is wrong.
    pub detail: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unreadable { file, offset, detail, .. } = self;
        write!(f, "bytes {} to {} of {}: {detail}", offset.start, offset.end, file.display())
    }
}

/// A log ready to be written.
#[derive(Debug)]
pub struct Recovered {
    /// For readers and housekeeping.
    pub log: Arc<Log>,
    /// For whoever makes groups.
    pub plan: LogPlan,
    /// For whoever writes them.
    pub writer: LogWriter,
    /// Position of the last transaction, 0 when there is none.
    pub position: u64,
    /// Whether nothing may be written: records are missing, and nobody accepted that.
    pub read_only: bool,
    /// What happened.
    pub report: RecoveryReport,
}

/// Called with each transaction after `replay_after`, in order, and at the end of each run.
pub trait Replay {
    /// A transaction of a complete run.
    fn transaction(&mut self, frame: &Frame<'_>) -> Result<(), StoreError>;
    /// Transactions before the next one cannot be read, and are nowhere else.
    fn incomplete(&mut self) {}
    /// A run ended whose last transaction was here; `progress` is how much of the log was read.
    fn run_end(&mut self, position: u64, progress: Progress) -> Result<(), StoreError>;
}

/// How far a long job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// A log directory whose manifest has been read, not more.
#[derive(Debug)]
pub struct LogDir {
    log: Log,
}

impl LogDir {
    /// Reads the manifest, or starts a new store in a directory that holds none.
    pub fn open(mut options: LogOptions) -> Result<Self, StoreError> {
        // Not kept longer than it is needed.
        let key = options.key.take();
        let found = Manifest::read(&*options.fs, &options.dir)?;
        let (manifest, sealer) = match found {
            Some(mut manifest) => {
                let sealer = seal::unseal(&mut manifest, key.as_ref(), &options)?;
                (manifest, sealer)
            }
            None => create(&options, key.as_ref())?,
        };
        Ok(LogDir { log: Log::new(options, manifest, sealer.map(Arc::new)) })
    }

    /// The log, for what needs no recovery: ids, images.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Verifies and replays the log, cuts its torn tail and makes it ready for writing.
    pub fn recover(self, from: RecoverFrom, replay: &mut dyn Replay) -> Result<Recovered, StoreError> {
        let mut recovery = Recovery::start(self.log, from)?;
        recovery.open_sides()?;
        recovery.scan(replay)?;
        recovery.finish()
    }
}

/// Makes the first manifest. Segments without one are somebody's data: they are not built over.
fn create(
    options: &LogOptions,
    key: Option<&EncryptionKey>,
) -> Result<(Manifest, Option<Sealer>), StoreError> {
    let dir = options.dir.display();
    options.fs.create_dir(&options.dir).map_err(|error| StoreError::io(format!("creating {dir}"), error))?;
    let names =
        options.fs.list(&options.dir).map_err(|error| StoreError::io(format!("reading {dir}"), error))?;
    let in_use = |name: &&String| name.starts_with("segment-") && has_bytes(options, name);
    if let Some(name) = names.iter().find(in_use) {
        return Err(StoreError::Damaged(cairn_seam::DamagedAt {
            file: options.dir.join("MANIFEST"),
            offset: 0,
            detail: format!("the manifest is missing although {name} is there"),
        }));
    }
    let mut manifest = Manifest {
        store: [0; 16],
        hash_key: HashKey([0; 32]),
        sealed: None,
        next: 1,
        segments: Vec::new(),
        sides: Vec::new(),
        image: None,
        thinned: Thinned::default(),
        copied: Copied::default(),
    };
    if let Some(parent) = options.dir.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let failed = |error| StoreError::io(format!("syncing {}", parent.display()), error);
        options.fs.sync_dir(parent).map_err(failed)?;
    }
    options.entropy.fill(&mut manifest.store);
    options.entropy.fill(&mut manifest.hash_key.0);
    let sealer = key.map(|key| seal::begin(&mut manifest, key, options));
    manifest.write(&*options.fs, &options.dir)?;
    Ok((manifest, sealer))
}

fn has_bytes(options: &LogOptions, name: &str) -> bool {
    options.fs.open(&options.dir.join(name)).and_then(|file| file.len()).is_ok_and(|len| len > 0)
}

/// A segment with data, as found.
struct Found {
    segment: Segment,
    file: Arc<dyn File>,
    sealed: bool,
    /// Bytes of the file that may hold data.
    limit: u64,
    /// Whether its header is lost: where it begins follows from the segment before it.
    is_headless: bool,
}

impl Found {
    fn headless(spare: Spare) -> Self {
        let Spare { number, salt, file, .. } = spare;
        let limit = file.len().unwrap_or(0);
        let segment = Segment { number, base: 0, salt, bytes: 0, packed: 0 };
        Found { segment, file, sealed: false, limit, is_headless: true }
    }
}

/// How many frames of a segment are valid under its salt.
fn count_frames(file: &dyn File, segment: &Segment, len: u64) -> io::Result<u64> {
    let mut walk = FrameWalk::new(file, *segment, segment.frames_end().min(len), None);
    let mut count = 0;
    loop {
        match walk.next()? {
            Step::Frame { .. } => count += 1,
            Step::Bad { .. } | Step::Sealed { .. } => {}
            Step::End => return Ok(count),
        }
    }
}

struct Recovery {
    log: Log,
    from: RecoverFrom,
    found: Vec<Found>,
    unused: Vec<Spare>,
    /// Segments that are listed and not there. They stay listed: what they held is lost, not given up.
    missing: Vec<(u64, SegmentState)>,
    /// Torn tails, and where they are cut if the log may be written.
    cuts: Vec<Cut>,
    /// Segments whose hashed entries no side file holds.
    unsided: BTreeSet<u64>,
    position: u64,
    report: RecoveryReport,
}

impl Recovery {
    fn start(log: Log, from: RecoverFrom) -> Result<Self, StoreError> {
        let rows = log.manifest.lock().segments.clone();
        let mut recovery = Recovery {
            log,
            from,
            found: Vec::new(),
            unused: Vec::new(),
            missing: Vec::new(),
            cuts: Vec::new(),
            unsided: BTreeSet::new(),
            position: 0,
            report: RecoveryReport::default(),
        };
        for (number, state) in rows {
            recovery.look_at(number, state)?;
        }
        Ok(recovery)
    }

    fn look_at(&mut self, number: u64, state: SegmentState) -> Result<(), StoreError> {
        let name = segment::file_name(number);
        let file = match self.log.segment_file(number) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.missing.push((number, state));
                return Ok(());
            }
            other => other?,
        };
        let len = file.len().map_err(self.log.io("measuring", &name))?;
        let (segment, sealed) = match state {
            SegmentState::Sealed { base, bytes, salt } => {
                let listed = Segment { number, base, salt, bytes, packed: 0 };
                (self.as_rewritten(&*file, listed, len)?, true)
            }
            SegmentState::Open { salt } => {
                let mut header = [0; segment::HEADER_BYTES];
                if len >= header.len() as u64 {
                    file.read_at(&mut header, 0).map_err(self.log.io("reading", &name))?;
                }
                let Some(header) = SegmentHeader::decode(&header, number) else {
                    let filled = len >= self.log.options.segment_bytes;
                    self.unused.push(Spare { number, salt, file, filled });
                    return Ok(());
                };
                (Segment { number, base: header.base, salt: header.salt, bytes: 0, packed: 0 }, false)
            }
        };
        // Segments are used in the order of their numbers: those before one in use lost their headers.
        self.found.extend(std::mem::take(&mut self.unused).into_iter().map(Found::headless));
        if !sealed {
            // What is read may only be in memory so far; from here on it is promised.
            file.sync_data().map_err(self.log.io("syncing", &name))?;
        }
        let limit = if sealed { segment.frames_end().min(len) } else { len };
        self.found.push(Found { segment, file, sealed, limit, is_headless: false });
        Ok(())
    }

    /// A sealed segment as its own header tells of it, if it was written anew: the manifest hears of the
    /// new salt only after the new file took the place of the old one.
    fn as_rewritten(&self, file: &dyn File, listed: Segment, len: u64) -> Result<Segment, StoreError> {
        let mut header = [0; segment::HEADER_BYTES];
        if len < header.len() as u64 {
            return Ok(listed);
        }
        let name = segment::file_name(listed.number);
        file.read_at(&mut header, 0).map_err(self.log.io("reading", &name))?;
        let header =
            SegmentHeader::decode(&header, listed.number).filter(|header| header.base == listed.base);
        // Without a header that counts, frames say themselves where they stand.
        let packed = if len == listed.bytes { 0 } else { len };
        let Some(SegmentHeader { salt, packed: frames_end, .. }) = header else {
            return Ok(Segment { packed, ..listed });
        };
        let as_told = Segment { salt, packed: frames_end.min(len), ..listed };
        if salt == listed.salt {
            return Ok(as_told);
        }
        // Either the manifest has not heard of the new file yet, or the header is one of an older file.
        let as_listed = Segment { packed, ..listed };
        let count =
            |segment: &Segment| count_frames(file, segment, len).map_err(self.log.io("reading", &name));
        Ok(if count(&as_listed)? > count(&as_told)? { as_listed } else { as_told })
    }

    /// Opens the side files; what a bad or missing one held is gathered again from its segments.
    fn open_sides(&mut self) -> Result<(), StoreError> {
        let rows = self.log.manifest.lock().sides.clone();
        self.unsided = self.found.iter().map(|found| found.segment.number).collect();
        let mut sides = Vec::new();
        // Accepting loss is rare and thorough: all of the log is read, and nothing derived is trusted.
        for row in rows.into_iter().filter(|_| !self.from.accept_loss) {
            let name = side::file_name(row.number);
            let opened = match self.log.options.fs.open(&self.log.path(&name)) {
                Ok(file) => self.log.open_side(row.number, file).map_err(self.log.io("reading", &name))?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(self.log.io("opening", &name)(error)),
            };
            let covers = (row.first_segment, row.last_segment);
            if let Some(side) = opened.filter(|side| (side.first_segment, side.last_segment) == covers) {
                self.unsided.retain(|number| !(row.first_segment..=row.last_segment).contains(number));
                sides.push(Arc::new(side));
            }
        }
        self.log.change_hashed(|view| view.sides = sides);
        Ok(())
    }
}
