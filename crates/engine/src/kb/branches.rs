//! Branches in memory: the least recently used ones go when there are too many entities in all.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cairn_base::{SpaceId, TenantId};
use cairn_kb::KbError;
use parking_lot::{Condvar, Mutex};

use super::KbTarget;
use super::state::Held;
use crate::limits;

/// Branches that are in memory, and branches that are being created or deleted.
#[derive(Default)]
pub(super) struct Branches {
    held: Mutex<HashMap<(TenantId, SpaceId), Arc<Held>>>,
    clock: AtomicU64,
    changing: Mutex<HashSet<KbTarget>>,
    changed: Condvar,
}

impl Branches {
    /// The branch in a space, in memory or about to be.
    pub(super) fn held(&self, tenant: TenantId, space: SpaceId) -> Arc<Held> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut held = self.held.lock();
        let found = held.entry((tenant, space)).or_insert_with(|| Held::new(tenant, space));
        found.touch(now);
        Arc::clone(found)
    }

    /// Drops branches that were not used for longest, until the others are within the limit. Those in use stay, so that
    /// two writers of one branch always meet at the same lock.
    pub(super) fn make_room(&self) {
        let mut held = self.held.lock();
        let mut sizes: Vec<_> = held
            .iter()
            .map(|(key, held)| (held.last_used(), *key, held.entities(), Arc::strong_count(held) > 1))
            .collect();
        sizes.sort_unstable();
        let mut total: usize = sizes.iter().map(|(_, _, entities, _)| entities).sum();
        let mut count = held.len();
        for (_, key, entities, is_in_use) in sizes {
            let is_within = total <= limits::KB_ENTITIES_HELD_MAX && count <= limits::KB_BRANCHES_HELD_MAX;
            if is_within {
                break;
            }
            if !is_in_use {
                held.remove(&key);
                total -= entities;
                count -= 1;
            }
        }
    }

    /// Drops one branch.
    pub(super) fn forget(&self, tenant: TenantId, space: SpaceId) {
        self.held.lock().remove(&(tenant, space));
    }

    /// Drops every branch.
    pub(super) fn forget_all(&self) {
        self.held.lock().clear();
    }

    /// Reserves a branch for creating or deleting it. Waits while another caller does.
    ///
    /// # Errors
    ///
    /// Fails if it is still reserved after some time.
    pub(super) fn reserve(
        &self,
        target: &KbTarget,
        doing: &'static str,
        wait_max: Duration,
    ) -> Result<Reserved<'_>, KbError> {
        let mut changing = self.changing.lock();
        while changing.contains(target) {
            if self.changed.wait_for(&mut changing, wait_max).timed_out() {
                return Err(KbError::Busy { branch: target.branch.clone(), doing });
            }
        }
        changing.insert(target.clone());
        Ok(Reserved { branches: self, target: target.clone() })
    }
}

/// A branch that is being created or deleted.
pub(super) struct Reserved<'a> {
    branches: &'a Branches,
    target: KbTarget,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.branches.changing.lock().remove(&self.target);
        self.branches.changed.notify_all();
    }
}
