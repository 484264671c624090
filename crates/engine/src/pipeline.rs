//! The beats that every operation takes: authorize → transact → audit → notify.

mod attempt;
mod changes;
mod each;
mod prepared;
mod tracked;
mod under;
mod undertake;

use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, OwnedSharing, Permit, Principal, Refusal, Resource, Scope, Target, authorize};
use cairn_base::{Clock, Position, TenantId};
use cairn_seam::{EventKind, Snapshot, Store, WriteClass, WriteTx};

use crate::EngineError;
use crate::audit::{self, AuditLine, AuditOutcome, Refusals};
use crate::bus::{Bus, Notification};
use crate::memories::Memories;
use crate::metrics::{Metrics, Outcome};
use crate::search::Searching;
use crate::sessions::Registry;

use changes::{Changes, Trackers};
pub(crate) use each::Each;
pub use prepared::{Prepared, WriteOutcome};
use tracked::Tracked;
pub(crate) use undertake::WithoutLine;

/// What is to be done, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    action: Action,
    resource: Resource,
    subject: String,
    class: WriteClass,
    /// With whom the resource is shared, where that decides.
    sharing: Option<Arc<OwnedSharing>>,
}

impl Act {
    /// An action on a resource.
    pub fn new(action: Action, resource: Resource) -> Self {
        Act { action, resource, subject: String::new(), class: action.row().class, sharing: None }
    }

    /// An act that only deletes: it may use the reserve of a full disk.
    #[must_use]
    pub fn deleting(self) -> Self {
        Act { class: WriteClass::Reserve, ..self }
    }

    /// An act that only takes access away: it may use all of the reserve of a full disk.
    #[must_use]
    pub fn revoking(self) -> Self {
        Act { class: WriteClass::Vital, ..self }
    }

    /// An act on a record that is shared by itself.
    #[must_use]
    pub fn shared(self, sharing: OwnedSharing) -> Self {
        Act { sharing: Some(Arc::new(sharing)), ..self }
    }

    /// Names the thing acted on, for the audit line; long names are cut there.
    #[must_use]
    pub fn on(self, subject: impl Into<String>) -> Self {
        Act { subject: subject.into(), ..self }
    }

    /// What is to be done.
    pub fn action(&self) -> Action {
        self.action
    }

    /// On what.
    pub fn resource(&self) -> Resource {
        self.resource
    }

    fn decide(&self, principal: &Principal) -> Result<Permit, Refusal> {
        let Some(sharing) = &self.sharing else { return authorize(principal, self.action, self.resource) };
        authorize(principal, self.action, Target::artifact(self.resource, &sharing.as_sharing()))
    }

    /// The name of the thing acted on; empty if there is none.
    pub fn subject(&self) -> &str {
        &self.subject
    }
}

/// The result of a durable transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed<T> {
    /// What the closure returned.
    pub value: T,
    /// Where in the history it is; reading at least here sees it.
    pub position: Position,
}

/// What outlives a single call: callbacks of queued transactions hold it.
pub(crate) struct Shared {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
    pub(crate) bus: Bus,
    pub(crate) sessions: Registry,
    pub(crate) searching: Arc<Searching>,
    /// Memories that hear of changes.
    trackers: Arc<Trackers>,
    refusals: Refusals,
    /// Clients that were let in without credentials.
    entries: Refusals,
}

#[derive(Clone)]
pub(crate) struct Pipeline {
    store: Arc<dyn Store>,
    shared: Arc<Shared>,
}

/// Where whoever owns the data directory works on it when no engine does: the store is being made.
pub(crate) fn own_scope(action: Action, resource: Resource) -> Result<Scope, EngineError> {
    let permit = authorize(&Principal::local_owner(), action, resource);
    Ok(permit.map_err(EngineError::from)?.scope())
}

/// An authorized operation under way.
struct Running {
    shared: Arc<Shared>,
    permit: Permit,
    started: Duration,
}

impl Pipeline {
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, memories: &Memories) -> Self {
        let shared = Shared {
            clock,
            metrics: Metrics::default(),
            bus: Bus::default(),
            sessions: Registry::default(),
            searching: Arc::new(Searching::new()),
            trackers: Arc::new(Trackers::of(memories)),
            refusals: Refusals::default(),
            entries: Refusals::default(),
        };
        Pipeline { store, shared: Arc::new(shared) }
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    pub(crate) fn transact<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: &Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<Committed<T>, EngineError> {
        let running = self.begin(principal, act)?;
        let changes = Changes::new(&self.shared.trackers);
        let body = running.transaction(principal, act, changes.clone(), body);
        let outcome = cairn_seam::write_as(&*self.store, running.permit.scope().tenant(), act.class, body);
        running.committed(&changes, outcome)
    }

    pub(crate) fn submit<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: &Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
        done: impl FnOnce(Result<Committed<T>, EngineError>) + Send + 'static,
    ) {
        let running = match self.begin(principal, act) {
            Ok(running) => running,
            Err(refused) => return done(Err(refused)),
        };
        let changes = Changes::new(&self.shared.trackers);
        let body = running.transaction(principal, act, changes.clone(), body);
        let tenant = running.permit.scope().tenant();
        cairn_seam::submit_as(&*self.store, tenant, act.class, body, move |outcome| {
            done(running.committed(&changes, outcome));
        });
    }

    pub(crate) fn read<T>(
        &self,
        principal: &Principal,
        act: &Act,
        at_least: Position,
        body: impl FnOnce(&dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let running = self.begin(principal, act)?;
        let read = || body(&*self.store.snapshot(at_least)?, &running.permit.scope());
        let result = read();
        running.count(result.is_ok());
        result
    }

    /// Does work that is no transaction and leaves no audit line; what leaves some is
    /// [`undertaken`](Pipeline::undertake).
    pub(crate) fn work<T>(
        &self,
        principal: &Principal,
        act: &Act,
        body: impl FnOnce(&dyn Store) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        debug_assert!(!act.action.is_audited(), "{} has to leave its lines", act.action.name());
        let running = self.begin(principal, act)?;
        let result = body(&*self.store);
        running.count(result.is_ok());
        result
    }

    /// The only call of `authorize` that something is done by. A refusal is counted and leaves its line.
    pub(crate) fn permit(&self, principal: &Principal, act: &Act) -> Result<Permit, EngineError> {
        act.decide(principal).map_err(|refusal| self.refuse(principal, act, refusal))
    }

    /// Whether somebody may do something, for whoever only wants to know: nothing is done by it.
    pub(crate) fn may(&self, principal: &Principal, act: &Act) -> bool {
        act.decide(principal).is_ok()
    }

    /// Counts a refusal and leaves its audit line.
    pub(crate) fn refuse(&self, principal: &Principal, act: &Act, refusal: Refusal) -> EngineError {
        self.shared.metrics.count(act.action, Outcome::Refused);
        let now = self.shared.clock.monotonic();
        if let Some(unrecorded) = self.shared.refusals.admit(principal.tenant(), now) {
            let outcome = AuditOutcome::Refused { reason: refusal.reason, unrecorded };
            let line = AuditLine::new(self.shared.clock.now_ms(), principal, act, outcome);
            self.record(principal.tenant(), line);
        } else {
            self.shared.metrics.refusals_unrecorded.add(1);
        }
        EngineError::Refused(refusal)
    }

    fn begin(&self, principal: &Principal, act: &Act) -> Result<Running, EngineError> {
        let started = self.shared.clock.monotonic();
        let permit = self.permit(principal, act)?;
        Ok(Running { shared: Arc::clone(&self.shared), permit, started })
    }

    /// Leaves a line about a client that was let in without credentials, at most as many as refusals may. The
    /// next one says how many left none.
    pub(crate) fn note_entry(&self, principal: &Principal, act: &Act) {
        let now = self.shared.clock.monotonic();
        let Some(unrecorded) = self.shared.entries.admit(principal.tenant(), now) else { return };
        let act = match unrecorded {
            0 => act.clone(),
            others => act.clone().on(format!("{}, and {others} others since the last line", act.subject)),
        };
        let line = AuditLine::new(self.shared.clock.now_ms(), principal, &act, AuditOutcome::Done);
        self.record(principal.tenant(), line);
    }

    /// Queued and not waited for: whoever is refused, or comes in, shall not make us wait for the disk.
    fn record(&self, tenant: TenantId, line: AuditLine) {
        let shared = Arc::clone(&self.shared);
        cairn_seam::submit(
            &*self.store,
            tenant,
            move |tx| audit::append(tx, &line),
            move |outcome: Result<_, EngineError>| {
                if let Err(error) = outcome {
                    shared.metrics.refusals_unrecorded.add(1);
                    tracing::warn!(%error, "a refusal or an entry left no audit line");
                }
            },
        );
    }
}

impl Shared {
    /// Tells whoever listens what a transaction emitted.
    fn announce(&self, tenant: TenantId, position: Position, kinds: Vec<EventKind>) {
        let has_events = !kinds.is_empty();
        if has_events {
            self.bus.publish(Notification { position, tenant, kinds: kinds.into() });
        }
        self.searching.announce(position, has_events);
    }
}

impl Running {
    /// Wraps the operation's closure so that its audit line commits with it.
    fn transaction<T, B>(
        &self,
        principal: &Principal,
        act: &Act,
        changes: Changes,
        body: B,
    ) -> impl FnMut(&mut dyn WriteTx) -> Result<(T, Vec<EventKind>), EngineError> + Send + 'static + use<T, B>
    where
        B: FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    {
        let audited = self.permit.action().is_audited();
        let now_ms = self.shared.clock.now_ms();
        let line = audited.then(|| AuditLine::new(now_ms, principal, act, AuditOutcome::Done));
        tracked(self.permit.scope(), line, changes, body)
    }

    fn committed<T>(
        self,
        changes: &Changes,
        outcome: Result<((T, Vec<EventKind>), Position), EngineError>,
    ) -> Result<Committed<T>, EngineError> {
        let tenant = self.permit.scope().tenant();
        changes.settle(tenant, &outcome);
        self.count(outcome.is_ok());
        let ((value, kinds), position) = outcome?;
        self.shared.announce(tenant, position, kinds);
        Ok(Committed { value, position })
    }

    fn count(&self, ok: bool) {
        let action = self.permit.action();
        let took = self.shared.clock.monotonic().saturating_sub(self.started);
        self.shared.metrics.count(action, if ok { Outcome::Done } else { Outcome::Failed });
        self.shared.metrics.time(action, took);
    }
}

/// A closure that notes what it emits and changes, and adds its line to what it does.
fn tracked<T, B>(
    scope: Scope,
    line: Option<AuditLine>,
    changes: Changes,
    mut body: B,
) -> impl FnMut(&mut dyn WriteTx) -> Result<(T, Vec<EventKind>), EngineError> + Send + 'static + use<T, B>
where
    B: FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
{
    move |tx| {
        let mut tx = Tracked::new(tx, &changes);
        let value = body(&mut tx, &scope)?;
        if let Some(line) = &line {
            audit::append(&mut tx, line)?;
        }
        Ok((value, tx.into_kinds()))
    }
}
