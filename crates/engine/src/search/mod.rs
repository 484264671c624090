//! Search: keeps an index of what the store holds, and answers questions from it.
//!
//! One thread follows the change feed and writes the index to disk. Whoever searches brings the index up
//! to date first, on its own thread, so a search finds everything that was committed before it began.
//! All of it is derived: without the index, or while it is made anew, everything else goes on.

mod backlog;
mod catch_up;
mod consult;
mod consumer;
mod feed;
mod follow;
mod followed;
mod home;
mod pace;
mod rebuild;
mod refresh;
mod scrub;
mod verify;

pub use cairn_search::found::Reason as SearchReason;
pub use consult::Consulted;
pub use feed::Taking;
pub(crate) use feed::{in_spite_of_damage, take_into};
pub use home::SearchHome;
pub use rebuild::Filling;
pub(crate) use scrub::SearchScrub;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cairn_base::Position;
use cairn_search::index::SearchIndex;
use parking_lot::{Condvar, Mutex, RwLock};
use serde::Serialize;

use self::backlog::Backlog;
use crate::metrics::{Counter, MetricKind, PrometheusText};

/// For how long commits are gathered before they are taken in.
const GATHER: Duration = Duration::from_millis(20);
/// How often somebody looks whether the index is open.
const OPENING_LOOK: Duration = Duration::from_millis(5);

/// Searches wait for a new index of so many documents.
const SOON_MADE: u64 = 5_000;

/// How the search of this node is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchStatus {
    /// `off`, `opening`, `rebuilding`, `ready` or `failed`.
    pub state: &'static str,
    /// Why it failed, or is made anew.
    pub detail: Option<String>,
    /// While it is made anew: documents so far, and about how many there will be.
    pub progress: Option<(u64, u64)>,
    /// Documents that can be found.
    pub documents: u64,
    /// Segments on disk.
    pub segments: u64,
    /// Documents that are not on disk yet.
    pub tail_documents: u64,
    /// Memory that they take.
    pub tail_bytes: u64,
    /// For how long the newest commits have not been taken in, in milliseconds.
    pub behind_ms: u64,
}

/// What there is to search in.
#[derive(Clone)]
pub(crate) enum State {
    /// Nobody started it.
    Off,
    /// It is being opened.
    Opening,
    /// It is made anew, and knows what it has so far.
    Rebuilding(Arc<SearchIndex>, String),
    /// It follows the feed.
    Ready(Arc<SearchIndex>),
    /// It cannot be used.
    Failed(String),
}

/// The search of a node.
pub(crate) struct Searching {
    state: RwLock<State>,
    /// Held by whoever takes commits into the index.
    feeding: Mutex<()>,
    bell: Bell,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Where it is kept, if that is known.
    home: Mutex<Option<SearchHome>>,
    /// In which of the places of its home the index is that serves.
    place: AtomicUsize,
    /// Held by whoever asked for a new index and waits for it: one at a time.
    asking: Mutex<()>,
    /// Somebody asked for a new index.
    rebuild_wanted: AtomicBool,
    /// What came of that.
    rebuilt: Mutex<Option<Result<(), String>>>,
    rebuilt_changed: Condvar,
    /// The files are to be compared with their checksums.
    check_wanted: AtomicBool,
    /// Why an index is made anew just now.
    making: Mutex<Option<String>>,
    /// Documents of a new index so far, and about how many there will be.
    progress: (AtomicU64, AtomicU64),
    /// Something was forgotten: the index that still knows it goes, with its files.
    forgotten: AtomicBool,
    /// When the index last held everything, on the monotonic clock.
    current_at_ms: AtomicU64,
    /// Commits, and those that the index has not taken in.
    backlog: Backlog,
    /// Memory for what is not on disk yet.
    tail_bytes_max: AtomicUsize,
    behind: Counter,
    /// Writes that were asked to wait.
    paced: Counter,
}

/// Wakes the thread.
#[derive(Default)]
struct Bell {
    rung: Mutex<Rung>,
    changed: Condvar,
    /// Whether somebody waits: ringing costs nothing if not.
    waiting: AtomicBool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Rung {
    commits: bool,
    /// Somebody wants something of the thread.
    asked: bool,
    stop: bool,
}

/// How long the thread waits.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// Until something is committed.
    Briefly(Duration),
    /// Whatever is committed.
    InAnyCase(Duration),
}

impl Searching {
    pub(crate) fn new() -> Self {
        Searching {
            state: RwLock::new(State::Off),
            feeding: Mutex::default(),
            bell: Bell::default(),
            thread: Mutex::default(),
            home: Mutex::default(),
            place: AtomicUsize::new(0),
            asking: Mutex::default(),
            rebuild_wanted: AtomicBool::new(false),
            rebuilt: Mutex::default(),
            rebuilt_changed: Condvar::new(),
            check_wanted: AtomicBool::new(false),
            making: Mutex::default(),
            progress: (AtomicU64::new(0), AtomicU64::new(0)),
            forgotten: AtomicBool::new(false),
            current_at_ms: AtomicU64::new(0),
            backlog: Backlog::default(),
            tail_bytes_max: AtomicUsize::new(usize::MAX),
            behind: Counter::new(),
            paced: Counter::new(),
        }
    }

    pub(crate) fn state(&self) -> State {
        self.state.read().clone()
    }

    /// What there is to search in. One that is being opened is waited for, at most that long.
    fn opened(&self, at_most: Duration) -> State {
        let until = Instant::now() + at_most;
        loop {
            let forgotten = self.forgotten.load(Ordering::Acquire);
            let state = if forgotten { State::Opening } else { self.state() };
            let is_soon = match state {
                State::Opening => true,
                // An index of little is made in no time.
                State::Rebuilding(..) => self.progress.1.load(Ordering::Relaxed) <= SOON_MADE,
                State::Off | State::Ready(_) | State::Failed(_) => false,
            };
            if !is_soon || Instant::now() >= until || self.is_stopped() {
                return state;
            }
            std::thread::sleep(OPENING_LOOK);
        }
    }

    fn set(&self, state: State) {
        *self.state.write() = state;
    }

    /// Counts a commit, and wakes the thread if it has something to take in.
    pub(crate) fn announce(&self, position: Position, has_events: bool) {
        self.backlog.announce(position, has_events);
        if has_events && self.bell.waiting.load(Ordering::Acquire) {
            self.bell.rung.lock().commits = true;
            self.bell.changed.notify_one();
        }
    }

    fn is_stopped(&self) -> bool {
        self.bell.rung.lock().stop
    }

    /// Waits, at most that long or until somebody wants something; says whether to go on.
    fn wait(&self, wait: Wait) -> bool {
        let (at_most, heeds_commits) = match wait {
            Wait::Briefly(at_most) => (at_most, true),
            Wait::InAnyCase(at_most) => (at_most, false),
        };
        let until = Instant::now() + at_most;
        let mut rung = self.bell.rung.lock();
        self.bell.waiting.store(true, Ordering::Release);
        while !(rung.asked || rung.stop || rung.commits && heeds_commits) {
            if self.bell.changed.wait_until(&mut rung, until).timed_out() {
                break;
            }
        }
        self.bell.waiting.store(false, Ordering::Release);
        // Commits that come together are taken in together: nobody who searches waits for this thread.
        let gathering = Instant::now() + GATHER;
        while rung.commits && !rung.stop && !self.bell.changed.wait_until(&mut rung, gathering).timed_out() {}
        rung.commits = false;
        rung.asked = false;
        !rung.stop
    }

    /// Tells the thread to end, without waiting.
    pub(crate) fn ask_to_stop(&self) {
        self.bell.rung.lock().stop = true;
        self.bell.changed.notify_all();
    }

    /// Ends the thread, which writes what is not on disk yet, and waits for it.
    pub(crate) fn stop(&self) {
        self.ask_to_stop();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }

    /// Has the index made anew, beside the one that is there.
    pub(crate) fn want_rebuild(&self) {
        self.rebuild_wanted.store(true, Ordering::Release);
        self.wake();
    }

    /// Has the index removed with its files, and made anew; it answers nothing from now on.
    pub(crate) fn want_forgotten(&self) {
        self.forgotten.store(true, Ordering::Release);
        self.set(State::Opening);
        self.wake();
    }

    /// Has the files of the index compared with their checksums, and made anew if one is damaged.
    pub(crate) fn want_check(&self) {
        self.check_wanted.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        self.bell.rung.lock().asked = true;
        self.bell.changed.notify_all();
    }

    pub(crate) fn status(&self, behind: Duration) -> SearchStatus {
        let state = self.state();
        let (name, detail, index) = match &state {
            State::Off => ("off", None, None),
            State::Opening => ("opening", None, None),
            State::Rebuilding(index, why) => ("rebuilding", Some(why.clone()), Some(index)),
            State::Ready(index) => ("ready", None, Some(index)),
            State::Failed(why) => ("failed", Some(why.clone()), None),
        };
        let figures = index.map(|index| index.figures());
        let (done, all) = (&self.progress.0, &self.progress.1);
        let progress = (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
        SearchStatus {
            state: name,
            detail: detail.or_else(|| self.making.lock().clone()),
            progress: (progress.1 > 0).then_some(progress),
            documents: figures.map_or(0, |figures| figures.documents),
            segments: figures.map_or(0, |figures| figures.segments as u64),
            tail_documents: figures.map_or(0, |figures| figures.tail_documents as u64),
            tail_bytes: figures.map_or(0, |figures| figures.tail_bytes as u64),
            behind_ms: u64::try_from(behind.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn write_metrics(&self, text: &mut PrometheusText, behind: Duration) {
        let status = self.status(behind);
        let mut gauge = |name, help, value| {
            text.family(name, MetricKind::Gauge, help).integer(&[], value);
        };
        gauge("cairn_search_ready", "1 when searches find everything.", u64::from(status.state == "ready"));
        gauge("cairn_search_documents", "Documents that can be found.", status.documents);
        gauge("cairn_search_segments", "Segments of the search index on disk.", status.segments);
        gauge("cairn_search_tail_documents", "Documents that are not on disk yet.", status.tail_documents);
        gauge("cairn_search_tail_bytes", "Memory of documents that are not on disk yet.", status.tail_bytes);
        gauge(
            "cairn_search_behind_milliseconds",
            "For how long the newest commits have not been taken in.",
            status.behind_ms,
        );
        text.family(
            "cairn_search_behind_total",
            MetricKind::Counter,
            "Searches that were answered without the newest commits.",
        )
        .integer(&[], self.behind.get());
        text.family(
            "cairn_search_paced_total",
            MetricKind::Counter,
            "Writes that were slowed down for the search index.",
        )
        .integer(&[], self.paced.get());
    }
}
