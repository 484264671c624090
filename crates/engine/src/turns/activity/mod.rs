//! Contexts by their last activity.
//!
//! The order is kept in memory: an append costs no key of its own. It is built from the stored contexts of a
//! tenant when somebody first asks for it after the store was opened, and kept up by every commit from then
//! on. It holds the [`limits::ACTIVITY_CONTEXTS_MAX`] most recently active contexts of each of
//! [`limits::ACTIVITY_TENANTS_MAX`] tenants; one that was not asked for longest is dropped, and rebuilt when it
//! is asked for again.

mod cursor;
mod order;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cairn_access::{Action, Permit, Principal, Resource};
use cairn_base::{ContextId, Position, TenantId};
use cairn_turns::query::{Among, Query, among};
use cairn_turns::{Context, Metadata};
use parking_lot::Mutex;

pub use cursor::{ActivityCursor, BadActivityCursor};
use order::Order;

use crate::{Act, Engine, EngineError, limits};

/// Contexts that are looked at in one step, at first and at the most.
const STEP: (usize, usize) = (64, 1024);

/// When contexts were last active, by tenant.
#[derive(Default)]
pub(crate) struct Activity {
    tenants: Mutex<HashMap<TenantId, Arc<Known>>>,
    /// Counts questions, so that the tenant that was not asked for longest is known.
    asked: AtomicU64,
}

/// What is known of one tenant.
struct Known {
    order: Mutex<Order>,
    is_built: AtomicBool,
    /// Held while it is built: others who need it wait for that instead of reading the same.
    building: Mutex<()>,
    asked: AtomicU64,
}

/// Part of a tenant's contexts, the most recently active first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityPage {
    /// The contexts, and what is said about them.
    pub contexts: Vec<(Context, Metadata)>,
    /// Where to go on; `None` at the end of the order.
    pub next: Option<ActivityCursor>,
    /// Whether the order ends here, and contexts exist that were active earlier than all that it holds.
    pub is_cut: bool,
}

impl Activity {
    /// Contexts were active in a transaction that is durable. Costs a look-up if nobody asked for this tenant.
    pub(crate) fn note(&self, tenant: TenantId, active: &[(ContextId, u64)]) {
        if active.is_empty() {
            return;
        }
        let Some(known) = self.tenants.lock().get(&tenant).cloned() else { return };
        let mut order = known.order.lock();
        active.iter().for_each(|(context, at_ms)| order.note(*context, *at_ms));
    }

    /// What is known of a tenant, maybe nothing yet; from here on it hears of every commit.
    fn of(&self, tenant: TenantId) -> Arc<Known> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let mut tenants = self.tenants.lock();
        if !tenants.contains_key(&tenant) && tenants.len() >= limits::ACTIVITY_TENANTS_MAX {
            let unused = tenants.iter().min_by_key(|(_, known)| known.asked.load(Ordering::Relaxed));
            if let Some(unused) = unused.map(|(tenant, _)| *tenant) {
                tenants.remove(&unused);
            }
        }
        let known = tenants.entry(tenant).or_insert_with(|| {
            Arc::new(Known {
                order: Mutex::new(Order::new(limits::ACTIVITY_CONTEXTS_MAX)),
                is_built: AtomicBool::new(false),
                building: Mutex::default(),
                asked: AtomicU64::new(asked),
            })
        });
        known.asked.store(asked, Ordering::Relaxed);
        Arc::clone(known)
    }
}

impl Engine {
    /// Up to `limit` contexts that a query finds, the most recently active first, after a cursor.
    ///
    /// One that becomes active while somebody pages moves to the front, and is not on the pages behind.
    pub fn contexts_by_activity(
        &self,
        principal: &Principal,
        tenant: TenantId,
        query: &Query,
        after: Option<ActivityCursor>,
        limit: usize,
    ) -> Result<ActivityPage, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        let permit = self.pipeline.permit(principal, &act)?;
        let known = self.memories.turns.activity.of(tenant);
        self.build_activity(permit, &known)?;
        let (mut contexts, mut at, mut step) = (Vec::new(), after, STEP.0);
        // Ends with the order, which has a bound.
        loop {
            // Before the snapshot, which then has every context of it that was not pruned.
            let batch = known.order.lock().after(at, step);
            let Some(last) = batch.last() else {
                return Ok(ActivityPage { contexts, next: None, is_cut: known.order.lock().is_cut() });
            };
            let ids: Vec<_> = batch.iter().map(|place| place.context).collect();
            let Among { found, missing } =
                self.pipeline.read_under(permit, Position::START, |snapshot, scope| {
                    // No filter asks whether somebody works on it.
                    Ok(among(snapshot, scope, query, &|_| false, &ids)?)
                })?;
            if !missing.is_empty() {
                let mut order = known.order.lock();
                missing.into_iter().for_each(|context| order.forget(context));
            }
            let mut places = batch.iter();
            for (context, said) in found {
                if contexts.len() == limit {
                    return Ok(ActivityPage { contexts, next: at, is_cut: false });
                }
                at = places.find(|place| place.context == context.id).copied();
                contexts.push((context, said));
            }
            at = Some(*last);
            step = (step * 2).min(STEP.1);
        }
    }

    /// Reads when each context of a tenant was last active, unless that was done.
    fn build_activity(&self, permit: Permit, known: &Known) -> Result<(), EngineError> {
        if known.is_built.load(Ordering::Acquire) {
            return Ok(());
        }
        let _building = known.building.lock();
        let mut after = ContextId(0);
        while !known.is_built.load(Ordering::Acquire) {
            // A snapshot for each step: one does not last for all of a large tenant.
            let contexts = self.pipeline.read_under(permit, Position::START, |snapshot, scope| {
                let (last, step) = (ContextId(u64::MAX), limits::ACTIVITY_STEP);
                Ok(cairn_turns::contexts_after(snapshot, scope, after, last, step)?)
            })?;
            let mut order = known.order.lock();
            contexts.iter().for_each(|context| order.note(context.id, context.active_at_ms));
            match contexts.last() {
                Some(last) => after = last.id,
                None => known.is_built.store(true, Ordering::Release),
            }
        }
        Ok(())
    }
}
