//! A wrapper that makes any store fail, lose answers, dawdle, rerun or tear at the n-th operation.
//!
//! Counted from 0 are the operations that would be round trips to a database: taking a snapshot,
//! each read of a snapshot or inside a transaction, reading changes, and each transaction.

mod plan;
mod read;
mod tx;

use std::sync::Arc;

use cairn_base::{ContentHash, Position, TenantId};
use parking_lot::Mutex;

pub use self::plan::{FaultPlan, SeamFault};
use self::plan::{Faults, broken};
use self::read::FaultySnapshot;
use self::tx::FaultyTx;
use crate::{
    Aborted, BlobReader, ChangePage, Compaction, DerivedSeal, Health, LocalStore, Maintenance,
    MaintenanceReport, OnStage, References, ScrubPolicy, ScrubStatus, Snapshot, Store, StoreError,
    StoreStats, TxBody, TxDone, UpkeepReport, Upload, WriteClass,
};

/// A store that misbehaves as planned and is otherwise the store inside.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Arc<Faults>,
    maintain: Option<Box<MaintainFn>>,
    trouble: Mutex<Option<Trouble>>,
}

/// Why no transaction is taken, see [`FaultyStore::take_no_writes`].
type Trouble = fn() -> StoreError;

/// Maintenance played by a test, see [`FaultyStore::maintained_by`].
type MaintainFn = dyn Fn(&Maintenance, OnStage<'_>) -> Result<MaintenanceReport, StoreError> + Send + Sync;

impl FaultyStore {
    /// Wraps a store.
    pub fn new(inner: Arc<dyn Store>, plan: FaultPlan) -> Self {
        FaultyStore { inner, faults: Arc::new(Faults::new(plan)), maintain: None, trouble: Mutex::new(None) }
    }

    /// Maintenance does this from now on, whatever the store inside can do.
    #[must_use]
    pub fn maintained_by(
        self,
        maintain: impl Fn(&Maintenance, OnStage<'_>) -> Result<MaintenanceReport, StoreError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        FaultyStore { maintain: Some(Box::new(maintain)), ..self }
    }

    /// How many operations there have been.
    pub fn operations(&self) -> u64 {
        self.faults.operations()
    }

    /// From now on every transaction fails like this, as on a full disk; with `None` they are taken again.
    pub fn take_no_writes(&self, because: Option<fn() -> StoreError>) {
        *self.trouble.lock() = because;
    }

    /// Notes from now on what is done, and yields what was noted since the last call.
    ///
    /// A line says what work it was and how much: keyspaces and tenants, how many keys were asked for,
    /// how many were found and with how many bytes, and not which ones. What does the same work has the
    /// same lines.
    pub fn listen(&self) -> Vec<String> {
        self.faults.listen()
    }
}

/// How a transaction is going to be spoiled.
#[derive(Clone, Copy)]
enum Spoiling {
    No,
    LoseAnswer,
    Rerun,
    Tear(u64),
}

impl FaultyStore {
    /// Counts a transaction; fails it here and now, or says what else is planned.
    fn admit(&self, tenant: TenantId) -> Result<Spoiling, StoreError> {
        self.faults.tell(|| format!("a transaction of tenant {tenant}"));
        if let Some(because) = *self.trouble.lock() {
            return Err(because());
        }
        match self.faults.next() {
            None => Ok(Spoiling::No),
            Some(SeamFault::Fail) => Err(broken("queueing a transaction")),
            Some(SeamFault::LoseAnswer) => Ok(Spoiling::LoseAnswer),
            Some(SeamFault::Delay(time)) => {
                self.faults.delay(time);
                Ok(Spoiling::No)
            }
            Some(SeamFault::Rerun) => Ok(Spoiling::Rerun),
            Some(SeamFault::Tear { at }) => Ok(Spoiling::Tear(at)),
        }
    }
}

/// A closure that is run through a [`FaultyTx`], together with what went wrong in its last run.
struct Spoiled {
    body: Arc<Mutex<TxBody>>,
    faults: Arc<Faults>,
    doom: Arc<Mutex<Option<StoreError>>>,
}

impl Spoiled {
    fn new(body: TxBody, faults: &Arc<Faults>) -> Self {
        Spoiled {
            body: Arc::new(Mutex::new(body)),
            faults: Arc::clone(faults),
            doom: Arc::new(Mutex::new(None)),
        }
    }

    /// A closure for the store inside, torn at a change or kept from committing if so wished.
    fn body(&self, tear_at: Option<u64>, keep: bool) -> TxBody {
        let (body, faults, doom) = (Arc::clone(&self.body), Arc::clone(&self.faults), Arc::clone(&self.doom));
        Box::new(move |inner| {
            let mut tx = FaultyTx::new(inner, &faults, tear_at);
            let verdict = (*body.lock())(&mut tx);
            // A closure that gave up has a reason of its own, which says more than the fault.
            let overlooked = if verdict.is_ok() { tx.doom() } else { None };
            let commits = verdict.is_ok() && overlooked.is_none() && keep;
            *doom.lock() = overlooked;
            if commits { Ok(()) } else { Err(Aborted) }
        })
    }

    /// The answer to the caller: a fault the closure overlooked counts for more than "aborted".
    fn answer(
        doom: &Mutex<Option<StoreError>>,
        outcome: Result<Position, StoreError>,
    ) -> Result<Position, StoreError> {
        match (outcome, doom.lock().take()) {
            (Err(StoreError::Aborted), Some(fault)) => Err(fault),
            (outcome, _) => outcome,
        }
    }
}

/// Whether a closure whose first run ended like this is worth its second one.
fn runs_again(first: &Result<Position, StoreError>) -> bool {
    matches!(first, Ok(_) | Err(StoreError::Aborted))
}

fn lost() -> StoreError {
    StoreError::OutcomeUnknown { cause: "the answer was lost".into() }
}

impl Store for FaultyStore {
    fn snapshot(&self, at_least: Position) -> Result<Box<dyn Snapshot>, StoreError> {
        let inner = self.faults.around("taking a snapshot", || self.inner.snapshot(at_least))?;
        Ok(Box::new(FaultySnapshot::new(inner, Arc::clone(&self.faults))))
    }

    fn submit_as(&self, tenant: TenantId, class: WriteClass, body: TxBody, done: TxDone) {
        let spoiling = match self.admit(tenant) {
            Ok(spoiling) => spoiling,
            Err(error) => return done(Err(error)),
        };
        let spoiled = Spoiled::new(body, &self.faults);
        let doom = Arc::clone(&spoiled.doom);
        let answer: TxDone = Box::new(move |outcome| done(Spoiled::answer(&doom, outcome)));
        match spoiling {
            Spoiling::No => self.inner.submit_as(tenant, class, spoiled.body(None, true), answer),
            Spoiling::Tear(at) => self.inner.submit_as(tenant, class, spoiled.body(Some(at), true), answer),
            Spoiling::LoseAnswer => {
                self.inner.submit_as(
                    tenant,
                    class,
                    spoiled.body(None, true),
                    Box::new(move |_| answer(Err(lost()))),
                );
            }
            Spoiling::Rerun => {
                let (inner, again) = (Arc::clone(&self.inner), spoiled.body(None, true));
                let first: TxDone = Box::new(move |outcome| {
                    if runs_again(&outcome) {
                        inner.submit_as(tenant, class, again, answer)
                    } else {
                        answer(outcome)
                    }
                });
                self.inner.submit_as(tenant, class, spoiled.body(None, false), first);
            }
        }
    }

    fn write_as(&self, tenant: TenantId, class: WriteClass, body: TxBody) -> Result<Position, StoreError> {
        let spoiling = self.admit(tenant)?;
        let spoiled = Spoiled::new(body, &self.faults);
        let outcome = match spoiling {
            Spoiling::No => self.inner.write_as(tenant, class, spoiled.body(None, true)),
            Spoiling::Tear(at) => self.inner.write_as(tenant, class, spoiled.body(Some(at), true)),
            Spoiling::LoseAnswer => {
                // What the closure did may be there; nobody is told, not even of a failure.
                let _unheard = self.inner.write_as(tenant, class, spoiled.body(None, true));
                return Err(lost());
            }
            Spoiling::Rerun => {
                let first = self.inner.write_as(tenant, class, spoiled.body(None, false));
                if runs_again(&first) {
                    self.inner.write_as(tenant, class, spoiled.body(None, true))
                } else {
                    first
                }
            }
        };
        Spoiled::answer(&spoiled.doom, outcome)
    }

    fn upload(&self, tenant: TenantId) -> Result<Box<dyn Upload>, StoreError> {
        self.faults.around("starting an upload", || self.inner.upload(tenant))
    }

    fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        let opened = self.faults.around("opening a blob", || self.inner.open_blob(tenant, hash))?;
        self.faults.tell(|| {
            format!("a blob of tenant {tenant}: {:?} bytes", opened.as_ref().map(|blob| blob.len()))
        });
        Ok(opened)
    }

    fn changes(
        &self,
        after: Position,
        tenant: Option<TenantId>,
        limit: usize,
    ) -> Result<ChangePage, StoreError> {
        self.faults.around("reading changes", || self.inner.changes(after, tenant, limit))
    }

    fn position(&self) -> Position {
        self.inner.position()
    }

    fn health(&self) -> Health {
        self.inner.health()
    }

    fn stats(&self) -> StoreStats {
        self.inner.stats()
    }

    fn upkeep(&self) -> Result<UpkeepReport, StoreError> {
        self.inner.upkeep()
    }

    fn compact(
        &self,
        what: &Compaction,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        self.inner.compact(what, references, on_stage)
    }

    fn local(&self) -> Option<&dyn LocalStore> {
        // A test that plays maintenance needs no store that has some.
        if self.maintain.is_some() { Some(self) } else { self.inner.local() }
    }

    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}

impl LocalStore for FaultyStore {
    fn maintain(&self, job: &Maintenance, on_stage: OnStage<'_>) -> Result<MaintenanceReport, StoreError> {
        match &self.maintain {
            Some(maintain) => maintain(job, on_stage),
            None => self.inner.expect_local("maintenance")?.maintain(job, on_stage),
        }
    }

    fn set_scrub(&self, policy: Option<ScrubPolicy>) {
        if let Some(local) = self.inner.local() {
            local.set_scrub(policy);
        }
    }

    fn scrub_status(&self) -> ScrubStatus {
        self.inner.local().map(LocalStore::scrub_status).unwrap_or_default()
    }

    fn derived_seal(&self, name: &str) -> Option<Arc<dyn DerivedSeal>> {
        self.inner.local()?.derived_seal(name)
    }
}
