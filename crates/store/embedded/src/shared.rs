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
use crate::options::EmbeddedOptions;
use crate::queue::Queue;
use crate::scrub::Scrub;
use crate::tail::Tail;
use crate::view::View;

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

    /// Whether the disk has room for more than the reserve.
    pub(crate) fn check_space(&self) -> Result<(), StoreError> {
        self.check_space_for(0)
    }

    /// Whether the disk has room for so many bytes and the reserve.
    pub(crate) fn check_space_for(&self, bytes: u64) -> Result<(), StoreError> {
        let dir = &self.dir;
        let free_bytes =
            self.options.fs.free_bytes(dir).map_err(|error| {
                StoreError::io(format!("asking for free space in {}", dir.display()), error)
            })?;
        self.counters.disk_free_bytes.store(free_bytes, Ordering::Relaxed);
        let reserve_bytes = self.options.reserve_bytes;
        if free_bytes < reserve_bytes.saturating_add(bytes) {
            return Err(StoreError::StorageFull { free_bytes, reserve_bytes });
        }
        Ok(())
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
            self.room.wait(&mut state);
        }
    }
}
