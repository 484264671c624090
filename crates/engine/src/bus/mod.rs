//! The event bus: tells live listeners, after a commit, that there is something to read; and who comes
//! and goes, which is written down nowhere.
//!
//! A notification is a hint and the change feed is the truth: listeners of concurrent commits may
//! hear of them in another order. A listener that does not keep up never holds up a commit: its full
//! queue is dropped, it is told [`Received::Lagged`] and reads on from the feed.

mod subscription;

use std::sync::{Arc, Weak};

use cairn_access::{Action, Principal, Resource};
use cairn_base::{Position, TenantId};
use cairn_seam::EventKind;
use parking_lot::Mutex;
use serde::Serialize;

use crate::metrics::{Counter, MetricKind, PrometheusText};
use crate::{Act, Engine, EngineError, SessionEvent, limits};
use subscription::Queue;
pub use subscription::{Received, Subscription};

/// A transaction with events became durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Where in the history.
    pub position: Position,
    /// Whose.
    pub tenant: TenantId,
    /// What kinds of events it emitted, each once, in the order of their first appearance.
    pub kinds: Arc<[EventKind]>,
}

/// Figures of the bus. Counters count since opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BusStats {
    /// Listeners now.
    pub listeners: usize,
    /// Transactions announced.
    pub published: u64,
    /// Times a listener fell behind and lost its queue.
    pub lagged: u64,
}

#[derive(Default)]
pub(crate) struct Bus {
    listeners: Mutex<Listeners>,
    published: Counter,
    lagged: Counter,
}

#[derive(Default)]
struct Listeners {
    queues: Vec<Weak<Queue>>,
    closed: bool,
}

impl Bus {
    pub(crate) fn publish(&self, notification: Notification) {
        self.published.add(1);
        self.tell(notification.tenant, &Received::Notification(notification));
    }

    /// Tells of somebody who came or went.
    pub(crate) fn publish_session(&self, event: SessionEvent) {
        self.tell(event.tenant, &Received::Session(Arc::new(event)));
    }

    fn tell(&self, tenant: TenantId, news: &Received) {
        for queue in self.live() {
            if queue.push(tenant, news) {
                self.lagged.add(1);
            }
        }
    }

    /// Dismisses everyone; whoever comes later is dismissed at once.
    pub(crate) fn close(&self) {
        self.listeners.lock().closed = true;
        for queue in self.live() {
            queue.close();
        }
    }

    pub(crate) fn stats(&self) -> BusStats {
        BusStats { listeners: self.live().len(), published: self.published.get(), lagged: self.lagged.get() }
    }

    pub(crate) fn write_metrics(&self, text: &mut PrometheusText) {
        let stats = self.stats();
        text.family("cairn_bus_listeners", MetricKind::Gauge, "Live listeners.")
            .integer(&[], stats.listeners as u64);
        text.family("cairn_bus_published_total", MetricKind::Counter, "Transactions announced to listeners.")
            .integer(&[], stats.published);
        text.family(
            "cairn_bus_lagged_total",
            MetricKind::Counter,
            "Times a listener fell behind and lost its queue.",
        )
        .integer(&[], stats.lagged);
    }

    fn subscribe(&self, tenant: Option<TenantId>) -> Result<Subscription, EngineError> {
        let mut listeners = self.listeners.lock();
        listeners.queues.retain(|queue| queue.strong_count() > 0);
        if listeners.queues.len() >= limits::EVENT_BUS_SUBSCRIBERS_MAX {
            return Err(EngineError::ListenersFull);
        }
        let queue = Arc::new(Queue::new(tenant));
        if listeners.closed {
            queue.close();
        }
        listeners.queues.push(Arc::downgrade(&queue));
        Ok(Subscription::new(queue))
    }

    /// Collected first, so that no waker runs under our lock.
    fn live(&self) -> Vec<Arc<Queue>> {
        self.listeners.lock().queues.iter().filter_map(Weak::upgrade).collect()
    }
}

impl Engine {
    /// Listens to a tenant's commits, or with [`TenantId::NODE`] to everyone's.
    pub fn subscribe(&self, principal: &Principal, tenant: TenantId) -> Result<Subscription, EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::FeedRead, Resource::tenant(tenant)))?;
        self.pipeline.shared().bus.subscribe((tenant != TenantId::NODE).then_some(tenant))
    }
}
