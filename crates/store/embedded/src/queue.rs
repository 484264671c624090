//! Transactions that wait, and who commits them.
//!
//! A caller that finds nobody committing commits the group itself, on its own thread: one writer alone
//! never waits for another thread. Whatever queued up meanwhile goes to the committer thread, which
//! stays in charge as long as there is work.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, Thread};

use cairn_base::{Position, TenantId, limits};
use cairn_seam::{StoreError, TxBody, TxDone};
use parking_lot::{Condvar, Mutex};

/// A transaction in the queue.
pub(crate) struct Ticket {
    pub(crate) tenant: TenantId,
    pub(crate) body: TxBody,
    pub(crate) answer: Answer,
}

/// Tells a writer its outcome in any case: one that is dropped says that the outcome is unknown.
pub(crate) struct Answer(Option<TxDone>);

impl Answer {
    pub(crate) fn new(done: TxDone) -> Self {
        Answer(Some(done))
    }

    pub(crate) fn give(mut self, outcome: Result<Position, StoreError>) {
        self.call(outcome);
    }

    fn call(&mut self, outcome: Result<Position, StoreError>) {
        if let Some(done) = self.0.take() {
            // Somebody else's callback must not end the committer.
            let _ = catch_unwind(AssertUnwindSafe(|| done(outcome)));
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.call(Err(StoreError::OutcomeUnknown { cause: "the committer gave up".into() }));
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Ticket>,
    /// Somebody is committing, or the committer thread was told to.
    led: bool,
    /// The committer thread is to take over.
    handed_over: bool,
    closed: bool,
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    handover: Condvar,
}

/// What to do after a transaction was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Commit: nobody else does.
    Lead,
    /// Wait: somebody commits.
    Wait,
}

impl Queue {
    /// Queues a transaction for the calling thread to commit, or to wait for.
    pub(crate) fn push(&self, ticket: Ticket) -> Result<Next, (Ticket, StoreError)> {
        let mut state = self.state.lock();
        if state.closed {
            return Err((ticket, StoreError::Closed));
        }
        if state.waiting.len() >= limits::WRITE_QUEUE_MAX {
            return Err((ticket, StoreError::Overloaded));
        }
        state.waiting.push_back(ticket);
        if state.led {
            return Ok(Next::Wait);
        }
        state.led = true;
        Ok(Next::Lead)
    }

    /// Gives the lead to the committer thread.
    pub(crate) fn hand_over(&self) {
        self.state.lock().handed_over = true;
        self.handover.notify_all();
    }

    /// Gives the lead to the committer thread if anything waits, else to nobody.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        if state.waiting.is_empty() {
            state.led = false;
        } else {
            state.handed_over = true;
        }
        self.handover.notify_all();
    }

    /// Takes the lead if nobody has it.
    pub(crate) fn try_lead(&self) -> bool {
        let mut state = self.state.lock();
        !std::mem::replace(&mut state.led, true)
    }

    /// Waits for the lead; `false` when the queue is closed and empty.
    pub(crate) fn wait_for_lead(&self) -> bool {
        let mut state = self.state.lock();
        loop {
            if std::mem::take(&mut state.handed_over) {
                return true;
            }
            if state.closed && !state.led {
                return false;
            }
            self.handover.wait(&mut state);
        }
    }

    /// Takes up to `count` transactions; steps down and returns `None` when there are none.
    pub(crate) fn take(&self, count: usize) -> Option<VecDeque<Ticket>> {
        let mut state = self.state.lock();
        if state.waiting.is_empty() {
            state.led = false;
            self.handover.notify_all();
            return None;
        }
        if state.waiting.len() <= count {
            return Some(std::mem::take(&mut state.waiting));
        }
        Some(state.waiting.drain(..count).collect())
    }

    /// Puts transactions that did not fit into a group back to the front.
    pub(crate) fn put_back(&self, mut tickets: VecDeque<Ticket>) {
        let mut state = self.state.lock();
        tickets.append(&mut state.waiting);
        state.waiting = tickets;
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Refuses new transactions from now on.
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
        self.handover.notify_all();
    }
}

/// Where a blocked writer finds its outcome.
#[derive(Debug)]
pub(crate) struct Outcome {
    slot: Arc<Slot>,
}

#[derive(Debug)]
struct Slot {
    result: Mutex<Option<Result<Position, StoreError>>>,
    waiter: Thread,
}

impl Slot {
    fn set(&self, result: Result<Position, StoreError>) {
        *self.result.lock() = Some(result);
        self.waiter.unpark();
    }
}

impl Outcome {
    /// An outcome and the callback that sets it and wakes the calling thread.
    pub(crate) fn new() -> (Self, TxDone) {
        let slot = Arc::new(Slot { result: Mutex::new(None), waiter: thread::current() });
        let set = Arc::clone(&slot);
        (Outcome { slot }, Box::new(move |result| set.set(result)))
    }

    pub(crate) fn wait(self) -> Result<Position, StoreError> {
        loop {
            if let Some(result) = self.slot.result.lock().take() {
                return result;
            }
            thread::park();
        }
    }
}
