//! What all threads of the store share.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cairn_base::fs::LockGuard;
use cairn_log::{HashedMap, Log, LogPlan, LogWriter};
use cairn_seam::StoreError;
use parking_lot::{Condvar, Mutex, RwLock};

use crate::generation::Generation;
use crate::index::{Index, IndexPlace};
use crate::limits;
use crate::options::EmbeddedOptions;
use crate::queue::Queue;
use crate::reserve::{self, Reserve};
use crate::scrub::Scrub;
use crate::tail::Tail;
use crate::view::View;

/// Room that an index which could not grow is waited for with, before writers are let in again.
const INDEX_ROOM_BYTES: u64 = 4 << 20;

pub(crate) struct Shared {
    pub(crate) options: EmbeddedOptions,
    pub(crate) dir: PathBuf,
    pub(crate) log: Arc<Log>,
    /// Where the index is, and who is told when it is damaged.
    pub(crate) place: IndexPlace,
    /// Replaced as a whole when it was rebuilt, with `applying` held.
    pub(crate) index: RwLock<Arc<Index>>,
    /// Indexes that were replaced and are still read.
    pub(crate) replaced: Mutex<Vec<Arc<Index>>>,
    /// One rebuild of the index at a time.
    pub(crate) mending: Mutex<()>,
    /// Verification in the background.
    pub(crate) scrub: Scrub,
    /// Room for what has to work on a full disk.
    pub(crate) reserve: Reserve,
    /// What reads see. Replaced as a whole, never changed in place.
    pub(crate) view: RwLock<Arc<View>>,
    pub(crate) queue: Queue,
    /// Whoever makes a group holds this. Taken before `disk`, which it gets while it still has this:
    /// so groups are written in the order in which they were made.
    pub(crate) committer: Mutex<Committer>,
    /// Whoever writes a group holds this until the group is published.
    pub(crate) disk: Mutex<Disk>,
    /// Hashed entries of groups that are made and not published, oldest first.
    pub(crate) in_flight: Mutex<VecDeque<Arc<HashedMap>>>,
    pub(crate) tail: Tail,
    /// Why nothing is written any more: a write to the disk failed, or the log is damaged. Set once.
    pub(crate) refusal: Mutex<Option<StoreError>>,
    pub(crate) closed: AtomicBool,
    /// One applier at a time.
    pub(crate) applying: Mutex<()>,
    /// One image at a time.
    pub(crate) imaging: Mutex<()>,
    /// Held to write while history is thinned out, and to read by whoever compares it with something or
    /// builds something from it.
    pub(crate) thinning: RwLock<()>,
    /// One compaction at a time.
    pub(crate) compacting: Mutex<()>,
    /// One backup at a time.
    pub(crate) backing_up: Mutex<()>,
    /// Generations that are in the index. Freeing one takes milliseconds, so that is not left to a
    /// committer or reader that happens to be the last to let go of its view.
    pub(crate) retired: Mutex<Vec<Arc<Generation>>>,
    pub(crate) signals: Signals,
    pub(crate) counters: Counters,
    /// What housekeeping failed with when it was last tried.
    pub(crate) trouble: Mutex<Option<String>>,
    /// Lines about background work, for the next upkeep report.
    pub(crate) news: Mutex<Vec<String>>,
    pub(crate) _lock: Box<dyn LockGuard>,
}

/// What making a group needs.
pub(crate) struct Committer {
    pub(crate) plan: LogPlan,
    /// Position of the last transaction that was made.
    pub(crate) position: u64,
    /// How many transactions the next group is likely to have.
    pub(crate) expected: usize,
    /// Kept between groups for its memory.
    pub(crate) body: Vec<u8>,
}

/// What writing a group needs.
pub(crate) struct Disk {
    pub(crate) writer: LogWriter,
    /// How long the last group took.
    pub(crate) took: Duration,
}

/// How threads wake each other.
#[derive(Default)]
pub(crate) struct Signals {
    state: Mutex<Wanted>,
    applier: Condvar,
    keeper: Condvar,
    /// Signalled when the applier made room.
    room: Condvar,
}

#[derive(Default)]
struct Wanted {
    apply: bool,
    keep: bool,
    stop: bool,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) commits: AtomicU64,
    pub(crate) groups: AtomicU64,
    pub(crate) aborts: AtomicU64,
    pub(crate) log_bytes_written: AtomicU64,
    pub(crate) applies: AtomicU64,
    pub(crate) backpressure: AtomicU64,
    pub(crate) disk_free_bytes: AtomicU64,
    /// The commit up to which the index holds everything.
    pub(crate) applied_to: AtomicU64,
    /// Where the store was when an image was last tried.
    pub(crate) image_tried: AtomicU64,
}

impl Shared {
    /// Refuses all further writes. The first cause is kept.
    pub(crate) fn poison(&self, cause: &StoreError) {
        self.refusal.lock().get_or_insert_with(|| StoreError::Poisoned { cause: cause.to_string() });
        self.signals.wake_all();
    }

    pub(crate) fn check_poison(&self) -> Result<(), StoreError> {
        match &*self.refusal.lock() {
            Some(refusal) => Err(refusal.clone()),
            None => Ok(()),
        }
    }

    /// Whether the store was opened to be read alone: nothing on disk changes.
    pub(crate) fn is_read_only(&self) -> bool {
        matches!(&*self.refusal.lock(), Some(StoreError::ReadOnly { .. }))
    }

    /// The index in use.
    pub(crate) fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read())
    }

    pub(crate) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read())
    }

    pub(crate) fn change_view(&self, change: impl FnOnce(&mut View)) {
        let mut view = self.view.write();
        let mut next = View::clone(&view);
        change(&mut next);
        *view = Arc::new(next);
    }

    /// Whether the disk has room for ordinary work.
    pub(crate) fn check_space(&self) -> Result<(), StoreError> {
        self.check_space_for(0)
    }

    /// Whether the disk has room for so many bytes beside what must stay free.
    pub(crate) fn check_space_for(&self, bytes: u64) -> Result<(), StoreError> {
        let free_bytes = self.free_bytes()?;
        let reserve_bytes = self.bytes_wanted().saturating_add(bytes);
        if free_bytes < reserve_bytes {
            return Err(StoreError::StorageFull { free_bytes, reserve_bytes });
        }
        Ok(())
    }

    /// Says that the disk has no room, and how much it would need.
    pub(crate) fn storage_full(&self) -> Result<StoreError, StoreError> {
        let free_bytes = self.free_bytes()?;
        Ok(StoreError::StorageFull { free_bytes, reserve_bytes: self.bytes_wanted().max(free_bytes + 1) })
    }

    /// Bytes that must be free for ordinary work: the reserve file is filled up first.
    fn bytes_wanted(&self) -> u64 {
        let index_bytes = if self.index().pace.waits() { INDEX_ROOM_BYTES } else { 0 };
        self.options.reserve_bytes.saturating_add(self.reserve.used()).max(index_bytes)
    }

    pub(crate) fn free_bytes(&self) -> Result<u64, StoreError> {
        let failed =
            |error| StoreError::io(format!("asking for free space in {}", self.dir.display()), error);
        let free_bytes = self.options.fs.free_bytes(&self.dir).map_err(failed)?;
        self.counters.disk_free_bytes.store(free_bytes, Ordering::Relaxed);
        Ok(free_bytes)
    }

    /// Makes the reserve file whole as soon as ordinary writing could be taken again.
    pub(crate) fn refill_reserve(&self) -> Result<Option<String>, StoreError> {
        let missing = self.reserve.missing();
        let wanted = self.options.reserve_bytes.saturating_add(missing);
        if missing > 0 && self.free_bytes()? < wanted {
            return Ok(None);
        }
        let failed = |error| StoreError::io(format!("filling {}", reserve::FILE), error);
        let is_done = self.reserve.refill().map_err(failed)?;
        Ok(is_done.then(|| format!("the reserve file has {} bytes", self.reserve.bytes())))
    }
}

impl Signals {
    pub(crate) fn want_apply(&self) {
        self.state.lock().apply = true;
        self.applier.notify_one();
    }

    pub(crate) fn want_keep(&self) {
        self.state.lock().keep = true;
        self.keeper.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.wake_all();
    }

    pub(crate) fn wake_all(&self) {
        let _state = self.state.lock();
        self.applier.notify_all();
        self.keeper.notify_all();
        self.room.notify_all();
    }

    /// Waits until an apply is wanted or `timeout` passed; `false` when it is time to stop.
    pub(crate) fn wait_apply(&self, timeout: Duration) -> bool {
        let mut state = self.state.lock();
        if !state.apply && !state.stop {
            self.applier.wait_for(&mut state, timeout);
        }
        state.apply = false;
        !state.stop
    }

    /// The same for housekeeping.
    pub(crate) fn wait_keep(&self, timeout: Duration) -> bool {
        let mut state = self.state.lock();
        if !state.keep && !state.stop {
            self.keeper.wait_for(&mut state, timeout);
        }
        state.keep = false;
        !state.stop
    }

    /// Says that the applier made room.
    pub(crate) fn made_room(&self) {
        let _state = self.state.lock();
        self.room.notify_all();
    }

    /// Waits while `full` holds.
    pub(crate) fn wait_room(&self, full: impl Fn() -> bool) {
        let mut state = self.state.lock();
        while full() && !state.stop {
            state.apply = true;
            self.applier.notify_one();
            // An applier that waits for room itself wakes nobody.
            self.room.wait_for(&mut state, limits::APPLY_EVERY);
        }
    }
}
