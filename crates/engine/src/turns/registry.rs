//! The type registry, in memory as long as it is what the store holds.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, TenantId};
use cairn_seam::Snapshot;
use cairn_turns::registry::{self, Registry};
use parking_lot::Mutex;

use crate::{Act, Engine, EngineError};

/// Tenants whose registries are kept; each has at most `limits::REGISTRY_BYTES_MAX`.
const KEPT_MAX: usize = 16;

/// Registries that were loaded.
#[derive(Default)]
pub(crate) struct Registries(Mutex<HashMap<TenantId, Arc<Registry>>>);

impl Engine {
    /// The registry of a tenant.
    pub fn registry(&self, principal: &Principal, tenant: TenantId) -> Result<Arc<Registry>, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        self.pipeline
            .read(principal, &act, Position::START, |snapshot, scope| self.registry_at(snapshot, scope))
    }

    /// The registry as a snapshot has it.
    pub(crate) fn registry_at(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
    ) -> Result<Arc<Registry>, EngineError> {
        self.registry_of(snapshot, scope, registry::generation(snapshot, scope)?)
    }

    /// The registry as a snapshot has it whose generation is known: nothing is read if it is in memory.
    pub(crate) fn registry_of(
        &self,
        snapshot: &dyn Snapshot,
        scope: &Scope,
        generation: u64,
    ) -> Result<Arc<Registry>, EngineError> {
        let kept = self.memories.turns.registries.0.lock().get(&scope.tenant()).cloned();
        if let Some(kept) = kept.filter(|kept| kept.generation() == generation) {
            return Ok(kept);
        }
        let loaded = Arc::new(registry::load(snapshot, scope)?);
        let mut kept = self.memories.turns.registries.0.lock();
        if kept.len() >= KEPT_MAX && !kept.contains_key(&scope.tenant()) {
            kept.clear();
        }
        kept.insert(scope.tenant(), Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Whether turns have to be of published types.
    pub fn has_strict_types(&self) -> bool {
        self.memories.turns.strict_types.load(Ordering::Relaxed)
    }

    /// How long idempotency keys of appends are remembered.
    pub fn remember_keys(&self) -> Duration {
        self.memories.turns.remember_keys
    }

    /// Has turns be of published types, or of any.
    pub fn set_strict_types(&self, strict: bool) {
        self.memories.turns.strict_types.store(strict, Ordering::Relaxed);
    }
}
