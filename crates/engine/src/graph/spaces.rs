//! Which space a request means, and that there is something in it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::View;
use cairn_graph::spaces::{self, MEMORY};
use cairn_seam::WriteTx;
use parking_lot::RwLock;

use super::missing::NoSpace;
use crate::{Act, Engine, EngineError, limits};

/// Names of spaces that are remembered; when there are more, all are looked up anew.
const KNOWN_MAX: usize = 10_000;

/// Spaces that are known to be there. One that is deleted is forgotten.
#[derive(Default)]
pub(crate) struct Spaces {
    numbers: RwLock<HashMap<(TenantId, Box<str>), SpaceId>>,
    /// How often a space was deleted: a name that was looked up before that is not remembered after it.
    deletions: AtomicU64,
    /// Those that have their first types, and everything that a space must have.
    ready: RwLock<HashSet<(TenantId, SpaceId)>>,
    /// Whether a failure to restore a concept was logged since the last success.
    is_failure_logged: AtomicBool,
}

impl Spaces {
    /// Whether the space has its first types, and everything that it must have.
    pub(super) fn is_ready(&self, tenant: TenantId, space: SpaceId) -> bool {
        self.ready.read().contains(&(tenant, space))
    }

    /// The number of a space, if that is remembered.
    pub(super) fn known(&self, tenant: TenantId, name: &str) -> Option<SpaceId> {
        if name == MEMORY {
            return Some(SpaceId::MEMORY);
        }
        self.numbers.read().get(&(tenant, name.into())).copied()
    }

    fn note_ready(&self, tenant: TenantId, space: SpaceId) {
        let mut ready = self.ready.write();
        if ready.len() >= KNOWN_MAX {
            ready.clear();
        }
        ready.insert((tenant, space));
    }

    /// How often a space was deleted until now.
    pub(super) fn deletions(&self) -> u64 {
        self.deletions.load(Ordering::Acquire)
    }

    /// A space was deleted.
    pub(super) fn forget(&self, tenant: TenantId, space: SpaceId) {
        let mut numbers = self.numbers.write();
        self.deletions.fetch_add(1, Ordering::AcqRel);
        numbers.retain(|(of, _), known| (*of, *known) != (tenant, space));
        drop(numbers);
        self.ready.write().remove(&(tenant, space));
    }

    /// Remembers the number of a space that was looked up when `deletions` spaces were deleted.
    pub(super) fn note(&self, tenant: TenantId, name: &str, space: SpaceId, deletions: u64) {
        let mut numbers = self.numbers.write();
        if self.deletions() != deletions {
            return;
        }
        if numbers.len() >= KNOWN_MAX {
            numbers.clear();
        }
        numbers.insert((tenant, name.into()), space);
    }
}

impl Engine {
    /// The space of a name, if there is one.
    pub(crate) fn space(
        &self,
        principal: &Principal,
        tenant: TenantId,
        name: &str,
    ) -> Result<Option<SpaceId>, EngineError> {
        if let Some(known) = self.memories.graph.spaces.known(tenant, name) {
            return Ok(Some(known));
        }
        let act = Act::new(Action::GraphRead, Resource::tenant(tenant));
        self.pipeline.permit(principal, &act)?;
        let deletions = self.memories.graph.spaces.deletions();
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let found = spaces::find(&*snapshot, tenant, name)?;
        if let Some(space) = found {
            self.memories.graph.spaces.note(tenant, name, space, deletions);
        }
        Ok(found)
    }

    /// A space that somebody reads: it has to be there.
    pub(crate) fn space_to_read(
        &self,
        principal: &Principal,
        tenant: TenantId,
        name: &str,
    ) -> Result<SpaceId, EngineError> {
        let Some(space) = self.space(principal, tenant, name)? else {
            return Err(self.no_space(tenant, name)?.into());
        };
        self.make_ready(tenant, space)?;
        Ok(space)
    }

    /// A space that is not there, beside those that are.
    pub(crate) fn no_space(&self, tenant: TenantId, name: &str) -> Result<NoSpace, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let most = limits::KIP_SPACES_NAMED_MAX;
        let known = spaces::list(&*snapshot, tenant, None, most + 1)?;
        let has_more = known.len() > most;
        let known = known.into_iter().take(most).map(|(_, name)| name).collect();
        Ok(NoSpace { name: name.to_owned(), known, has_more })
    }

    /// Gives a space its first types if it has none; the node does that for whoever comes first.
    fn make_ready(&self, tenant: TenantId, space: SpaceId) -> Result<(), EngineError> {
        if self.memories.graph.spaces.is_ready(tenant, space) {
            return Ok(());
        }
        let scope = self.own_space(tenant, space)?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        if !View::new(&*snapshot, scope).is_bootstrapped()? {
            let now_ms = self.clock().now_ms();
            let act = Act::new(Action::GraphWrite, Resource::space(tenant, space));
            self.pipeline.transact(&Principal::local_owner(), &act, move |tx, scope| {
                spaces::check_named(&*tx, scope.tenant(), scope.space())?;
                Ok(cairn_graph::bootstrap(tx, scope, now_ms)?)
            })?;
        }
        self.make_whole(tenant, space);
        Ok(())
    }

    /// Restores what a space must have and lost while earlier versions allowed that. The first request for a
    /// space looks once per start of the node, whether it reads or writes.
    ///
    /// Whoever asks is served in any case: a store that cannot be written to can still be read.
    pub(crate) fn make_whole(&self, tenant: TenantId, space: SpaceId) {
        if self.memories.graph.spaces.is_ready(tenant, space) {
            return;
        }
        match self.restore_lost(tenant, space) {
            Ok(is_whole) => {
                self.memories.graph.spaces.is_failure_logged.store(false, Ordering::Relaxed);
                if is_whole {
                    self.memories.graph.spaces.note_ready(tenant, space);
                }
            }
            Err(error) if !self.memories.graph.spaces.is_failure_logged.swap(true, Ordering::Relaxed) => {
                tracing::warn!(%error, "a concept that every space must have could not be restored");
            }
            Err(_) => {}
        }
    }

    /// Whether the space has everything now; one without its first types has not.
    fn restore_lost(&self, tenant: TenantId, space: SpaceId) -> Result<bool, EngineError> {
        let scope = self.own_space(tenant, space)?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let view = View::new(&*snapshot, scope);
        if !view.is_bootstrapped()? {
            return Ok(false);
        }
        if view.lacks_required()? {
            let now_ms = self.clock().now_ms();
            let act = Act::new(Action::GraphWrite, Resource::space(tenant, space));
            self.pipeline.transact(&Principal::local_owner(), &act, move |tx, scope| {
                spaces::check_named(&*tx, scope.tenant(), scope.space())?;
                Ok(cairn_graph::restore(tx, scope, now_ms)?)
            })?;
        }
        Ok(true)
    }
}

/// The scope of the space that a transaction writes to: one that is there, or one that it makes.
pub(crate) fn space_to_write(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    name: &str,
    now_ms: u64,
) -> Result<Scope, EngineError> {
    let scope = match scope.space() {
        SpaceId::NONE => {
            let space = spaces::create(tx, scope.tenant(), name)?;
            scope.of_space(space).unwrap_or(*scope)
        }
        space => {
            // It may have been deleted since it was looked up.
            spaces::check_named(&*tx, scope.tenant(), space)?;
            *scope
        }
    };
    cairn_graph::bootstrap(tx, &scope, now_ms)?;
    Ok(scope)
}
