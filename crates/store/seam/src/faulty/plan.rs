//! Which operation goes wrong, and how.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::StoreError;

/// What can go wrong at a store's seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeamFault {
    /// An I/O error before anything happened.
    Fail,
    /// It happens and nobody hears of it: a write answers [`StoreError::OutcomeUnknown`], a read an
    /// I/O error after its last key.
    LoseAnswer,
    /// It takes that long, as far as the plan's way of waiting says.
    Delay(Duration),
    /// A transaction's closure runs once for nothing and then again. Does nothing to a read.
    Rerun,
    /// It stops halfway with an I/O error: a transaction at its change number `at` (from 0), or at its
    /// end if it makes fewer; a read after visiting `at` keys.
    Tear {
        /// How many changes or keys get through.
        at: u64,
    },
}

/// How a plan waits.
type Wait = Arc<dyn Fn(Duration) + Send + Sync>;

/// Faults by operation number.
#[derive(Clone)]
pub struct FaultPlan {
    faults: BTreeMap<u64, SeamFault>,
    wait: Wait,
}

impl FaultPlan {
    /// Nothing goes wrong.
    pub fn none() -> Self {
        // Yielding is all a test needs of a delay; whoever wants time to pass says so.
        FaultPlan { faults: BTreeMap::new(), wait: Arc::new(|_| std::thread::yield_now()) }
    }

    /// Operation `n`, counted from 0, goes wrong.
    pub fn at(n: u64, fault: SeamFault) -> Self {
        FaultPlan::none().and(n, fault)
    }

    /// Operation `n` goes wrong too.
    #[must_use]
    pub fn and(mut self, n: u64, fault: SeamFault) -> Self {
        self.faults.insert(n, fault);
        self
    }

    /// Waits by calling `wait`, which may sleep or advance a clock.
    #[must_use]
    pub fn waiting_by(self, wait: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        FaultPlan { wait: Arc::new(wait), ..self }
    }
}

impl fmt::Debug for FaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FaultPlan").field(&self.faults).finish()
    }
}

/// A plan being carried out.
#[derive(Debug)]
pub(super) struct Faults {
    plan: FaultPlan,
    operations: AtomicU64,
    /// What was done since somebody listens.
    heard: Mutex<Option<Vec<String>>>,
}

impl Faults {
    /// Before the first operation.
    pub(super) fn new(plan: FaultPlan) -> Self {
        Faults { plan, operations: AtomicU64::new(0), heard: Mutex::new(None) }
    }

    /// Notes from now on what is done, and yields what was noted before.
    pub(super) fn listen(&self) -> Vec<String> {
        self.heard.lock().replace(Vec::new()).unwrap_or_default()
    }

    /// Notes what is done, if somebody listens.
    pub(super) fn tell(&self, what: impl FnOnce() -> String) {
        if let Some(heard) = self.heard.lock().as_mut() {
            heard.push(what());
        }
    }

    /// How many operations there have been.
    pub(super) fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Counts an operation and says what happens to it.
    pub(super) fn next(&self) -> Option<SeamFault> {
        let n = self.operations.fetch_add(1, Ordering::Relaxed);
        self.plan.faults.get(&n).copied()
    }

    /// Waits the plan's way.
    pub(super) fn delay(&self, time: Duration) {
        (self.plan.wait)(time);
    }

    /// Counts and does an operation that visits nothing.
    pub(super) fn around<T>(
        &self,
        doing: &str,
        operation: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.tell(|| doing.to_owned());
        match self.next() {
            None | Some(SeamFault::Rerun) => operation(),
            Some(SeamFault::Fail | SeamFault::Tear { .. }) => Err(broken(doing)),
            Some(SeamFault::LoseAnswer) => operation().and(Err(broken(doing))),
            Some(SeamFault::Delay(time)) => {
                self.delay(time);
                operation()
            }
        }
    }
}

/// The error of an operation that went wrong.
pub(super) fn broken(doing: &str) -> StoreError {
    StoreError::io(doing, io::Error::other("planned fault"))
}
