//! Queries: reads of which nobody knows beforehand how long they take.
//!
//! They have threads apart, so that other reads always find one. A query that has run for long moves on to
//! one of a few further places as soon as one is free, and makes room for the next: as many long ones as
//! there are such places take nothing from short ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cairn_engine::{Engine, EngineError};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{timeout, timeout_at};

use crate::run::{Kept, Work, lost};
use crate::{Admission, Gate, GateConfig, GateError, limits};

/// Places of queries: those that begin, and those that have run for long.
#[derive(Debug)]
pub(crate) struct Queries {
    begun: Arc<Semaphore>,
    long: Arc<Semaphore>,
}

impl Queries {
    pub(crate) fn new(config: &GateConfig) -> Self {
        let places = |max| Arc::new(Semaphore::new(max));
        Queries { begun: places(config.queries_max), long: places(config.long_queries_max) }
    }

    /// How many run.
    pub(crate) fn running(&self, config: &GateConfig) -> usize {
        let free = self.begun.available_permits() + self.long.available_permits();
        (config.queries_max + config.long_queries_max).saturating_sub(free)
    }
}

async fn place(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    Arc::clone(places).acquire_owned().await.expect("nobody closes the places of queries")
}

impl Gate {
    /// Runs a query, or any blocking call of the engine that may take as long as one, on a thread where it
    /// takes nothing from other reads.
    ///
    /// Past the deadline the caller gets [`GateError::ReadDeadline`], and the closure runs to its end
    /// unheard and still counted: it needs a bound on its time of its own.
    pub async fn query<T: Send + 'static>(
        &self,
        admission: &Admission,
        body: impl FnOnce(&Engine) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, GateError> {
        let (work, kept) = Kept::of(body);
        self.run_query(admission, work).await?;
        kept.result()
    }

    async fn run_query(&self, admission: &Admission, work: Work) -> Result<(), GateError> {
        let queries = &self.inner.queries;
        let on_time = timeout_at(admission.deadline(), async {
            let held = Arc::new(Mutex::new(place(&queries.begun).await));
            let (ended, end) = oneshot::channel::<()>();
            // On its own, because a query goes on when nobody waits for it any more.
            tokio::spawn(make_room(Arc::clone(&queries.long), Arc::clone(&held), end));
            let engine = Arc::clone(&self.inner.engine);
            let running = tokio::task::spawn_blocking(move || {
                let _held = (held, ended);
                catch_unwind(AssertUnwindSafe(|| work(&engine)))
            });
            running.await.unwrap_or_else(lost)
        });
        self.heard(on_time.await)
    }
}

/// Moves a query that has run for long to a place for such, unless it ends before.
async fn make_room(
    long: Arc<Semaphore>,
    held: Arc<Mutex<OwnedSemaphorePermit>>,
    mut end: oneshot::Receiver<()>,
) {
    if timeout(limits::QUERY_LONG_AFTER, &mut end).await.is_ok() {
        return;
    }
    tokio::select! {
        biased;
        _ = end => {}
        place = place(&long) => *held.lock() = place,
    }
}
