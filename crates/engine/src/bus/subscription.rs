//! A listener's end of the bus.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cairn_base::TenantId;
use parking_lot::{Condvar, Mutex};

use super::Notification;
use crate::{SessionEvent, limits};

/// What a listener gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// Something was committed.
    Notification(Notification),
    /// A client said hello, or went. In no feed.
    Session(Arc<SessionEvent>),
    /// The listener fell behind and this many notifications were dropped: read on from the feed.
    Lagged {
        /// How many.
        missed: u64,
        /// How many events of sessions, which no feed has: look who is there.
        missed_sessions: u64,
    },
    /// The engine closes; nothing follows.
    Closed,
}

/// A bounded queue of notifications. Dropping it ends the subscription.
pub struct Subscription {
    queue: Arc<Queue>,
}

impl Subscription {
    pub(super) fn new(queue: Arc<Queue>) -> Self {
        Subscription { queue }
    }

    /// What is there now, if anything.
    pub fn try_recv(&self) -> Option<Received> {
        self.queue.state.lock().next()
    }

    /// Waits for the next thing; `None` when none came in time.
    pub fn recv_timeout(&self, timeout: Duration) -> Option<Received> {
        let deadline = Instant::now().checked_add(timeout);
        let mut state = self.queue.state.lock();
        loop {
            if let Some(received) = state.next() {
                return Some(received);
            }
            match deadline {
                Some(deadline) if self.queue.arrived.wait_until(&mut state, deadline).timed_out() => {
                    return state.next();
                }
                Some(_) => {}
                None => self.queue.arrived.wait(&mut state),
            }
        }
    }

    /// Has `waker` called whenever something arrived, so that nobody needs a thread to wait.
    ///
    /// Called from a thread of the store, also once right away if something is there already: it must
    /// neither block nor panic. Replaces the one before.
    pub fn set_waker(&self, waker: Box<dyn Fn() + Send + Sync>) {
        let waker: Arc<dyn Fn() + Send + Sync> = waker.into();
        let mut state = self.queue.state.lock();
        state.waker = Some(Arc::clone(&waker));
        let wake_now = state.has_next();
        drop(state);
        if wake_now {
            waker();
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("tenant", &self.queue.tenant).finish_non_exhaustive()
    }
}

pub(super) struct Queue {
    tenant: Option<TenantId>,
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Received>,
    missed: u64,
    missed_sessions: u64,
    closed: bool,
    waker: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Queue {
    pub(super) fn new(tenant: Option<TenantId>) -> Self {
        Queue { tenant, state: Mutex::default(), arrived: Condvar::new() }
    }

    /// Adds news of a tenant; says whether the listener thereby fell behind.
    pub(super) fn push(&self, tenant: TenantId, news: &Received) -> bool {
        if self.tenant.is_some_and(|wanted| wanted != tenant) {
            return false;
        }
        self.change(|state| {
            let full = state.waiting.len() >= limits::EVENT_BUS_QUEUE_MAX;
            if full {
                state.make_room();
            }
            let is_session = matches!(news, Received::Session(_));
            if is_session || (!full && state.missed == 0) {
                state.waiting.push_back(news.clone());
            } else {
                // No commit after a gap until the listener has heard of the gap.
                state.missed += 1;
            }
            full
        })
    }

    pub(super) fn close(&self) {
        self.change(|state| state.closed = true);
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        let result = change(&mut state);
        let waker = state.waker.clone();
        drop(state);
        self.arrived.notify_all();
        if let Some(waker) = waker {
            waker();
        }
        result
    }
}

impl State {
    fn next(&mut self) -> Option<Received> {
        if self.has_missed() {
            let (missed, missed_sessions) = (self.missed, self.missed_sessions);
            (self.missed, self.missed_sessions) = (0, 0);
            return Some(Received::Lagged { missed, missed_sessions });
        }
        self.waiting.pop_front().or_else(|| self.closed.then_some(Received::Closed))
    }

    /// Drops commits: the feed has all of them, so that it costs one page and not an answer. Only when
    /// there is nothing but sessions, those go too.
    fn make_room(&mut self) {
        let before = self.waiting.len();
        self.waiting.retain(|news| matches!(news, Received::Session(_)));
        self.missed += (before - self.waiting.len()) as u64;
        if self.waiting.len() >= limits::EVENT_BUS_QUEUE_MAX {
            self.missed_sessions += self.waiting.len() as u64;
            self.waiting.clear();
        }
    }

    fn has_missed(&self) -> bool {
        self.missed > 0 || self.missed_sessions > 0
    }

    fn has_next(&self) -> bool {
        self.has_missed() || !self.waiting.is_empty() || self.closed
    }
}
