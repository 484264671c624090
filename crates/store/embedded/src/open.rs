//! Opening: lock, manifest, index, replay of the rest of the log.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cairn_base::fs::{FileSystem, LockGuard, Locked};
use cairn_log::{
    EncryptionKey, Frame, LogDir, LogOptions, Op, Ops, Progress, RecoverFrom, Replay, Thinned, Unreadable,
};
use cairn_seam::{DamagedAt, StoreError};
use parking_lot::{Mutex, RwLock};

use crate::generation::Generation;
use crate::image;
use crate::index::{Applied, Cursor, Index, IndexPlace};
use crate::options::{Background, EmbeddedOptions};
use crate::queue::Queue;
use crate::reserve::{self, Reserve};
use crate::restore;
use crate::scrub::Scrub;
use crate::shared::{Committer, Counters, Disk, Shared, Signals};
use crate::tail::Tail;
use crate::view::View;

/// Whoever holds the lock on this file owns the directory.
pub(crate) const LOCK: &str = "LOCK";

/// Room that opening asks for when the disk is full and nothing says how much it needs.
const OPEN_BYTES: u64 = 16 << 20;

/// What opening had to do, for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// A group that was never acknowledged was cut off.
    pub torn: Option<String>,
    /// Stretches of the log that cannot be read.
    pub damage: Vec<Unreadable>,
    /// Why nothing can be written: records are missing, or the log needs an image that cannot be written.
    pub read_only: Option<String>,
    /// Whether records are missing because their loss was accepted.
    pub lost: bool,
    /// Why the index was rebuilt.
    pub rebuilt: Option<String>,
    /// Transactions replayed from the log.
    pub replayed: u64,
    /// The disk had no room to write down what was found: that is done once there is some.
    pub untidy: bool,
}

/// Opens a store directory, making it if it is not there.
///
/// What is there is opened without any room on the disk; only an index that must be rebuilt needs some, and
/// then the error says how much.
pub(crate) fn open(dir: &Path, options: EmbeddedOptions) -> Result<(Shared, OpenReport), StoreError> {
    let fs = Arc::clone(&options.fs);
    let mut rebuild = Rebuild::default();
    let again = options.clone();
    let opened = match open_store(dir, options, &mut rebuild) {
        // Damage that only a later read met: the index is marked now, and rebuilt.
        Err(StoreError::Damaged(place)) if place.is_in_index() => open_store(dir, again, &mut rebuild),
        opened => opened,
    };
    opened.map_err(|error| rebuild.explained(&*fs, dir, error))
}

/// An index in the making.
#[derive(Default)]
struct Rebuild {
    /// Where, once there is one.
    place: Option<IndexPlace>,
    /// Bytes of what it replaces and is made from: it will hardly have less.
    bytes: u64,
}

impl Rebuild {
    /// Says what to free when the disk was full, and gives back what a half-made index took.
    fn explained(&self, fs: &dyn FileSystem, dir: &Path, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::Io { .. }) || !error.is_full() {
            return error;
        }
        if let Some(place) = &self.place {
            place.remove();
        }
        let free_bytes = fs.free_bytes(dir).unwrap_or(0);
        let bytes = self.bytes.max(OPEN_BYTES);
        StoreError::StorageFull { free_bytes, reserve_bytes: free_bytes.saturating_add(bytes) }
    }
}

fn open_store(
    dir: &Path,
    mut options: EmbeddedOptions,
    rebuild: &mut Rebuild,
) -> Result<(Shared, OpenReport), StoreError> {
    let fs = Arc::clone(&options.fs);
    let log_options = log_options(dir, &mut options);
    // First of all, so that a wrong key changes nothing, not even the lock.
    cairn_log::check_key(&log_options)?;
    fs.create_dir(dir).map_err(|error| StoreError::io(format!("creating {}", dir.display()), error))?;
    let lock = lock(dir, &options)?;
    restore::refuse_unfinished(&*fs, dir)?;
    open_locked(dir, options, log_options, lock, rebuild)
}

/// Opens the store in a directory that a restore has claimed.
pub(crate) fn open_claimed(
    dir: &Path,
    mut options: EmbeddedOptions,
    lock: Box<dyn LockGuard>,
) -> Result<(Shared, OpenReport), StoreError> {
    let log_options = log_options(dir, &mut options);
    open_locked(dir, options, log_options, lock, &mut Rebuild::default())
}

fn open_locked(
    dir: &Path,
    options: EmbeddedOptions,
    log_options: LogOptions,
    lock: Box<dyn LockGuard>,
    rebuild: &mut Rebuild,
) -> Result<(Shared, OpenReport), StoreError> {
    let fs = Arc::clone(&options.fs);
    let log_dir = LogDir::open(log_options)?;
    let mut report = OpenReport::default();
    let sealer = log_dir.log().sealer().cloned();
    let entropy = Arc::clone(&options.entropy);
    let place = IndexPlace { fs, dir: dir.to_owned(), sealer, entropy, alarm: Arc::default() };
    place.remove_unfinished()?;
    let (index, applied, is_made) = open_index(&log_dir, &place, &options, &mut report, rebuild)?;
    let mut replayer = Replayer::new(&index, &options, applied, is_made);
    let from = RecoverFrom {
        replay_after: applied.position,
        synced_to: applied.synced_to,
        covered_to: applied.covers_to,
        accept_loss: options.accept_loss,
    };
    let recovered = log_dir.recover(from, &mut replayer)?;
    report.replayed = replayer.transactions;
    report.torn = recovered.report.torn;
    report.lost = recovered.report.is_incomplete && !recovered.read_only;
    report.damage = recovered.report.damage;
    report.untidy = recovered.report.untidy;
    let active = Arc::new(std::mem::take(&mut replayer.generation));
    let applied_to = replayer.applied;
    if is_made && !recovered.read_only {
        // What was loaded so far is not on disk yet.
        index.apply(&Generation::default(), &Cursor::default(), applied_to)?;
    }
    let position = recovered.position.max(applied_to.position);
    let reserve = Reserve::open(&options.fs, dir, options.reserve_file_bytes)
        .map_err(|error| StoreError::io(format!("opening {}", reserve::FILE), error))?;
    let view = View { position, active, frozen: None, index: Arc::new(index.view()?) };
    let counters = Counters::default();
    counters.applied_to.store(applied_to.position, Ordering::Relaxed);
    place.alarm.serve();
    let shared = Shared {
        dir: dir.to_owned(),
        log: recovered.log,
        place,
        index: RwLock::new(Arc::new(index)),
        replaced: Mutex::default(),
        mending: Mutex::new(()),
        scrub: Scrub::open(&*options.fs, dir),
        reserve,
        view: RwLock::new(Arc::new(view)),
        queue: Queue::default(),
        committer: Mutex::new(Committer { plan: recovered.plan, position, expected: 1, body: Vec::new() }),
        disk: Mutex::new(Disk { writer: recovered.writer, took: Duration::ZERO }),
        in_flight: Mutex::default(),
        tail: Tail::new(position),
        refusal: Mutex::new(None),
        closed: AtomicBool::new(false),
        applying: Mutex::new(()),
        imaging: Mutex::new(()),
        thinning: RwLock::new(()),
        compacting: Mutex::new(()),
        backing_up: Mutex::new(()),
        retired: Mutex::default(),
        signals: Signals::default(),
        counters,
        trouble: Mutex::default(),
        news: Mutex::new(Vec::new()),
        options,
        _lock: lock,
    };
    if recovered.read_only {
        shared.open_to_read(&mut report, "records are missing");
    } else if let Err(error) = shared.secure_against_damage(&report.damage) {
        shared
            .open_to_read(&mut report, &format!("an image that does without it cannot be written: {error}"));
    }
    Ok((shared, report))
}

impl Shared {
    /// Refuses writes, and says why: damage takes more than can be done without.
    fn open_to_read(&self, report: &mut OpenReport, why: &str) {
        let first = report.damage.first().map_or("the log is damaged".to_owned(), Unreadable::to_string);
        let cause = format!("{first}; {why}");
        self.log.set_read_only();
        *self.refusal.lock() = Some(StoreError::ReadOnly { cause: cause.clone() });
        report.read_only = Some(cause);
    }

    /// Makes sure that nothing will ever need what cannot be read: an image has everything up to here.
    fn secure_against_damage(&self, damage: &[Unreadable]) -> Result<(), StoreError> {
        let Some(damaged_to) = damage.iter().map(|lost| lost.position.end).max() else { return Ok(()) };
        if self.log.thinned().records_to >= damaged_to.min(self.view().position) {
            return Ok(());
        }
        self.write_image()?;
        let records_to = self.log.image().map_or(0, |image| image.position);
        self.log.set_thinned(Thinned { records_to, events_to: self.log.thinned().events_to })
    }
}

/// Gives a sealed store a new key; see [`crate::EmbeddedStore::rotate_key`].
pub(crate) fn rotate_key(
    dir: &Path,
    mut options: EmbeddedOptions,
    new: &EncryptionKey,
) -> Result<(), StoreError> {
    let log_options = log_options(dir, &mut options);
    cairn_log::check_key(&log_options)?;
    let _lock = lock(dir, &options)?;
    restore::refuse_unfinished(&*options.fs, dir)?;
    cairn_log::rotate(&log_options, new)
}

/// The key goes with them: nobody else needs it.
pub(crate) fn log_options(dir: &Path, options: &mut EmbeddedOptions) -> LogOptions {
    LogOptions {
        fs: Arc::clone(&options.fs),
        dir: dir.to_owned(),
        clock: Arc::clone(&options.clock),
        entropy: Arc::clone(&options.entropy),
        segment_bytes: options.segment_bytes,
        reserve_bytes: options.reserve_bytes,
        key: options.key.take(),
        leisurely: options.background == Background::Threads,
    }
}

/// Makes this process the owner of a directory.
pub(crate) fn lock(dir: &Path, options: &EmbeddedOptions) -> Result<Box<dyn LockGuard>, StoreError> {
    let path = dir.join(LOCK);
    let holder = format!("process {}", std::process::id());
    let locked = options.fs.lock(&path, &holder);
    match locked.map_err(|error| StoreError::io(format!("locking {}", path.display()), error))? {
        Locked::Acquired(guard) => Ok(guard),
        Locked::Held(owner) => Err(StoreError::Locked { dir: dir.to_owned(), owner }),
    }
}

/// Opens the index, or makes a new one that holds the newest image; says which.
fn open_index(
    log_dir: &LogDir,
    place: &IndexPlace,
    options: &EmbeddedOptions,
    report: &mut OpenReport,
    rebuild: &mut Rebuild,
) -> Result<(Index, Applied, bool), StoreError> {
    let store_id = log_dir.log().store_id();
    let needs_image = !log_dir.log().has_all_history();
    let why = match Index::open(place, store_id, options.cache_bytes)? {
        // One from before history was thinned out cannot be brought up to date.
        Ok((_, applied)) if applied.position < log_dir.log().thinned().records_to => {
            "it is older than the image".to_owned()
        }
        Ok((index, applied)) => return Ok((index, applied, false)),
        Err(why) => why,
    };
    if let Some(row) = log_dir.log().image().filter(|_| needs_image) {
        // Before what there is of an index goes: without the image it may be the only copy.
        image::check(options, place, row).map_err(|error| hopeless(error, &why))?;
    }
    let image_bytes = log_dir.log().image().map_or(0, |row| image::bytes(options, &place.dir, row));
    rebuild.bytes = place.bytes().max(image_bytes);
    rebuild.place = Some(place.clone());
    let index = Index::create(place, store_id, options.cache_bytes)?;
    if !log_dir.log().is_new() {
        report.rebuilt = Some(why);
    }
    let image = log_dir.log().image();
    let mut applied = Applied::default();
    if let Some(row) = image {
        match image::load(options, &place.dir, row, &index) {
            Ok(()) => applied = Applied::to(row.position),
            // The log has everything the image has, as long as nothing was cut off its start.
            Err(error) if !needs_image => {
                drop(index);
                let index = Index::create(place, store_id, options.cache_bytes)?;
                report.rebuilt = Some(format!("the newest image cannot be used either: {error}"));
                return Ok((index, applied, true));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((index, applied, true))
}

/// Says that a damaged image cannot be done without.
fn hopeless(error: StoreError, why: &str) -> StoreError {
    let StoreError::Damaged(place) = error else { return error };
    let detail = format!(
        "{}; the log was thinned out and lacks what is in the image, and the index cannot be used either \
         ({why}): restore a backup",
        place.detail
    );
    StoreError::Damaged(DamagedAt { detail, ..place })
}

/// Gathers what the log holds beyond the index, and loads it in portions when it is much.
struct Replayer<'a> {
    index: &'a Index,
    options: &'a EmbeddedOptions,
    generation: Generation,
    transactions: u64,
    applied: Applied,
    /// Whether the index is new, and has to take everything.
    is_made: bool,
    /// The generation is full, and everything up to here is in it.
    due: Option<u64>,
    /// Transactions are missing: what follows must not pass for the whole.
    is_incomplete: bool,
    accept_loss: bool,
}

impl<'a> Replayer<'a> {
    fn new(index: &'a Index, options: &'a EmbeddedOptions, applied: Applied, is_made: bool) -> Self {
        Replayer {
            index,
            options,
            generation: Generation::default(),
            transactions: 0,
            applied,
            is_made,
            due: None,
            is_incomplete: false,
            accept_loss: options.accept_loss,
        }
    }

    /// Whether to load what was gathered. An index that was there lacks what fits into memory: without room
    /// for more it stays as it is.
    fn has_room(&self) -> bool {
        let bytes = self.generation.bytes().saturating_mul(4);
        self.is_made || self.options.check_room(&self.index.place.dir, bytes).is_ok()
    }
}

impl Replay for Replayer<'_> {
    fn transaction(&mut self, frame: &Frame<'_>) -> Result<(), StoreError> {
        // Not before a later run was seen: only that proves that the earlier ones are on disk.
        if let Some(position) = self.due.take().filter(|_| self.has_room()) {
            let counts = !self.is_incomplete || self.accept_loss;
            if counts {
                self.applied = Applied::to(position);
            }
            // Without a position the next opening reads all of it again.
            self.index.load(&self.generation, counts.then_some(self.applied))?;
            self.generation = Generation::default();
        }
        self.transactions += 1;
        for op in Ops::new(frame.body) {
            let (keyspace, key, slot) = match op {
                Ok(Op::Put { keyspace, key, value }) => (keyspace, key, Some(Arc::from(value))),
                Ok(Op::Delete { keyspace, key }) => (keyspace, key, None),
                Ok(Op::Hashed { .. } | Op::Event { .. }) => continue,
                Err(_) => {
                    return Err(StoreError::Damaged(DamagedAt {
                        file: self.index.place.dir.clone(),
                        offset: frame.position,
                        detail: "the transaction at this position makes no sense".into(),
                    }));
                }
            };
            self.generation.insert(keyspace, frame.position, [(Arc::from(key), slot)]);
        }
        Ok(())
    }

    fn incomplete(&mut self) {
        self.is_incomplete = true;
    }

    fn run_end(&mut self, position: u64, progress: Progress) -> Result<(), StoreError> {
        if self.generation.bytes() >= self.options.apply_bytes {
            self.due = Some(position);
            self.options.report("replaying the log", progress);
        }
        Ok(())
    }
}
