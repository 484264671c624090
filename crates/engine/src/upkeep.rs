//! Background upkeep: one thread that has the store tidy up, about once a second.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cairn_seam::{Compaction, Finding, UpkeepReport};
use parking_lot::{Condvar, Mutex};

use crate::{CompactionPolicy, Engine, EngineError};

/// The thread and the way to stop it.
#[derive(Default)]
pub(crate) struct Upkeep {
    bell: Arc<Bell>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Wakes the thread before its time.
#[derive(Default)]
struct Bell {
    stopped: Mutex<bool>,
    rung: Condvar,
}

impl Engine {
    /// Starts the upkeep thread; a second call does nothing. [`Engine::close`] stops it.
    pub fn start_upkeep(self: &Arc<Self>, every: Duration) -> Result<(), EngineError> {
        let mut thread = self.upkeep.thread.lock();
        if thread.is_some() {
            return Ok(());
        }
        let engine = Arc::downgrade(self);
        let bell = Arc::clone(&self.upkeep.bell);
        let spawned = thread::Builder::new()
            .name("cairn-upkeep".into())
            .spawn(move || run(&engine, &bell, every))
            .map_err(|source| EngineError::Thread { what: "upkeep", source })?;
        *thread = Some(spawned);
        Ok(())
    }

    /// Compacts the store as often as its policy says, unless somebody has asked for maintenance just now.
    fn compact_when_due(&self) {
        let CompactionPolicy { every, keep_changes } = *self.compaction.lock();
        let Some(every) = every else { return };
        let now = self.clock().monotonic();
        if now.saturating_sub(*self.compacted_at.lock()) < every {
            return;
        }
        let Some(_alone) = self.maintaining.try_lock() else { return };
        *self.compacted_at.lock() = now;
        let store = self.pipeline.store();
        let what = Compaction { keep_changes, forget: None };
        match store.compact(&what, &self.references(), &mut |_| !self.upkeep.bell.is_stopped()) {
            Ok(report) => tracing::info!(figures = ?report.figures, "compacted the store"),
            Err(error) => tracing::warn!(%error, "compaction failed; it is tried again next time"),
        }
    }

    /// One step of upkeep, now and here.
    pub fn upkeep_once(&self) -> Result<UpkeepReport, EngineError> {
        let metrics = &self.pipeline.shared().metrics;
        let started = self.clock().monotonic();
        self.logins.replay.tidy(self.clock().now_ms());
        let outcome = self.pipeline.store().upkeep();
        metrics.upkeep_runs.add(1);
        metrics.upkeep_seconds.observe(self.clock().monotonic().saturating_sub(started));
        if outcome.is_err() {
            metrics.upkeep_failures.add(1);
        }
        let mut report = outcome?;
        report.findings.extend(self.scrub_search());
        self.compact_when_due();
        for memory in self.memories.all() {
            memory.upkeep(self, &mut |_| !self.upkeep.bell.is_stopped());
        }
        Ok(report)
    }
}

impl Upkeep {
    /// Tells the thread to end, without waiting.
    pub(crate) fn ask_to_stop(&self) {
        *self.bell.stopped.lock() = true;
        self.bell.rung.notify_all();
    }

    /// Whether it was told to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.bell.is_stopped()
    }

    /// Ends the thread and waits for it.
    pub(crate) fn stop(&self) {
        self.ask_to_stop();
        let thread = self.thread.lock().take();
        // The thread itself may be the one that closes, when it held the last reference.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

/// Holds the engine only while it works, so that an engine nobody uses can go.
fn run(engine: &Weak<Engine>, bell: &Bell, every: Duration) {
    while !bell.wait(every) {
        let Some(engine) = engine.upgrade() else { return };
        match catch_unwind(AssertUnwindSafe(|| engine.upkeep_once())) {
            Ok(Ok(report)) => {
                report.done.iter().for_each(|line| tracing::info!("upkeep: {line}"));
                report.findings.iter().for_each(tell);
            }
            Ok(Err(error)) => tracing::warn!(%error, "upkeep failed; it is tried again"),
            Err(_) => {
                engine.pipeline.shared().metrics.upkeep_failures.add(1);
                tracing::error!("upkeep panicked; it is tried again");
            }
        }
    }
}

/// Each finding is told once, however often it is met again.
fn tell(finding: &Finding) {
    let Finding { file, offset, detail, repaired } = finding;
    if *repaired {
        tracing::warn!(file, offset, "found damage and repaired it: {detail}");
    } else {
        tracing::error!(file, offset, "found damage: {detail}");
    }
}

impl Bell {
    fn is_stopped(&self) -> bool {
        *self.stopped.lock()
    }

    /// Waits that long, or until stopped; says whether stopped.
    fn wait(&self, every: Duration) -> bool {
        let mut stopped = self.stopped.lock();
        self.rung.wait_while_for(&mut stopped, |stopped| !*stopped, every);
        *stopped
    }
}
