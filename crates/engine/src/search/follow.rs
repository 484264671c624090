//! The thread that keeps the index: opens it, follows the feed, writes it to disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use cairn_base::Position;
use cairn_seam::{Health, StoreError};
use cairn_search::index::SearchIndex;

use super::catch_up::LOOK;
use super::feed::Fed;
use super::followed::{Followed, Writing};
use super::rebuild::Making;
use super::{SearchHome, SearchStatus, Searching, State, Wait};
use crate::{Engine, EngineError};

/// The thread looks at least this often, also when nothing is committed.
const IDLE: Duration = Duration::from_secs(1);
/// Documents are on disk after this long at the latest.
const FLUSH_AFTER: Duration = Duration::from_secs(30);
/// After a failure, this long until the next try, whatever is committed meanwhile.
const RETRY: Duration = Duration::from_secs(5);
/// Commits that came to no documents are noted on disk when there are so many of them.
const UNWRITTEN_MAX: u64 = 4096;
/// Whoever closes waits at most this long for segments that are being put together.
const END_MAX: Duration = Duration::from_secs(5);

impl Engine {
    /// Starts keeping an index; a second call does nothing. [`Engine::close`] ends it.
    pub fn start_search(self: &Arc<Self>, home: SearchHome) -> Result<(), EngineError> {
        let mut thread = self.searching.thread.lock();
        if thread.is_some() {
            return Ok(());
        }
        self.searching.tail_bytes_max.store(home.tail_bytes, Ordering::Relaxed);
        *self.searching.home.lock() = Some(home.clone());
        self.searching.set(State::Opening);
        let (engine, searching) = (Arc::downgrade(self), Arc::clone(&self.searching));
        let spawned = thread::Builder::new()
            .name("cairn-search".into())
            .spawn(move || run(&engine, &searching, &home))
            .map_err(|source| EngineError::Thread { what: "search", source })?;
        *thread = Some(spawned);
        Ok(())
    }

    /// Says where the index is kept, without keeping it: whoever only looks after the store.
    pub fn set_search_home(&self, home: SearchHome) {
        *self.searching.home.lock() = Some(home);
    }

    /// How the search is doing.
    pub fn search_status(&self) -> SearchStatus {
        self.searching.status(self.search_behind())
    }
}

/// The place where an index is made beside the one that serves.
fn other_place(place: usize) -> usize {
    1 - place.min(1)
}

/// The damage in the files of an index: what was met already, or else what reading all of them shows.
fn damage(index: &SearchIndex) -> Option<String> {
    if let Some(met) = index.damage() {
        return Some(met.to_string());
    }
    match index.damaged_files() {
        Ok(damaged) => damaged.first().map(ToString::to_string),
        // It cannot even be looked at.
        Err(error) => Some(error.to_string()),
    }
}

/// An index to build beside one that cannot be kept.
struct Replacement {
    place: usize,
    why: String,
}

/// Decides what a failure means for the index that was followed: it is opened again, or replaced.
#[derive(Default)]
struct Failures {
    /// What was on disk when the last failure came.
    written: Option<Position>,
}

impl Failures {
    /// An index with damage is replaced, and so is one that fails again without having written anything:
    /// opening it once more would not help.
    fn replacement(&mut self, followed: &Followed, why: &str) -> Option<Replacement> {
        let written = Some(followed.index.figures().written);
        let is_stuck = std::mem::replace(&mut self.written, written) == written;
        let damage = followed.index.damage().map(ToString::to_string);
        let why = damage.or_else(|| is_stuck.then(|| why.to_owned()))?;
        // If that fails too, the old one gets another chance.
        self.written = None;
        Some(Replacement { place: other_place(followed.place), why })
    }
}

/// Holds the engine only while it works, so that an engine nobody uses can go.
fn run(engine: &Weak<Engine>, searching: &Searching, home: &SearchHome) {
    let mut followed: Option<Followed> = None;
    let mut wait = Wait::Briefly(Duration::ZERO);
    let mut failures = Failures::default();
    let mut replacement: Option<Replacement> = None;
    while searching.wait(wait) {
        let Some(engine) = engine.upgrade() else { break };
        let step = || match replacement.take() {
            Some(new) => engine.make_search(home, new.place, &new.why).map(|made| followed = Some(made)),
            None => engine.search_step(home, &mut followed),
        };
        let failed = match catch_unwind(AssertUnwindSafe(step)) {
            Ok(Ok(())) => None,
            // Failures of the store say nothing about the index.
            Ok(Err(error)) => Some((error.to_string(), matches!(error, EngineError::Search(_)))),
            Err(_) => Some(("it stopped unexpectedly".to_owned(), true)),
        };
        wait = if failed.is_some() { Wait::InAnyCase(RETRY) } else { Wait::Briefly(IDLE) };
        if let Some((why, is_its_own)) = failed.filter(|_| !searching.is_stopped()) {
            let left = followed.take().filter(|_| is_its_own);
            replacement = left.and_then(|left| failures.replacement(&left, &why));
            if replacement.is_some() {
                tracing::warn!(error = why, "the search index is rebuilt");
                wait = Wait::Briefly(Duration::ZERO);
            } else {
                tracing::warn!(error = why, "the search index is opened again");
                // What failed may be damage that nobody has met.
                searching.check_wanted.fetch_or(is_its_own, Ordering::AcqRel);
            }
            searching.set(State::Failed(why));
        }
    }
    searching.set(State::Off);
    let Some(index) = followed.map(|followed| Arc::clone(&followed.index)) else { return };
    if let Err(error) = index.close(END_MAX) {
        tracing::warn!(%error, "the search index was not written; it catches up when it is opened");
    }
    if let Some(why) = index.damage() {
        // Whoever opens it next would have to meet the damage once more.
        tracing::warn!(%why, "the search index is damaged and is rebuilt at the next start");
        if let Err(error) = home.keep_only(None) {
            tracing::warn!(%error, "the damaged search index was not removed");
        }
    }
    if let Some(engine) = engine.upgrade() {
        engine.tell_position(&index);
    }
}

impl Engine {
    fn search_step(&self, home: &SearchHome, followed: &mut Option<Followed>) -> Result<(), EngineError> {
        if self.searching.forgotten.load(Ordering::Acquire) {
            *followed = None;
            self.searching.set(State::Opening);
            home.keep_only(None).map_err(cairn_search::SearchError::Io)?;
            self.searching.forgotten.store(false, Ordering::Release);
        }
        if self.searching.rebuild_wanted.swap(false, Ordering::AcqRel) {
            self.make_as_asked(home, followed)?;
        }
        let current = match followed {
            Some(current) => current,
            None => followed.insert(self.open_search(home)?),
        };
        let is_asked = self.searching.check_wanted.swap(false, Ordering::AcqRel);
        if is_asked || current.index.damage().is_some() {
            self.check_search(home, current)?;
        }
        match self.follow_feed(current) {
            Ok(()) => {}
            Err(EngineError::Store(StoreError::TooOld { .. } | StoreError::PositionAhead { .. })) => {
                let why = "its place in the history is gone";
                *current = self.make_search(home, other_place(current.place), why)?;
            }
            Err(error) => return Err(error),
        }
        self.refresh(&current.index)?;
        self.write_when_due(current)
    }

    /// Takes in everything there is by now, written down as it comes.
    fn follow_feed(&self, followed: &mut Followed) -> Result<(), EngineError> {
        loop {
            let fed = self.feed_next(&followed.index)?;
            self.write_when_due(followed)?;
            match fed {
                Fed::Whole => return Ok(()),
                Fed::Partly => {}
                Fed::Full => thread::sleep(LOOK),
            }
            if self.searching.is_stopped() {
                return Ok(());
            }
        }
    }

    fn open_search(&self, home: &SearchHome) -> Result<Followed, EngineError> {
        let owner = self.index_owner();
        let opened = catch_unwind(AssertUnwindSafe(|| home.open(&owner)));
        let no_sense = || Err(cairn_search::SearchError::Damaged("its files make no sense".into()));
        let opened = match opened.unwrap_or_else(|_| no_sense()) {
            Ok(opened) => opened,
            // On a full disk it may be as whole as ever, and there is no room for another one.
            Err(error) if self.is_disk_full() => return Err(error.into()),
            Err(error) => {
                tracing::warn!(%error, "the search index is made again");
                return self.make_search(home, 0, &error.to_string());
            }
        };
        let Some((index, place)) = opened else {
            return self.make_search(home, 0, "there was none");
        };
        let index = Arc::new(index);
        home.keep_only(Some(place)).map_err(cairn_search::SearchError::Io)?;
        self.searching.place.store(place, Ordering::Relaxed);
        self.note_opened(&index);
        self.searching.note_fed(&index);
        self.searching.set(State::Ready(Arc::clone(&index)));
        self.tell_position(&index);
        Ok(Followed::new(index, place, &self.searching))
    }

    /// Whether writing the index would fail, and is better left for later.
    fn is_disk_full(&self) -> bool {
        matches!(self.health(), Health::Full { .. })
    }

    /// Somebody asked for a new index. The one that is there stays if that fails.
    fn make_as_asked(&self, home: &SearchHome, followed: &mut Option<Followed>) -> Result<(), EngineError> {
        let place = followed.as_ref().map_or(0, |current| other_place(current.place));
        let made = self.make_search(home, place, "somebody asked for it");
        self.searching.note_rebuilt(made.as_ref().map(drop).map_err(EngineError::to_string));
        match (made, &followed) {
            (Ok(made), _) => *followed = Some(made),
            (Err(error), Some(current)) => {
                tracing::warn!(%error, "no new search index was made; the old one stays");
                home.keep_only(Some(current.place)).map_err(cairn_search::SearchError::Io)?;
            }
            (Err(error), None) => return Err(error),
        }
        Ok(())
    }

    /// An index whose files are not what was written answers nothing more, and is rebuilt.
    fn check_search(&self, home: &SearchHome, current: &mut Followed) -> Result<(), EngineError> {
        if let Some(why) = damage(&current.index) {
            tracing::warn!(why, "the search index is damaged and is rebuilt");
            self.searching.set(State::Opening);
            *current = self.make_search(home, other_place(current.place), &why)?;
        }
        Ok(())
    }

    /// A new index of everything there is, made beside the old one, which serves as long as it can.
    fn make_search(&self, home: &SearchHome, place: usize, why: &str) -> Result<Followed, EngineError> {
        let making = Making::begin(&self.searching, why);
        let index = Arc::new(home.create(place, &self.index_owner())?);
        let serves = matches!(self.searching.state(), State::Ready(_));
        if !serves {
            self.searching.set(State::Rebuilding(Arc::clone(&index), why.to_owned()));
        }
        self.rebuild_into(&index)?;
        self.feed_all(&index)?;
        if self.searching.is_stopped() {
            return Err(StoreError::Stopped.into());
        }
        index.flush()?;
        self.searching.place.store(place, Ordering::Relaxed);
        self.searching.note_fed(&index);
        self.searching.set(State::Ready(Arc::clone(&index)));
        home.keep_only(Some(place)).map_err(cairn_search::SearchError::Io)?;
        drop(making);
        self.tell_position(&index);
        Ok(Followed::new(index, place, &self.searching))
    }

    /// Has documents written when there are many of them, or when they have waited for long.
    fn write_when_due(&self, followed: &mut Followed) -> Result<(), EngineError> {
        match followed.writing()? {
            Writing::UnderWay => return Ok(()),
            Writing::Done => {
                self.searching.note_fed(&followed.index);
                self.tell_position(&followed.index);
            }
            Writing::Idle => {}
        }
        let figures = followed.index.figures();
        let is_due = if figures.tail_bytes == 0 {
            followed.unwritten_since = None;
            // The index notes its place in the feed there too: a note for each note would never end.
            followed.commits_unwritten(&self.searching) >= UNWRITTEN_MAX && figures.position > figures.written
        } else {
            let now = self.clock().monotonic();
            let since = *followed.unwritten_since.get_or_insert(now);
            self.searching.is_half_full(&followed.index) || now.saturating_sub(since) >= FLUSH_AFTER
        };
        if is_due && !self.is_disk_full() { followed.begin_writing(&self.searching) } else { Ok(()) }
    }
}
