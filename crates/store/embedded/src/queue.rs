//! Transactions that wait, and who commits them.
//!
//! Whoever has the lead makes the next group. A caller that finds nobody leading leads itself, on its
//! own thread: one writer alone never waits for another thread. Once a group is made the lead goes on,
//! to a committer thread if anything waits by then, while the group is being written.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

use cairn_base::{Position, TenantId};
use cairn_seam::{StoreError, TxBody, TxDone, WriteClass};
use parking_lot::{Condvar, Mutex};

use crate::limits;

/// How many threads are woken by whoever wrote the group.
const ROOTS: usize = 2;

/// A transaction in the queue.
pub(crate) struct Ticket {
    pub(crate) tenant: TenantId,
    pub(crate) class: WriteClass,
    pub(crate) body: TxBody,
    pub(crate) answer: Answer,
}

/// Tells a writer its outcome in any case: one that is dropped says that the outcome is unknown.
pub(crate) struct Answer(Option<To>);

/// Who wants to know.
enum To {
    /// Whoever gave this callback.
    Callback(TxDone),
    /// A thread that waits.
    Waiter(Arc<Slot>),
}

impl Answer {
    pub(crate) fn callback(done: TxDone) -> Self {
        Answer(Some(To::Callback(done)))
    }

    pub(crate) fn give(mut self, outcome: Result<Position, StoreError>) {
        self.tell(outcome);
    }

    fn tell(&mut self, outcome: Result<Position, StoreError>) {
        match self.0.take() {
            // Somebody else's callback must not end the committer.
            Some(To::Callback(done)) => drop(catch_unwind(AssertUnwindSafe(|| done(outcome)))),
            Some(To::Waiter(slot)) => {
                slot.told.lock().outcome = Some(outcome);
                slot.thread.unpark();
            }
            None => {}
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.tell(Err(StoreError::OutcomeUnknown { cause: "the committer gave up".into() }));
    }
}

/// Tells everybody of a group.
///
/// Waking a thread is a call into the system of several microseconds, and one thread would make dozens
/// of them. So it wakes two threads, and each of those wakes two more.
pub(crate) fn answer_all(outcomes: Vec<(Answer, Result<Position, StoreError>)>) {
    let mut waiters = Vec::with_capacity(outcomes.len());
    for (mut answer, outcome) in outcomes {
        match answer.0.take() {
            Some(To::Waiter(slot)) => waiters.push((slot, Some(outcome))),
            to => Answer(to).give(outcome),
        }
    }
    // From the last to the first: whoever finds an outcome finds those to wake with it, and theirs are
    // set already.
    for at in (0..waiters.len()).rev() {
        let children = (ROOTS + 2 * at..ROOTS + 2 * at + 2).filter_map(|child| waiters.get(child));
        let to_wake = children.map(|(slot, _)| Arc::clone(slot)).collect();
        let (slot, outcome) = &mut waiters[at];
        *slot.told.lock() = Told { outcome: outcome.take(), to_wake };
    }
    waiters.iter().take(ROOTS).for_each(|(slot, _)| slot.thread.unpark());
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Ticket>,
    /// Somebody leads, or a committer thread was told to.
    led: bool,
    /// A committer thread is to take over.
    handed_over: bool,
    closed: bool,
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    handover: Condvar,
    /// How many wait, for a look without the lock.
    len: AtomicUsize,
}

/// What to do after a transaction was queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Lead: nobody else does.
    Lead,
    /// Wait: whoever leads takes it.
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
        self.len.store(state.waiting.len(), Ordering::Relaxed);
        if state.led {
            return Ok(Next::Wait);
        }
        state.led = true;
        Ok(Next::Lead)
    }

    /// Gives the lead to a committer thread.
    pub(crate) fn hand_over(&self) {
        self.state.lock().handed_over = true;
        self.handover.notify_one();
    }

    /// Gives the lead to a committer thread if there are any and something waits, else to nobody.
    pub(crate) fn release(&self, threads: bool) {
        let mut state = self.state.lock();
        if threads && !state.waiting.is_empty() {
            state.handed_over = true;
            self.handover.notify_one();
        } else {
            state.led = false;
            if state.closed {
                self.handover.notify_all();
            }
        }
    }

    /// Takes the lead if nobody has it and something waits.
    pub(crate) fn lead_if_waiting(&self) -> bool {
        let mut state = self.state.lock();
        let leads = !state.led && !state.waiting.is_empty();
        state.led |= leads;
        leads
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

    /// The highest class of those that wait; ordinary when nobody does.
    pub(crate) fn class(&self) -> WriteClass {
        self.state.lock().waiting.iter().map(|ticket| ticket.class).max().unwrap_or_default()
    }

    /// Takes up to `count` transactions.
    pub(crate) fn take(&self, count: usize) -> VecDeque<Ticket> {
        let mut state = self.state.lock();
        let count = count.min(state.waiting.len());
        let rest = state.waiting.split_off(count);
        let taken = std::mem::replace(&mut state.waiting, rest);
        self.len.store(state.waiting.len(), Ordering::Relaxed);
        taken
    }

    /// Puts transactions that did not fit into a group back to the front.
    pub(crate) fn put_back(&self, mut tickets: VecDeque<Ticket>) {
        let mut state = self.state.lock();
        tickets.append(&mut state.waiting);
        state.waiting = tickets;
        self.len.store(state.waiting.len(), Ordering::Relaxed);
    }

    pub(crate) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
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
    told: Mutex<Told>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Told {
    outcome: Option<Result<Position, StoreError>>,
    /// Others of the same group that this thread wakes on its way.
    to_wake: Vec<Arc<Slot>>,
}

impl Outcome {
    /// An outcome and the answer that sets it and wakes the calling thread.
    pub(crate) fn new() -> (Self, Answer) {
        let slot = Arc::new(Slot { told: Mutex::default(), thread: thread::current() });
        let answer = Answer(Some(To::Waiter(Arc::clone(&slot))));
        (Outcome { slot }, answer)
    }

    pub(crate) fn wait(self) -> Result<Position, StoreError> {
        loop {
            let mut told = self.slot.told.lock();
            if let Some(outcome) = told.outcome.take() {
                let to_wake = std::mem::take(&mut told.to_wake);
                drop(told);
                to_wake.iter().for_each(|waiter| waiter.thread.unpark());
                return outcome;
            }
            drop(told);
            thread::park();
        }
    }
}
