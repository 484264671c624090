//! Bounded admission, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, TryAcquireError};
use tokio::time::{Instant, timeout_at};

use crate::gate::{Inner, RETRY_AFTER_S};
use crate::{Gate, GateError};

/// A request that may run. Hold it until the answer is sent; dropping it lets the next one in.
#[must_use = "the request runs only as long as its admission is held"]
pub struct Admission {
    deadline: Instant,
    permit: Option<OwnedSemaphorePermit>,
    gate: Arc<Inner>,
}

/// How draining ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Requests that still ran when time was up.
    pub still_running: usize,
}

impl Gate {
    /// Lets a request in, at once or after waiting for its turn.
    ///
    /// Answers [`GateError::Overloaded`] at once when as many wait as may, and after the deadline
    /// when its turn did not come; [`GateError::Unavailable`] once the gate drains.
    pub async fn admit(&self) -> Result<Admission, GateError> {
        let deadline = after(self.inner.config.deadline);
        let permit = match Arc::clone(&self.inner.running).try_acquire_owned() {
            Ok(permit) => permit,
            Err(TryAcquireError::Closed) => return Err(self.refuse_draining()),
            Err(TryAcquireError::NoPermits) => self.wait_for_turn(deadline).await?,
        };
        self.inner.figures.admitted.add(1);
        Ok(Admission { deadline, permit: Some(permit), gate: Arc::clone(&self.inner) })
    }

    /// Ends service: refuses whoever comes or waits, and gives running requests that long to finish.
    ///
    /// The engine stays open; close it afterwards.
    pub async fn drain(&self, timeout: Duration) -> Drained {
        let until = after(timeout);
        self.inner.running.close();
        loop {
            // Listening before looking: a request that ends in between rings a bell we hear.
            let mut ended = std::pin::pin!(self.inner.ended.notified());
            ended.as_mut().enable();
            let still_running = self.in_flight();
            if still_running == 0 || timeout_at(until, ended).await.is_err() {
                return Drained { still_running: self.in_flight() };
            }
        }
    }

    /// Whether the gate has stopped letting requests in.
    pub fn is_draining(&self) -> bool {
        self.inner.running.is_closed()
    }

    /// How many requests run now.
    pub fn in_flight(&self) -> usize {
        self.inner.config.in_flight_max - self.inner.running.available_permits()
    }

    async fn wait_for_turn(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, GateError> {
        let waiting = Waiting::enter(&self.inner.figures.waiting, self.inner.config.waiting_max);
        let Some(_waiting) = waiting else { return Err(self.refuse_overloaded()) };
        match timeout_at(deadline, Arc::clone(&self.inner.running).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_closed)) => Err(self.refuse_draining()),
            Err(_elapsed) => Err(self.refuse_overloaded()),
        }
    }

    fn refuse_overloaded(&self) -> GateError {
        self.inner.figures.overloaded.add(1);
        GateError::Overloaded { retry_after_s: RETRY_AFTER_S }
    }

    fn refuse_draining(&self) -> GateError {
        self.inner.figures.draining.add(1);
        GateError::Unavailable
    }
}

impl Admission {
    /// When the request has to be answered.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        // First the permit, then the bell: whoever hears it counts without us.
        drop(self.permit.take());
        self.gate.ended.notify_waiters();
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admission").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// A time so far off that nobody can wait for it stands for never.
pub(crate) fn after(duration: Duration) -> Instant {
    const NEVER: Duration = Duration::from_secs(365 * 24 * 3600);
    Instant::now() + duration.min(NEVER)
}

/// A place in the queue, given back also when the request is cancelled.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn enter(count: &'a AtomicUsize, max: usize) -> Option<Self> {
        let enter = |waiting| (waiting < max).then_some(waiting + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, enter).ok().map(|_| Waiting(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
