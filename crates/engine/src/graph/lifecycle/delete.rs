//! Deleting a space: its name goes at once, its rows in steps.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::TenantId;
use cairn_graph::limits::SPACE_STEP_ROWS;
use cairn_graph::spaces;
use cairn_seam::WriteTx;

use crate::graph::inside;
use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError};

/// How long the caller waits until nothing is left of a space; upkeep does the rest.
const DELETE_WITHIN: Duration = Duration::from_secs(2);

impl Engine {
    /// Deletes a space of a tenant: when this returns, nothing finds it. What is left of its rows is removed by upkeep.
    ///
    /// Fails with [`EngineError::NoSpace`] if there is no space of that name. `memory` cannot be deleted.
    pub fn delete_space(
        &self,
        principal: &Principal,
        tenant: TenantId,
        name: &str,
    ) -> Result<(), EngineError> {
        let act = Act::new(Action::GraphWrite, Resource::tenant(tenant))
            .on(format!("delete space {name}"))
            .deleting();
        self.delete_space_with(principal, &act, name, |_, _| Ok(()))
    }

    /// The same as another act. `also` runs in the transaction that takes the name, with the scope of the space.
    pub(crate) fn delete_space_with(
        &self,
        principal: &Principal,
        act: &Act,
        name: &str,
        also: impl Fn(&mut dyn WriteTx, &Scope) -> Result<(), EngineError> + Send + Sync + 'static,
    ) -> Result<(), EngineError> {
        let tenant = act.resource().tenant;
        let also = Arc::new(also);
        let work = |whole: &Scope, (): &()| {
            let (wanted, also) = (name.to_owned(), Arc::clone(&also));
            self.memories.graph.copies.note_unfinished();
            let gone = self.pipeline.deleting_step(whole, move |tx, whole| {
                let gone = spaces::delete_begin(tx, tenant, &wanted)?;
                gone.map(|space| also(tx, &inside(whole, space)?)).transpose()?;
                Ok(gone)
            })?;
            let Some(space) = gone else { return Err(self.no_space(tenant, name)?.into()) };
            self.memories.graph.copies.note_unfinished();
            self.memories.graph.spaces.forget(tenant, space);
            let until = self.clock().monotonic() + DELETE_WITHIN;
            let cleared = self.clear_space(&inside(whole, space)?, until);
            if let Err(error) = cleared {
                tracing::warn!(%error, "the rows of a deleted space are removed later");
            }
            Ok(())
        };
        self.pipeline.undertake(principal, act, WithoutLine::Refuse, || Ok(()), work)
    }

    /// Removes rows of a space that is being deleted until that time, and at least one page; says whether none is left.
    pub(super) fn clear_space(&self, scope: &Scope, until: Duration) -> Result<bool, EngineError> {
        loop {
            let is_done = self
                .pipeline
                .deleting_step(scope, |tx, scope| Ok(spaces::delete_page(tx, scope, SPACE_STEP_ROWS)?))?;
            if is_done {
                return Ok(true);
            }
            if self.clock().monotonic() >= until || self.upkeep.is_stopped() {
                return Ok(false);
            }
        }
    }
}
