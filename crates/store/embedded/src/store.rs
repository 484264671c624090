//! The embedded store, as the seam sees it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use cairn_base::fs::LockGuard;
use cairn_base::{ContentHash, Position, TenantId};
use cairn_log::{DerivedSealer, EncryptionKey, LogUpload};
use cairn_seam::{
    BlobReader, ChangePage, Compaction, DerivedSeal, FileStats, Health, LocalStore, Maintenance,
    MaintenanceReport, OnStage, References, ScrubPolicy, ScrubStatus, Snapshot, Store, StoreError,
    StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};
use parking_lot::Mutex;

use crate::backup::Damage;
use crate::memory::MemoryParts;
use crate::open::{self, OpenReport};
use crate::options::{Background, EmbeddedOptions};
use crate::queue::{Answer, Ticket};
use crate::shared::Shared;
use crate::snapshot::EmbeddedSnapshot;
use crate::{limits, verify};

/// How nice background threads are: about a tenth of the weight of the others.
const BACKGROUND_NICE: i32 = 10;

/// After so many seconds even a few changes are moved into the index.
const APPLY_WAITS_MAX: u32 = 5;

/// The default store: a commit log that is the truth, and a redb index that follows it.
///
/// Dropped without [`Store::close`], it stops as after a crash: nothing acknowledged is lost, and the
/// next opening replays what the index does not hold.
pub struct EmbeddedStore {
    shared: Arc<Shared>,
    report: OpenReport,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl EmbeddedStore {
    /// Opens the store in a directory, making it if it is not there.
    pub fn open(dir: &Path, options: EmbeddedOptions) -> Result<Self, StoreError> {
        let background = options.background;
        let (shared, report) = open::open(dir, options)?;
        let shared = Arc::new(shared);
        let threads = match background {
            Background::Threads => {
                shared.index().pace.set_patient(true);
                start_threads(&shared)?
            }
            Background::Manual => Vec::new(),
        };
        Ok(EmbeddedStore { shared, report, threads: Mutex::new(threads) })
    }

    /// Opens the store in a directory that a restore has claimed, without threads.
    pub(crate) fn open_claimed(
        dir: &Path,
        options: EmbeddedOptions,
        lock: Box<dyn LockGuard>,
    ) -> Result<Self, StoreError> {
        let (shared, report) = open::open_claimed(dir, options, lock)?;
        Ok(EmbeddedStore { shared: Arc::new(shared), report, threads: Mutex::default() })
    }

    /// Gives the sealed store in a directory a new key in place of the one in the options, and seals
    /// everything that is written from then on with a new root.
    ///
    /// It is one replacement of the manifest: after a crash the store has the old key or the new one. Fails
    /// as [`StoreError::Locked`] while somebody has the store open.
    pub fn rotate_key(dir: &Path, options: EmbeddedOptions, new: &EncryptionKey) -> Result<(), StoreError> {
        open::rotate_key(dir, options, new)
    }

    /// What opening had to do.
    pub fn open_report(&self) -> &OpenReport {
        &self.report
    }

    /// Dumps every key as of now into an image, so that a rebuild of the index starts from there.
    pub fn write_image(&self) -> Result<String, StoreError> {
        self.shared.write_image()
    }

    /// Moves everything published into the index now, instead of within a second.
    pub fn apply_now(&self) -> Result<(), StoreError> {
        self.shared.apply().map(drop)
    }

    /// What is in memory now, part by part.
    pub fn memory(&self) -> MemoryParts {
        self.shared.memory()
    }

    fn stop_threads(&self) {
        self.shared.index().pace.set_patient(false);
        self.shared.queue.close();
        self.shared.log.stop_preparing();
        self.shared.place.alarm.stop();
        self.shared.signals.stop();
        join(&mut self.threads.lock());
    }
}

/// Waits for threads to end, except for the calling one: a callback may drop the last handle.
fn join(threads: &mut Vec<JoinHandle<()>>) {
    let others = |thread: &JoinHandle<()>| thread.thread().id() != thread::current().id();
    for thread in threads.drain(..).filter(others) {
        // A panic there was reported when it happened; there is nothing more to save here.
        let _ = thread.join();
    }
}

type Work = fn(&Shared);

fn start_threads(shared: &Arc<Shared>) -> Result<Vec<JoinHandle<()>>, StoreError> {
    // Two committers: one makes a group while the other writes one.
    let works: [(&str, Work); 6] = [
        ("cairn-commit", Shared::run_committer),
        ("cairn-commit", Shared::run_committer),
        ("cairn-apply", Shared::run_applier),
        ("cairn-keep", Shared::run_keeper),
        ("cairn-mend", Shared::run_mender),
        ("cairn-scrub", Shared::run_scrubber),
    ];
    let mut threads = Vec::new();
    for (name, work) in works {
        let own = Arc::clone(shared);
        match thread::Builder::new().name(name.into()).spawn(move || work(&own)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                shared.queue.close();
                shared.place.alarm.stop();
                shared.signals.stop();
                join(&mut threads);
                return Err(StoreError::io(format!("starting thread {name}"), error));
            }
        }
    }
    Ok(threads)
}

/// Gives the calling thread a lower priority: nobody waits for it as long as it keeps up, and when it
/// does not, back-pressure stops those who are ahead. Best effort.
pub(crate) fn yield_to_others() {
    let thread = rustix::thread::gettid();
    let _ = rustix::process::setpriority_process(Some(thread), BACKGROUND_NICE);
}

impl Shared {
    /// The applier's thread.
    fn run_applier(&self) {
        yield_to_others();
        let mut waited = 0;
        while self.signals.wait_apply(limits::APPLY_EVERY) {
            self.free_retired();
            // Few changes wait a little longer: the more come together, the fewer pages are written.
            waited += 1;
            if self.view().unapplied_bytes() < self.options.apply_bytes / 4 && waited < APPLY_WAITS_MAX {
                continue;
            }
            waited = 0;
            if self.is_read_only() {
                continue;
            }
            // Index growth is the first to stop on a full disk; writers hear of it from their own check.
            if self.check_space().is_err() {
                self.signals.made_room();
                continue;
            }
            // An error has poisoned the store; its writers are told.
            let _ = self.apply();
        }
    }

    /// The housekeeper's thread.
    fn run_keeper(&self) {
        yield_to_others();
        loop {
            self.keep();
            if !self.signals.wait_keep(limits::APPLY_EVERY) {
                return;
            }
        }
    }

    /// Prepares, seals and merges; a failure is reported and tried again later.
    fn keep(&self) {
        if self.is_read_only() {
            return;
        }
        // First of all: ordinary writing waits for it.
        let refilled = self.refill_reserve();
        let done = self.log.housekeep().and_then(|mut lines| {
            lines.extend(refilled?);
            Ok(lines)
        });
        match done {
            Ok(lines) => {
                *self.trouble.lock() = None;
                lines.into_iter().for_each(|line| self.tell(line));
            }
            Err(error) => {
                let line = format!("housekeeping failed and will be tried again: {error}");
                // The same trouble every second is told once.
                if self.trouble.lock().replace(line.clone()).as_ref() != Some(&line) {
                    self.tell(line);
                }
            }
        }
    }

    /// Adds a line to the next upkeep report.
    pub(crate) fn tell(&self, line: String) {
        let mut news = self.news.lock();
        news.push(line);
        // Nobody may be reading the news.
        let surplus = news.len().saturating_sub(64);
        news.drain(..surplus);
    }
}

impl Store for EmbeddedStore {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        let snapshot = EmbeddedSnapshot::new(Arc::clone(&self.shared));
        let at = snapshot.position();
        if at < at_least {
            return Err(StoreError::PositionAhead { asked: at_least, at });
        }
        Ok(Box::new(snapshot))
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        self.shared.submit(Ticket { tenant, class, body, answer: Answer::callback(done) });
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        self.shared.write_as(tenant, class, body)
    }

    fn upload(&self, tenant: TenantId) -> Result<Box<dyn Upload>, StoreError> {
        if self.shared.closed.load(Ordering::Relaxed) {
            return Err(StoreError::Closed);
        }
        self.shared.check_poison()?;
        self.shared.check_space()?;
        Ok(Box::new(LogUpload::new(Arc::clone(&self.shared.log), tenant)))
    }

    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        self.shared.open_blob(tenant, hash)
    }

    fn open_named_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Box<dyn BlobReader>, StoreError> {
        if let Some(blob) = self.shared.open_blob(tenant, hash)? {
            return Ok(blob);
        }
        self.shared.log.recheck_sides()?;
        self.shared.open_blob(tenant, hash)?.ok_or(StoreError::BlobLost { hash: *hash })
    }

    fn changes(
        &self,
        after: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        let to = self.shared.view().position;
        if after.to_stored() > to {
            return Err(StoreError::PositionAhead { asked: after, at: Position::from_stored(to) });
        }
        let horizon = self.shared.log.horizon();
        if after.to_stored() < horizon {
            return Err(StoreError::TooOld { horizon: Position::from_stored(horizon) });
        }
        let limit = limit.clamp(1, cairn_seam::limits::CHANGES_PAGE_MAX);
        match self.shared.tail.page(after.to_stored(), to, tenant, limit) {
            Some(page) => Ok(page),
            None => self.shared.log.changes(after.to_stored(), to, tenant, limit),
        }
    }

    fn position(&self) -> Position {
        Position::from_stored(self.shared.view().position)
    }

    fn health(&self) -> Health {
        if self.shared.closed.load(Ordering::Relaxed) {
            return Health::Closed;
        }
        let shared = &self.shared;
        match shared.check_poison().and_then(|()| shared.check_space()).and_then(|()| shared.check_index()) {
            Ok(()) => Health::Serving,
            Err(StoreError::StorageFull { free_bytes, reserve_bytes }) => {
                Health::Full { free_bytes, reserve_bytes }
            }
            Err(StoreError::Poisoned { cause }) => Health::Poisoned { cause },
            Err(StoreError::ReadOnly { cause }) => Health::ReadOnly { cause },
            Err(error) => Health::Poisoned { cause: error.to_string() },
        }
    }

    fn stats(&self) -> StoreStats {
        let Shared { counters, log, .. } = &*self.shared;
        let segments = log.segments();
        let files = FileStats {
            log_bytes_written: counters.log_bytes_written.load(Ordering::Relaxed),
            log_bytes: segments.iter().map(|segment| segment.bytes).sum(),
            segments: segments.len() as u64,
            side_files: log.side_files() as u64,
            index_bytes: self.shared.index().bytes(),
            unapplied_bytes: self.shared.view().unapplied_bytes(),
            applies: counters.applies.load(Ordering::Relaxed),
            backpressure: counters.backpressure.load(Ordering::Relaxed),
            disk_free_bytes: counters.disk_free_bytes.load(Ordering::Relaxed),
        };
        StoreStats {
            kind: "embedded",
            commits: counters.commits.load(Ordering::Relaxed),
            groups: counters.groups.load(Ordering::Relaxed),
            aborts: counters.aborts.load(Ordering::Relaxed),
            queued: self.shared.queue.len() as u64,
            files: Some(files),
        }
    }

    fn upkeep(&self) -> Result<UpkeepReport, StoreError> {
        if self.shared.is_read_only() {
            let done = std::mem::take(&mut *self.shared.news.lock());
            return Ok(UpkeepReport { done, findings: self.shared.scrub.take_news() });
        }
        if self.shared.options.background == Background::Manual {
            self.shared.commit_waiting();
            self.shared.mend_index();
            match self.shared.apply() {
                Err(StoreError::IndexRebuilding { .. }) => drop(self.shared.mend_index()),
                applied => drop(applied?),
            }
            self.shared.keep();
            self.shared.scrub_while_paid();
        }
        let image = match self.shared.write_image_when_due() {
            // The report is due all the same.
            Err(StoreError::IndexRebuilding { .. }) => None,
            image => image?,
        };
        let mut done = std::mem::take(&mut *self.shared.news.lock());
        done.extend(image);
        Ok(UpkeepReport { done, findings: self.shared.scrub.take_news() })
    }

    fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        self.shared.compact(what, references, on_stage)
    }

    fn local(&self) -> Option<&dyn LocalStore> {
        Some(self)
    }

    fn close(&self) -> Result<(), StoreError> {
        if self.shared.closed.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.stop_threads();
        self.shared.write_scrub_state();
        self.shared.commit_waiting();
        if self.shared.is_read_only() {
            return Ok(());
        }
        self.shared.check_poison()?;
        if self.shared.check_space().is_ok() && !self.shared.index().pace.gave_up() {
            match self.shared.apply() {
                // The log has everything: the next opening replays what is missing, and meets the damage again.
                Err(StoreError::IndexRebuilding { .. }) => {}
                applied => drop(applied?),
            }
            self.shared.log.seal_all()?;
        }
        // Else the next opening replays what the index lacks.
        self.shared.place.remove_if_forgotten()
    }
}

impl LocalStore for EmbeddedStore {
    fn set_scrub(&self, policy: Option<ScrubPolicy>) {
        self.shared.set_scrub(policy);
    }

    fn scrub_status(&self) -> ScrubStatus {
        self.shared.scrub.status()
    }

    fn maintain(&self, job: &Maintenance, on_stage: OnStage<'_>) -> Result<MaintenanceReport, StoreError> {
        match job {
            Maintenance::Backup { to, skip_damaged } => {
                let damage = if *skip_damaged { Damage::Skip } else { Damage::Refuse };
                self.shared.back_up(to, damage, on_stage)
            }
            Maintenance::Verify { repair } => {
                let _no_scrubbing = self.shared.scrub.hold();
                verify::verify(&self.shared, *repair, on_stage)
            }
            Maintenance::Compact { .. } => {
                Err(StoreError::Unsupported { what: "compaction without references" })
            }
            Maintenance::ChangeKey { new_key_file } => self.shared.change_key(new_key_file),
        }
    }

    fn derived_seal(&self, name: &str) -> Option<Arc<dyn DerivedSeal>> {
        let sealer = self.shared.log.sealer()?;
        Some(Arc::new(DerivedSealer::new(Arc::clone(sealer), name)))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        self.stop_threads();
    }
}

impl std::fmt::Debug for EmbeddedStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedStore").field("dir", &self.shared.dir).finish_non_exhaustive()
    }
}
