//! A connection's own end of its session.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::{ContextId, TenantId};
use parking_lot::Mutex;

use super::registry::{Latest, Session};
use super::{SessionEvent, SessionId, SessionNews};
use crate::pipeline::Shared;
use crate::{Engine, EngineError, limits};

impl Engine {
    /// A client connected. How many may is for its surface to say.
    pub fn open_session(&self, tenant: TenantId, peer: Option<String>) -> SessionHandle {
        let shared = Arc::clone(self.pipeline.shared());
        let session = shared.sessions.open(tenant, peer, shared.clock.now_ms());
        SessionHandle { shared, session, work: Mutex::default() }
    }
}

/// An open session. Dropping it closes it: there is no other way, so that none can be forgotten.
pub struct SessionHandle {
    shared: Arc<Shared>,
    session: Arc<Session>,
    /// Nobody else locks it, except for requests of the same connection.
    work: Mutex<Work>,
}

impl SessionHandle {
    /// Its number.
    pub fn id(&self) -> SessionId {
        self.session.id
    }

    /// The client says what it calls itself. The first time counts, and is announced.
    pub fn hello(&self, tag: &str) -> Result<(), EngineError> {
        if tag.len() > limits::CLIENT_TAG_BYTES_MAX {
            return Err(EngineError::ClientTag { bytes: tag.len() });
        }
        if self.session.tag.set(Arc::from(tag)).is_ok() {
            let contexts = self.work.lock().contexts();
            self.announce(SessionNews::Connected, contexts);
        }
        Ok(())
    }

    /// The client asked for something.
    pub fn touch(&self) {
        self.session.active_at_ms.store(self.shared.clock.now_ms(), Ordering::Relaxed);
    }

    /// What the client asked for was answered with an error.
    pub fn failed(&self) {
        self.shared.sessions.failed();
    }

    /// The client made a context or appended to it: it is live while the session is open.
    ///
    /// Called for every append; again for the same context it costs a lock that nobody contends.
    pub fn works_on(&self, context: ContextId) {
        let mut work = self.work.lock();
        if let Some((last, latest)) = &work.last
            && *last == context
        {
            latest.store(self.session.id.0, Ordering::Relaxed);
            return;
        }
        let latest = work.turn_to(context, || self.shared.sessions.enter(&self.session, context));
        latest.store(self.session.id.0, Ordering::Relaxed);
        work.last = Some((context, latest));
        if let Some(forgotten) = work.forget_oldest() {
            self.shared.sessions.leave(&self.session, forgotten);
        }
        self.session.contexts.store(work.known.len(), Ordering::Relaxed);
    }

    fn announce(&self, news: SessionNews, contexts: Vec<ContextId>) {
        let (tenant, session, tag) = (self.session.tenant, self.session.id, self.session.tag());
        self.shared.bus.publish_session(SessionEvent { tenant, session, tag, contexts, news });
    }
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        let contexts = self.work.get_mut().contexts();
        for context in &contexts {
            self.shared.sessions.leave(&self.session, *context);
        }
        self.shared.sessions.close(&self.session);
        // Last, so that whoever hears of it finds nothing live any more.
        if self.session.tag.get().is_some() {
            self.announce(SessionNews::Disconnected, contexts);
        }
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionHandle").field("id", &self.session.id).finish_non_exhaustive()
    }
}

/// The contexts a session worked on, the last [`limits::SESSION_CONTEXTS_MAX`] of them.
#[derive(Default)]
struct Work {
    /// The one it works on now: most clients know no other.
    last: Option<(ContextId, Latest)>,
    known: HashMap<ContextId, (u64, Latest)>,
    /// By when each was last turned to.
    order: BTreeMap<u64, ContextId>,
    /// How often it turned to one.
    count: u64,
}

impl Work {
    fn turn_to(&mut self, context: ContextId, enter: impl FnOnce() -> Latest) -> Latest {
        self.count += 1;
        let latest = match self.known.entry(context) {
            Entry::Occupied(mut known) => {
                let (at, latest) = known.get_mut();
                self.order.remove(at);
                *at = self.count;
                Arc::clone(latest)
            }
            Entry::Vacant(unknown) => Arc::clone(&unknown.insert((self.count, enter())).1),
        };
        self.order.insert(self.count, context);
        latest
    }

    /// Forgets the context that was not turned to for longest, if there are too many.
    fn forget_oldest(&mut self) -> Option<ContextId> {
        if self.known.len() <= limits::SESSION_CONTEXTS_MAX {
            return None;
        }
        let (_, oldest) = self.order.pop_first()?;
        self.known.remove(&oldest);
        Some(oldest)
    }

    /// All of them, by number.
    fn contexts(&self) -> Vec<ContextId> {
        let mut contexts: Vec<_> = self.known.keys().copied().collect();
        contexts.sort_unstable();
        contexts
    }
}
