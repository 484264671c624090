//! Putting a store right that was made of the remains of a damaged one.
//!
//! While the damaged store is read, [`Traces`] learns what it held. Then each memory says what it has
//! lost and how what is left is made whole again; the changes are written here, in bounded transactions.

mod blobs;
mod reader;
mod traces;

use std::collections::{BTreeMap, BTreeSet};

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Clock, KeyReader, Position, SpaceId, TenantId, prefix_end};
use cairn_seam::{
    Fix, Item, KeyRange, OnStage, Reader, Rebuilt, SalvagedStore, Stage, Store, StoreError, Visit, WriteTx,
};

pub use traces::Traces;

use self::reader::Renewing;
use crate::audit::{self, AuditLine, AuditOutcome};
use crate::{Act, EngineError, tables};

/// Bytes and changes of one transaction; well below what a commit may hold.
const FIX_BYTES: usize = 8 << 20;
const FIX_CHANGES: usize = 50_000;

const STAGE: &str = "rebuilding indexes and counters";

/// What was lost, and what was changed so that the rest is whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// What is lost, by tenant, kind and id.
    pub lost: Vec<Item>,
    /// What is there and refers to something that is lost.
    pub orphans: Vec<Item>,
    /// Heads of contexts that moved.
    pub moved: Vec<Item>,
    /// Records that were rebuilt.
    pub rebuilt_records: u64,
    /// What to look at, in words.
    pub warnings: Vec<String>,
}

impl SalvageReport {
    fn take(&mut self, rebuilt: Rebuilt) -> Vec<Fix> {
        let Rebuilt { fixes, lost, orphans, moved } = rebuilt;
        self.lost.extend(lost);
        self.orphans.extend(orphans);
        self.moved.extend(moved);
        self.rebuilt_records += fixes.len() as u64;
        fixes
    }
}

/// Rebuilds what follows from records that are left, and says what is lost.
///
/// `store` was made by a salvage that showed `traces` what it read. Nobody else uses it meanwhile.
pub fn rebuild_after_loss(
    store: &dyn Store,
    traces: &Traces,
    salvaged: &SalvagedStore,
    clock: &dyn Clock,
    on_stage: OnStage<'_>,
) -> Result<SalvageReport, EngineError> {
    let (reader, report) = (Renewing(store), SalvageReport::default());
    let now_ms = clock.now_ms();
    let mut work = Repair { store, reader, salvaged, report, on_stage, now_ms };
    if !salvaged.has_all_records() {
        let scopes = work.scopes(traces)?;
        work.node(&scopes, clock.now_ms())?;
        for (&tenant, spaces) in &scopes {
            work.tenant(tenant, spaces, traces)?;
        }
        work.report.warnings.push(
            "changes in lost bytes are lost too: what they deleted, revoked or disabled may be back; look at \
             `cairn access` before you let anybody in"
                .into(),
        );
    }
    if !salvaged.lost.is_empty() {
        let lost = blobs::lost(store, salvaged, work.on_stage)?;
        work.report.lost.extend(lost);
    }
    work.report.lost.extend(traces.named(&work.reader, salvaged)?);
    let SalvageReport { lost, orphans, moved, .. } = &mut work.report;
    for items in [lost, orphans, moved] {
        items.sort_by(|a, b| {
            (a.tenant, a.space, a.kind, number(&a.id), &a.id).cmp(&(
                b.tenant,
                b.space,
                b.kind,
                number(&b.id),
                &b.id,
            ))
        });
        items.dedup_by(|a, b| (a.tenant, a.space, a.kind, &a.id) == (b.tenant, b.space, b.kind, &b.id));
    }
    work.leave_a_line(clock.now_ms())?;
    Ok(work.report)
}

/// Ids that are numbers sort as such.
fn number(id: &str) -> u64 {
    id.rsplit(':').next().and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX)
}

/// Makes a store whole again, and notes what is lost.
pub struct Repair<'a> {
    store: &'a dyn Store,
    reader: Renewing<'a>,
    salvaged: &'a SalvagedStore,
    report: SalvageReport,
    on_stage: OnStage<'a>,
    now_ms: u64,
}

type Scopes = BTreeMap<TenantId, BTreeSet<SpaceId>>;

impl Repair<'_> {
    /// The records that are left; reads see what was written before them.
    pub fn reader(&self) -> &dyn Reader {
        &self.reader
    }

    /// How much of the damaged store was read.
    pub fn salvaged(&self) -> &SalvagedStore {
        self.salvaged
    }

    /// The time of records that are made now, in Unix milliseconds.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Notes what is lost, and writes what was rebuilt, in steps.
    pub fn apply(&mut self, tenant: TenantId, rebuilt: Rebuilt) -> Result<(), EngineError> {
        let fixes = self.report.take(rebuilt);
        self.write_fixes(tenant, fixes)
    }

    /// Carries out one transaction.
    pub fn write<T: Send + 'static>(
        &mut self,
        tenant: TenantId,
        body: impl FnMut(&mut dyn WriteTx) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (value, _) = cairn_seam::write(self.store, tenant, body)?;
        self.go_on()?;
        Ok(value)
    }

    /// Every tenant and space that anything belongs to.
    fn scopes(&mut self, traces: &Traces) -> Result<Scopes, EngineError> {
        let mut scopes: Scopes = traces.scopes.clone();
        for keyspace in &tables::keyspaces() {
            let mut low = std::ops::Bound::Unbounded;
            loop {
                let range = KeyRange::new(low, std::ops::Bound::Unbounded).limit(1);
                let mut next = None;
                cairn_seam::Reader::multi_scan(&self.reader, *keyspace, &[range], &mut |_, key, _| {
                    let mut parts = KeyReader::new(key);
                    if let (Ok(tenant), Ok(space)) = (parts.tenant(), parts.space()) {
                        scopes.entry(tenant).or_default().insert(space);
                        next = key.get(..8).and_then(prefix_end);
                    }
                    Visit::Stop
                })?;
                let Some(next) = next else { break };
                low = std::ops::Bound::Included(next);
            }
        }
        Ok(scopes)
    }

    fn node(&mut self, scopes: &Scopes, now_ms: u64) -> Result<(), EngineError> {
        let mut seen = BTreeMap::new();
        for &tenant in scopes.keys().filter(|tenant| **tenant != TenantId::NODE) {
            let scope = scope(tenant, SpaceId::NONE)?;
            seen.insert(tenant, cairn_access::salvage::keys_in(&self.reader, &scope)?);
        }
        let node = scope(TenantId::NODE, SpaceId::NONE)?;
        // The next opening makes new ones.
        for (keyspace, kind) in [(tables::NODE, "node record"), (tables::SECRET, "secret of event ids")] {
            if cairn_seam::get(&self.reader, keyspace, &node.key())?.is_none() {
                let (tenant, space, detail) = (TenantId::NODE, SpaceId::NONE, String::new());
                self.report.lost.push(Item { tenant, space, kind, id: "node".into(), detail });
            }
        }
        let rebuilt = cairn_access::salvage::rebuild_node(&self.reader, &node, &seen, now_ms)?;
        self.apply(TenantId::NODE, rebuilt)
    }

    fn tenant(
        &mut self,
        tenant: TenantId,
        spaces: &BTreeSet<SpaceId>,
        traces: &Traces,
    ) -> Result<(), EngineError> {
        if tenant == TenantId::NODE {
            return Ok(());
        }
        let whole = scope(tenant, SpaceId::NONE)?;
        let rebuilt = cairn_access::salvage::rebuild(&self.reader, &whole)?;
        self.apply(tenant, rebuilt)?;
        traces.memories.iter().try_for_each(|memory| memory.rebuild(self, tenant, spaces))
    }

    /// Writes changes in steps.
    fn write_fixes(&mut self, tenant: TenantId, fixes: Vec<Fix>) -> Result<(), EngineError> {
        let mut fixes = fixes.into_iter().peekable();
        while fixes.peek().is_some() {
            let (mut step, mut bytes) = (Vec::new(), 0);
            while step.len() < FIX_CHANGES
                && bytes < FIX_BYTES
                && let Some(fix) = fixes.next()
            {
                bytes += fix.bytes();
                step.push(fix);
            }
            self.write(tenant, move |tx| Ok(step.iter().try_for_each(|fix| fix.apply(tx))?))?;
        }
        Ok(())
    }

    fn leave_a_line(&mut self, now_ms: u64) -> Result<(), EngineError> {
        let act = Act::new(Action::Maintain, Resource::NODE).on("salvage");
        let line = AuditLine::new(now_ms, &Principal::local_owner(), &act, AuditOutcome::Done);
        cairn_seam::write(self.store, TenantId::NODE, move |tx| audit::append(tx, &line)).map(drop)
    }

    fn go_on(&mut self) -> Result<(), EngineError> {
        match (self.on_stage)(Stage { name: STAGE, done: 0, total: 0 }) {
            true => Ok(()),
            false => Err(StoreError::Stopped.into()),
        }
    }
}

/// Where the owner of a data directory works on it.
fn scope(tenant: TenantId, space: SpaceId) -> Result<Scope, EngineError> {
    crate::pipeline::own_scope(Action::AccessChange, Resource::space(tenant, space))
}

/// Reads see what was written before them.
fn now(store: &dyn Store) -> Result<Box<dyn cairn_seam::Snapshot>, StoreError> {
    store.snapshot(Position::START)
}
