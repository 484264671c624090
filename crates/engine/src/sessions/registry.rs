//! Every open session, and every context that one of them works on.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cairn_base::{ContextId, TenantId};
use parking_lot::Mutex;

use super::SessionId;

/// What others may know of a session.
pub(super) struct Session {
    pub(super) id: SessionId,
    pub(super) tenant: TenantId,
    pub(super) peer: Option<String>,
    pub(super) connected_at_ms: u64,
    pub(super) active_at_ms: AtomicU64,
    /// Set by the first hello.
    pub(super) tag: OnceLock<Arc<str>>,
    /// How many contexts are remembered of it.
    pub(super) contexts: AtomicUsize,
}

impl Session {
    pub(super) fn tag(&self) -> Arc<str> {
        self.tag.get().map_or_else(|| Arc::from(""), Arc::clone)
    }
}

/// The session of its tenant that last worked on a context. Shared with those that do, so that they need no lock.
pub(super) type Latest = Arc<AtomicU64>;

/// A live context.
struct WorkedOn {
    latest: Latest,
    /// Who works on it, in the order in which they began.
    sessions: Vec<SessionId>,
}

/// Sessions are known by tenant and number, and by nothing less.
#[derive(Default)]
struct Open {
    /// The last number that each tenant was given.
    last: HashMap<TenantId, SessionId>,
    sessions: BTreeMap<(TenantId, SessionId), Arc<Session>>,
}

impl Open {
    /// A number that the tenant has not had.
    fn next(&mut self, tenant: TenantId) -> SessionId {
        let last = self.last.entry(tenant).or_insert(SessionId(0));
        last.0 += 1;
        *last
    }
}

/// See the module. Locks are held for one look-up each.
#[derive(Default)]
pub(crate) struct Registry {
    errors: AtomicU64,
    open: Mutex<Open>,
    worked_on: Mutex<HashMap<(TenantId, ContextId), WorkedOn>>,
}

impl Registry {
    pub(super) fn open(&self, tenant: TenantId, peer: Option<String>, now_ms: u64) -> Arc<Session> {
        let mut open = self.open.lock();
        let session = Arc::new(Session {
            id: open.next(tenant),
            tenant,
            peer,
            connected_at_ms: now_ms,
            active_at_ms: AtomicU64::new(now_ms),
            tag: OnceLock::new(),
            contexts: AtomicUsize::new(0),
        });
        open.sessions.insert((tenant, session.id), Arc::clone(&session));
        session
    }

    pub(super) fn close(&self, session: &Session) {
        self.open.lock().sessions.remove(&(session.tenant, session.id));
    }

    /// A request of some session was answered with an error.
    pub(super) fn failed(&self) {
        self.errors.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were.
    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// The session works on a context from now on.
    pub(super) fn enter(&self, session: &Session, context: ContextId) -> Latest {
        let mut worked_on = self.worked_on.lock();
        let live = worked_on
            .entry((session.tenant, context))
            .or_insert_with(|| WorkedOn { latest: Latest::default(), sessions: Vec::new() });
        live.sessions.push(session.id);
        live.latest.store(session.id.0, Ordering::Relaxed);
        Arc::clone(&live.latest)
    }

    /// It no longer does.
    pub(super) fn leave(&self, session: &Session, context: ContextId) {
        let mut worked_on = self.worked_on.lock();
        let Entry::Occupied(mut live) = worked_on.entry((session.tenant, context)) else { return };
        live.get_mut().sessions.retain(|id| *id != session.id);
        match live.get().sessions.last() {
            None => drop(live.remove()),
            Some(next) => {
                // Unless somebody else was the latest, who stays.
                let latest = &live.get().latest;
                let _ = latest.compare_exchange(session.id.0, next.0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    /// Every open session of a tenant, in the order in which they came.
    pub(super) fn sessions(&self, tenant: TenantId) -> Vec<Arc<Session>> {
        let all = (tenant, SessionId(0))..=(tenant, SessionId(u64::MAX));
        self.open.lock().sessions.range(all).map(|(_, session)| Arc::clone(session)).collect()
    }

    /// The session that last worked on a context, of those that still may.
    pub(super) fn live(&self, tenant: TenantId, context: ContextId) -> Option<Arc<Session>> {
        let latest = self.worked_on.lock().get(&(tenant, context))?.latest.load(Ordering::Relaxed);
        self.open.lock().sessions.get(&(tenant, SessionId(latest))).cloned()
    }

    /// Contexts of a tenant on which a client of this tag worked last, of those that still may.
    pub(super) fn tagged(&self, tenant: TenantId, tag: &str) -> Vec<ContextId> {
        // An empty tag is none.
        let named =
            |session: &Arc<Session>| (!tag.is_empty() && *session.tag() == *tag).then_some(session.id.0);
        let named: HashSet<u64> = self.sessions(tenant).iter().filter_map(named).collect();
        if named.is_empty() {
            return Vec::new();
        }
        let worked_on = self.worked_on.lock();
        let own = worked_on.iter().filter(|((of, _), _)| *of == tenant);
        let latest = own.filter(|(_, live)| named.contains(&live.latest.load(Ordering::Relaxed)));
        latest.map(|((_, context), _)| *context).collect()
    }
}
