//! Rows that change in a space while it is copied.
//!
//! Closures of transactions run one after the other. A row is noted when a closure is about to change it, so the closure
//! that publishes a copy knows of every change before its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cairn_access::Scope;
use cairn_graph::spaces::{Row, is_copied};
use cairn_seam::Keyspace;
use parking_lot::{Mutex, RwLock};

use crate::{EngineError, limits};

/// Copies under way.
#[derive(Default)]
pub(crate) struct Copies {
    running: AtomicUsize,
    recorders: RwLock<Vec<Arc<Recorder>>>,
    /// How many recorders there are, for transactions that must not wait.
    recording: AtomicUsize,
    /// Set once it is known that every space is finished: upkeep looks only if that is not so.
    is_finished: AtomicBool,
}

impl Copies {
    /// Begins a copy. Fails with [`EngineError::CopiesFull`] if too many run.
    pub(super) fn begin(self: &Arc<Self>, from: &Scope) -> Result<Copying, EngineError> {
        let more = |running: usize| (running < limits::SPACE_COPIES_MAX).then_some(running + 1);
        self.running
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .map_err(|_| EngineError::CopiesFull)?;
        let recorder = Arc::new(Recorder { prefix: from.key().into_vec(), ..Recorder::default() });
        self.recorders.write().push(Arc::clone(&recorder));
        self.recording.fetch_add(1, Ordering::AcqRel);
        self.note_unfinished();
        Ok(Copying { copies: Arc::clone(self), recorder })
    }

    /// Whether a copy is under way.
    pub(super) fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    /// A space is, or will be, left unfinished.
    pub(super) fn note_unfinished(&self) {
        self.is_finished.store(false, Ordering::Release);
    }

    /// Whether every space was finished; from now on that counts as known.
    pub(super) fn was_finished(&self) -> bool {
        self.is_finished.swap(true, Ordering::AcqRel)
    }

    /// A transaction is about to change a row.
    pub(crate) fn note(&self, keyspace: Keyspace, key: &[u8]) {
        if self.recording.load(Ordering::Acquire) == 0 || !is_copied(keyspace) {
            return;
        }
        for recorder in self.recorders.read().iter().filter(|recorder| key.starts_with(&recorder.prefix)) {
            recorder.note(keyspace, key);
        }
    }

    /// A transaction is about to delete rows, and which of them is not known.
    pub(crate) fn note_range(&self, keyspace: Keyspace) {
        if self.recording.load(Ordering::Acquire) > 0 && is_copied(keyspace) {
            self.recorders.read().iter().for_each(|recorder| recorder.is_over.store(true, Ordering::Release));
        }
    }
}

/// A copy under way; it ends when this is dropped.
pub(super) struct Copying {
    copies: Arc<Copies>,
    pub(super) recorder: Arc<Recorder>,
}

impl Drop for Copying {
    fn drop(&mut self) {
        self.copies.recorders.write().retain(|recorder| !Arc::ptr_eq(recorder, &self.recorder));
        self.copies.recording.fetch_sub(1, Ordering::AcqRel);
        self.copies.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Rows of one space that have changed since a copy of it began.
#[derive(Default)]
pub(super) struct Recorder {
    prefix: Vec<u8>,
    rows: Mutex<HashSet<Row>>,
    /// There were too many.
    is_over: AtomicBool,
}

impl Recorder {
    fn note(&self, keyspace: Keyspace, key: &[u8]) {
        let mut rows = self.rows.lock();
        if rows.len() < limits::SPACE_COPY_CHANGES_MAX {
            rows.insert((keyspace, key.to_vec()));
        } else {
            self.is_over.store(true, Ordering::Release);
        }
    }

    /// How many rows are noted; `None` if there were too many.
    pub(super) fn count(&self) -> Option<usize> {
        (!self.is_over.load(Ordering::Acquire)).then(|| self.rows.lock().len())
    }

    /// The rows that are noted, in their order; they stay noted.
    pub(super) fn rows(&self) -> Option<Vec<Row>> {
        let rows = self.rows.lock().iter().cloned().collect();
        self.sorted(rows)
    }

    /// The same, and none of them is noted any more.
    pub(super) fn take(&self) -> Option<Vec<Row>> {
        let rows = std::mem::take(&mut *self.rows.lock());
        self.sorted(rows.into_iter().collect())
    }

    fn sorted(&self, mut rows: Vec<Row>) -> Option<Vec<Row>> {
        rows.sort_unstable();
        (!self.is_over.load(Ordering::Acquire)).then_some(rows)
    }
}
