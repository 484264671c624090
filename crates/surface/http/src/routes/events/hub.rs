//! Follows a tenant for all of its streams: one listener, one reader, however many clients there are.
//!
//! It looks at most every [`limits::EVENT_STREAM_EVERY`], so that a commit costs one note in one queue.
//! It runs while there are streams.

use std::sync::{Arc, Weak};

use cairn_access::Principal;
use cairn_artifacts::tables::EVENT_KINDS;
use cairn_engine::{Place, Received, Subscription};
use cairn_gate::{Gate, GateError};
use cairn_seam::{EventKind, StoreCode};
use cairn_wire::events::ResetReason;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::sleep;

use super::timeline::{About, Item, Timeline};
use super::wire;
use crate::limits;

/// What the streams of a tenant share.
#[derive(Debug)]
pub(super) struct Hub {
    pub(super) timeline: Timeline,
    /// Changes whenever artifacts may have been published or deleted.
    pub(super) artifacts: watch::Sender<()>,
    woken: Arc<Notify>,
}

impl Hub {
    /// Begins to follow, as somebody who may. Must be called inside a runtime.
    pub(super) fn start(gate: &Gate, principal: &Principal) -> Result<Arc<Hub>, GateError> {
        let engine = gate.engine();
        let subscription = engine.subscribe(principal, principal.tenant())?;
        let woken = Arc::new(Notify::new());
        let wake = Arc::clone(&woken);
        subscription.set_waker(Box::new(move || wake.notify_one()));
        // After subscribing: what is committed in between is seen twice rather than never.
        let read_to = Place::after(engine.position());
        let hub = Arc::new(Hub {
            timeline: Timeline::new(read_to),
            artifacts: watch::channel(()).0,
            woken: Arc::clone(&woken),
        });
        let (gate, principal) = (gate.clone(), principal.clone());
        let follower = Follower { hub: Arc::downgrade(&hub), gate, principal, subscription, woken, read_to };
        tokio::spawn(follower.run());
        Ok(hub)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.woken.notify_one();
    }
}

struct Follower {
    hub: Weak<Hub>,
    gate: Gate,
    principal: Principal,
    subscription: Subscription,
    woken: Arc<Notify>,
    read_to: Place,
}

impl Follower {
    async fn run(mut self) {
        loop {
            self.woken.notified().await;
            if self.hub.strong_count() == 0 {
                return;
            }
            // Whatever is committed meanwhile is read in one go. A client that made a context is known to
            // work on it by then.
            sleep(limits::EVENT_STREAM_EVERY).await;
            let Some(hub) = self.hub.upgrade() else { return };
            if !self.catch_up(&hub).await {
                hub.timeline.end();
                hub.artifacts.send_replace(());
                return;
            }
        }
    }

    /// Passes on what happened; `false` when nothing more will.
    async fn catch_up(&mut self, hub: &Hub) -> bool {
        let (mut unread, mut has_artifacts) = (false, false);
        while let Some(received) = self.subscription.try_recv() {
            match received {
                Received::Notification(told) => {
                    unread |= Place::after(told.position) > self.read_to;
                    has_artifacts |= told.kinds.iter().any(is_of_artifacts);
                }
                Received::Session(event) => {
                    // What was committed before somebody went comes before that.
                    if std::mem::take(&mut unread) && !self.read(hub).await {
                        return false;
                    }
                    hub.timeline.push([wire::session(&event)], None);
                }
                Received::Lagged { missed_sessions, .. } => {
                    (unread, has_artifacts) = (true, true);
                    if missed_sessions > 0 {
                        let text = wire::reset(ResetReason::SessionsMissed, None);
                        hub.timeline.push([Item { place: None, about: About::Everyone, text }], None);
                    }
                }
                Received::Closed => return false,
            }
        }
        if has_artifacts {
            hub.artifacts.send_replace(());
        }
        !unread || self.read(hub).await
    }

    /// Reads history to its end.
    async fn read(&mut self, hub: &Hub) -> bool {
        loop {
            let (principal, after) = (self.principal.clone(), self.read_to);
            let (tell, told) = oneshot::channel();
            self.gate.run_long(
                move |engine| wire::page(engine, &principal, after, None),
                move |page| drop(tell.send(page)),
            );
            match told.await {
                Ok(Ok((items, next, at_end))) => {
                    self.read_to = next;
                    hub.timeline.push(items, Some(next));
                    if at_end {
                        return true;
                    }
                }
                Ok(Err(error)) if error.code() == StoreCode::PositionTooOld => {
                    self.read_to = Place::after(self.gate.engine().position());
                    hub.timeline.jump(self.read_to);
                    return true;
                }
                Ok(Err(error)) => {
                    // Streams end, and their clients come back for whatever they have not seen.
                    tracing::warn!(%error, "events could not be read");
                    return false;
                }
                Err(_lost) => return false,
            }
        }
    }
}

fn is_of_artifacts(kind: &EventKind) -> bool {
    EVENT_KINDS.iter().any(|(known, _)| known == kind)
}
