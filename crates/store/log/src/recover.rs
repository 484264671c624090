//! Opening a log: what is whole, what is torn, what is damaged.
//!
//! A bad frame at q is damage only if something durable says that the log was synced beyond q: a later
//! valid commit frame, a later segment, or the index. Otherwise the frame belongs to a group that was
//! never acknowledged: the torn tail, which is set aside, cut and reported.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_seam::StoreError;

use crate::batch::{BadBatch, Op, Ops};
use crate::frame::{Frame, FrameKind};
use crate::group::BLOB_HEADER_BYTES;
use crate::hashed::{BLOB_PLACES, BlobPlace, HashKey, HashedEntry};
use crate::housekeep;
use crate::log::{Log, LogOptions, Recent, Segment, Spare};
use crate::manifest::{self, Manifest, SegmentState};
use crate::runs::{self, RunReader, Step};
use crate::segment::{self, SegmentHeader};
use crate::set_aside;
use crate::side::{self, SideFile};
use crate::writer::LogWriter;

/// The newest part of the log is verified at every opening, at least this much of it.
const VERIFY_BYTES: u64 = 64 << 20;

/// What is known before the log is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecoverFrom {
    /// Transactions after this position are handed to the visitor.
    pub replay_after: u64,
    /// The index says that everything before this position was synced.
    pub synced_to: u64,
    /// Cut the log before damage instead of refusing.
    pub accept_loss: bool,
}

/// What opening found, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// A group that was never acknowledged was cut off: file and offset, bytes set aside.
    pub torn: Option<String>,
    /// What was given up because loss was accepted.
    pub lost: Option<String>,
}

/// A log ready to be written.
#[derive(Debug)]
pub struct Recovered {
    /// For readers and housekeeping.
    pub log: Arc<Log>,
    /// For the committer.
    pub writer: LogWriter,
    /// Position of the last transaction, 0 when there is none.
    pub position: u64,
    /// What happened.
    pub report: RecoveryReport,
}

/// Called with each transaction after `replay_after`, in order, and at the end of each run.
pub trait Replay {
    /// A transaction of a complete run.
    fn transaction(&mut self, frame: &Frame<'_>) -> Result<(), StoreError>;
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
    pub fn open(options: LogOptions) -> Result<Self, StoreError> {
        let found = Manifest::read(&*options.fs, &options.dir)?;
        let manifest = match found {
            Some(manifest) => manifest,
            None => create(&options)?,
        };
        Ok(LogDir { log: Log::new(options, manifest) })
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
fn create(options: &LogOptions) -> Result<Manifest, StoreError> {
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
        next: 1,
        segments: Vec::new(),
        sides: Vec::new(),
        image: None,
    };
    options.entropy.fill(&mut manifest.store);
    options.entropy.fill(&mut manifest.hash_key.0);
    manifest.write(&*options.fs, &options.dir)?;
    Ok(manifest)
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
}

struct Recovery {
    log: Log,
    from: RecoverFrom,
    found: Vec<Found>,
    unused: Vec<Spare>,
    /// Segments that lie behind a missing or unreadable one, when loss is accepted.
    beyond: Vec<u64>,
    /// Segments whose hashed entries no side file holds.
    unsided: BTreeSet<u64>,
    position: u64,
    report: RecoveryReport,
}

/// Where a segment stops being whole, and what lies behind.
struct Bad {
    index: usize,
    bad_at: u64,
    end: u64,
    detail: String,
}

impl Recovery {
    fn start(log: Log, from: RecoverFrom) -> Result<Self, StoreError> {
        let rows = log.manifest.lock().segments.clone();
        let mut recovery = Recovery {
            log,
            from,
            found: Vec::new(),
            unused: Vec::new(),
            beyond: Vec::new(),
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
        if !self.beyond.is_empty() {
            self.beyond.push(number);
            return Ok(());
        }
        let file = match self.log.segment_file(number) {
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                self.beyond.push(number);
                return self.damage_unless_accepted(&name, 0, "the file is missing");
            }
            other => other?,
        };
        let len = file.len().map_err(self.log.io("measuring", &name))?;
        let (segment, sealed) = match state {
            SegmentState::Sealed { base, bytes, salt } => (Segment { number, base, salt, bytes }, true),
            SegmentState::Open => {
                let mut header = [0; segment::HEADER_BYTES];
                if len >= header.len() as u64 {
                    file.read_at(&mut header, 0).map_err(self.log.io("reading", &name))?;
                }
                let Some(header) = SegmentHeader::decode(&header, number) else {
                    let filled = len >= self.log.options.segment_bytes;
                    self.unused.push(Spare { number, file, filled });
                    return Ok(());
                };
                (Segment { number, base: header.base, salt: header.salt, bytes: 0 }, false)
            }
        };
        if let Some(spare) = self.unused.first() {
            let name = segment::file_name(spare.number);
            self.damage_unless_accepted(&name, 0, "the header is damaged, and later segments are in use")?;
            self.beyond.push(number);
            return Ok(());
        }
        if !sealed {
            // What is read may only be in memory so far; from here on it is promised.
            file.sync_data().map_err(self.log.io("syncing", &name))?;
        }
        let limit = if sealed { segment.bytes.min(len) } else { len };
        if sealed && limit < segment.bytes {
            let detail = format!("the file ends at {len} of {} bytes", segment.bytes);
            self.damage_unless_accepted(&name, len, &detail)?;
        }
        self.found.push(Found { segment, file, sealed, limit });
        Ok(())
    }

    fn damage_unless_accepted(&self, name: &str, offset: u64, detail: &str) -> Result<(), StoreError> {
        if self.from.accept_loss { Ok(()) } else { Err(self.log.damaged(name, offset, detail)) }
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
                Ok(file) => SideFile::open(row.number, file).map_err(self.log.io("reading", &name))?,
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

    fn scan(&mut self, replay: &mut dyn Replay) -> Result<(), StoreError> {
        let first = self.first_to_scan();
        let total: u64 =
            self.found.iter().filter(|found| self.must_scan(found, first)).map(|f| f.limit).sum();
        let mut progress = Progress { done: 0, total };
        for index in 0..self.found.len() {
            if !self.must_scan(&self.found[index], first) {
                continue;
            }
            if let Some(bad) = self.scan_segment(index, &mut progress, replay)? {
                return self.judge(&bad);
            }
        }
        let end = self.found.last().map_or(0, |found| found.segment.end());
        if self.from.synced_to > end {
            let detail = format!("the log ends at position {end}; the index knows {}", self.from.synced_to);
            let name = self.found.last().map_or("MANIFEST".into(), |f| segment::file_name(f.segment.number));
            let offset = self.found.last().map_or(0, |found| found.segment.bytes);
            self.damage_unless_accepted(&name, offset, &detail)?;
            self.report.lost = Some(detail);
        }
        Ok(())
    }

    /// The first segment whose bytes are read whatever else is known.
    fn first_to_scan(&self) -> u64 {
        let mut verified = 0;
        let mut first = u64::MAX;
        if self.from.accept_loss {
            return 0;
        }
        for found in self.found.iter().rev() {
            let replayed = found.sealed && found.segment.end() <= self.from.replay_after;
            if replayed && verified >= VERIFY_BYTES {
                break;
            }
            verified += found.segment.bytes;
            first = found.segment.number;
        }
        first
    }

    fn must_scan(&self, found: &Found, first: u64) -> bool {
        found.segment.number >= first || self.unsided.contains(&found.segment.number)
    }

    /// Reads one segment to its end; `Some` when it is not whole.
    fn scan_segment(
        &mut self,
        index: usize,
        progress: &mut Progress,
        replay: &mut dyn Replay,
    ) -> Result<Option<Bad>, StoreError> {
        let Found { segment, sealed, limit, .. } = self.found[index];
        let file = Arc::clone(&self.found[index].file);
        let name = segment::file_name(segment.number);
        let unsided = self.unsided.contains(&segment.number);
        let recent = Recent::default();
        let mut reader = RunReader::new(&*file, segment.salt, segment.base, limit);
        let mut last_run_at = reader.offset();
        let bad_at = loop {
            let run_at = reader.offset();
            match reader.next().map_err(self.log.io("reading", &name))? {
                Step::Run(run) => {
                    for frame in run.frames() {
                        if unsided {
                            gather_hashed(&self.log.hash_key, &frame, &recent).map_err(|BadBatch| {
                                self.log.damaged(&name, run_at, "a transaction makes no sense")
                            })?;
                        }
                        if frame.kind == FrameKind::Transaction && frame.position > self.from.replay_after {
                            replay.transaction(&frame)?;
                        }
                    }
                    self.position = run.position;
                    last_run_at = run_at;
                    let done = Progress { done: progress.done + (run.end - segment.base), ..*progress };
                    replay.run_end(run.position, done)?;
                }
                Step::End { bad_at } => break bad_at,
            }
        };
        let end = reader.offset();
        progress.done += limit;
        if !sealed {
            self.write_again(&*file, last_run_at, end).map_err(self.log.io("writing again", &name))?;
        }
        if unsided {
            self.log.change_hashed(|view| drop(view.recent.insert(segment.number, recent)));
        }
        self.found[index].segment.bytes = end;
        let next_base = self.found.get(index + 1).map(|next| next.segment.base);
        let whole = match next_base {
            Some(base) => segment.base + end == base,
            None => sealed && end == limit,
        };
        if whole {
            return Ok(None);
        }
        let detail = if sealed { "the sealed segment is not whole" } else { "not a valid frame" };
        Ok(Some(Bad { index, bad_at, end, detail: detail.into() }))
    }

    /// Writes the last run once more and syncs it.
    ///
    /// If its own sync failed, the system may hold it in memory as clean although it never reached the
    /// disk, and no later sync would put it there. Every earlier run is known to be synced.
    fn write_again(&self, file: &dyn File, from: u64, to: u64) -> io::Result<()> {
        let mut header = [0; segment::HEADER_BYTES];
        file.read_at(&mut header, 0)?;
        file.write_at(&header, 0)?;
        let mut run = vec![0; usize::try_from(to - from).expect("one run")];
        file.read_at(&mut run, from)?;
        file.write_at(&run, from)?;
        file.sync_data()
    }

    /// Decides between a torn tail and damage, and acts on it.
    fn judge(&mut self, bad: &Bad) -> Result<(), StoreError> {
        let Found { segment, sealed, limit, .. } = self.found[bad.index];
        let name = segment::file_name(segment.number);
        let file = Arc::clone(&self.found[bad.index].file);
        let remains = runs::inspect_remains(&*file, segment.salt, segment.base, bad.end, limit)
            .map_err(self.log.io("reading", &name))?;
        let is_last = bad.index + 1 == self.found.len();
        let known_synced = remains.synced_to.max(self.from.synced_to);
        let damaged = !is_last || sealed || known_synced > segment.base + bad.bad_at;
        if damaged && !self.from.accept_loss {
            return Err(self.log.damaged(&name, bad.bad_at, bad.detail.clone()));
        }
        let cut = set_aside::Cut { segment: segment.number, end: bad.end, used_to: remains.used_to };
        let aside = set_aside::tail(&self.log, &*file, &cut, damaged)?;
        if damaged {
            let later = self.found.split_off(bad.index + 1);
            let later_bytes: u64 = later.iter().map(|found| found.limit).sum();
            for found in &later {
                set_aside::segment(&self.log, found.segment.number)?;
            }
            self.report.lost = Some(format!(
                "everything after position {} is gone: {} bytes of {name} from byte {} with {} readable \
                 transactions, and {} later segments with {later_bytes} bytes; kept aside as lost-* files",
                segment.base + bad.end,
                remains.used_to - bad.end,
                bad.end,
                remains.transactions,
                later.len(),
            ));
        } else if let Some(aside) = aside {
            let bytes = remains.used_to - bad.end;
            self.report.torn = Some(format!(
                "cut {bytes} unacknowledged bytes off {name} at byte {}, kept as {aside}",
                bad.end
            ));
        }
        Ok(())
    }

    /// Writes down what was found and opens the log for writing.
    fn finish(mut self) -> Result<Recovered, StoreError> {
        // A segment that was started and holds no whole run is as good as none.
        let header = segment::HEADER_BYTES as u64;
        let empty: Vec<Found> = self.found.extract_if(.., |found| found.segment.bytes <= header).collect();
        let before = self.log.manifest.lock().clone();
        remove_strays(&*self.log.options.fs, &self.log, &before.file_names())?;
        for number in std::mem::take(&mut self.beyond) {
            set_aside::segment(&self.log, number)?;
        }
        let mut after = before.clone();
        let segments: Vec<Segment> = self.found.iter().map(|found| found.segment).collect();
        let end = segments.last().map_or(0, Segment::end);
        after.segments = segments
            .iter()
            .map(|&Segment { number, base, salt, bytes }| {
                (number, SegmentState::Sealed { base, bytes, salt })
            })
            .collect();
        for found in self.found.iter().filter(|found| !found.sealed) {
            let name = segment::file_name(found.segment.number);
            if found.file.len().map_err(self.log.io("measuring", &name))? > found.segment.bytes {
                found.file.set_len(found.segment.bytes).map_err(self.log.io("cutting", &name))?;
                found.file.sync_data().map_err(self.log.io("syncing", &name))?;
            }
        }
        let kept: BTreeSet<u64> = segments.iter().map(|segment| segment.number).collect();
        *self.log.segments.write() = segments;
        self.rebuild_sides(&kept)?;
        after.sides = self.log.hashed.read().sides.iter().map(|side| housekeep::row(side)).collect();
        after.next = after.next.max(self.log.manifest.lock().next);
        after.image = after.image.filter(|image| image.position < end);
        let mut unused = std::mem::take(&mut self.unused).into_iter();
        let first = match unused.next() {
            Some(spare) => spare,
            None => {
                let number = after.take_number();
                Spare { number, file: self.log.create_segment_file(number)?, filled: false }
            }
        };
        after.segments.push((first.number, SegmentState::Open));
        let spare = unused.next();
        after.segments.extend(spare.iter().map(|spare| (spare.number, SegmentState::Open)));
        after.segments.sort_by_key(|(number, _)| *number);
        if after != before {
            after.write(&*self.log.options.fs, &self.log.options.dir)?;
        }
        for number in empty.iter().map(|found| found.segment.number).chain(unused.map(|spare| spare.number)) {
            self.log.forget_file(number);
        }
        remove_strays(&*self.log.options.fs, &self.log, &after.file_names())?;
        *self.log.manifest.lock() = after;
        *self.log.spare.lock() = spare;
        let log = Arc::new(self.log);
        let writer = LogWriter::new(Arc::clone(&log), first, end);
        Ok(Recovered { log, writer, position: self.position, report: self.report })
    }

    /// Gives every segment that has no side file one.
    fn rebuild_sides(&self, kept: &BTreeSet<u64>) -> Result<(), StoreError> {
        for number in self.unsided.intersection(kept) {
            let side = self.log.side_from_recent(*number)?;
            self.log.change_hashed(|view| {
                view.recent.remove(number);
                view.sides.push(side);
                view.sides.sort_by_key(|side| side.first_segment);
            });
        }
        self.log.change_hashed(|view| view.recent.clear());
        Ok(())
    }
}

fn gather_hashed(key: &HashKey, frame: &Frame<'_>, recent: &Recent) -> Result<(), BadBatch> {
    match frame.kind {
        FrameKind::Blob => {
            let Some((hash, _)) = frame.body.split_at_checked(BLOB_HEADER_BYTES) else {
                return Err(BadBatch);
            };
            let body_bytes = u32::try_from(frame.body.len()).map_err(|_| BadBatch)?;
            let place = BlobPlace { position: frame.position, body_bytes };
            recent.write().insert(key.name(BLOB_PLACES, frame.tenant, hash), place.to_entry());
        }
        FrameKind::Transaction => {
            for op in Ops::new(frame.body) {
                if let Op::Hashed { name, expires_at_ms, value } = op? {
                    recent.write().insert(name, HashedEntry { expires_at_ms, value: value.into() });
                }
            }
        }
        FrameKind::Commit => {}
    }
    Ok(())
}

/// Removes files of ours that nothing refers to: leftovers of work that was cut short.
fn remove_strays(fs: &dyn FileSystem, log: &Log, keep: &[String]) -> Result<(), StoreError> {
    let names = fs.list(&log.options.dir).map_err(log.io("listing", ""))?;
    for name in names.iter().filter(|name| manifest::is_store_file(name) && !keep.contains(name)) {
        fs.remove(&log.path(name)).map_err(log.io("removing", name))?;
    }
    Ok(())
}
