//! Copying a space: page by page into a staged one, then what changed meanwhile, then the name.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::GraphError;
use cairn_graph::limits::{SPACE_PUBLISH_ROWS_MAX, SPACE_STEP_BYTES, SPACE_STEP_ROWS};
use cairn_graph::spaces::{self, CopyPage, CopyPlace};
use cairn_seam::{OnStage, Stage, StoreError, WriteTx};

use super::changed::{Copying, Recorder};
use crate::graph::inside;
use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError, limits};

/// Rows that changed meanwhile and may be left for the transaction that publishes the copy; others wait for that one.
const LEFT_MAX: usize = 2_000;

impl Engine {
    /// Copies a space of a tenant under another name. The copy appears whole, in one commit, as the space is at that
    /// moment; others read and write meanwhile. Until upkeep has announced its documents
    /// ([`Engine::documents_pending`]), searches in it fail with [`EngineError::NoSearch`].
    ///
    /// Stopped by `on_stage`, by a failure or by the end of the process nothing of it is ever found, and upkeep removes
    /// what was copied. Fails with [`EngineError::CopiesFull`] if too many copies run, with
    /// [`EngineError::CopyOutrun`] if the space changes more quickly than it can be copied, and with
    /// [`GraphError::SpaceExists`] if the name is taken.
    pub fn copy_space(
        &self,
        principal: &Principal,
        tenant: TenantId,
        from: &str,
        to: &str,
        on_stage: OnStage<'_>,
    ) -> Result<SpaceId, EngineError> {
        let act =
            Act::new(Action::GraphWrite, Resource::tenant(tenant)).on(format!("copy space {from} to {to}"));
        self.copy_space_with(principal, &act, from, to, on_stage, |_, _| Ok(()))
    }

    /// The same as another act. `also` runs in the transaction that publishes the copy, with the scope of the copy.
    pub(crate) fn copy_space_with(
        &self,
        principal: &Principal,
        act: &Act,
        from: &str,
        to: &str,
        on_stage: OnStage<'_>,
        also: impl Fn(&mut dyn WriteTx, &Scope) -> Result<(), EngineError> + Send + Sync + 'static,
    ) -> Result<SpaceId, EngineError> {
        let tenant = act.resource().tenant;
        self.pipeline.permit(principal, act)?;
        let also: Arc<Also> = Arc::new(also);
        let prepare = || {
            spaces::check(to)?;
            let Some(space) = self.space(principal, tenant, from)? else {
                return Err(self.no_space(tenant, from)?.into());
            };
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            match spaces::find(&*snapshot, tenant, to)? {
                Some(_) => Err(GraphError::SpaceExists(to.to_owned()).into()),
                None => Ok(space),
            }
        };
        let work = |whole: &Scope, space: &SpaceId| {
            let from_scope = inside(whole, *space)?;
            let copying = self.memories.graph.copies.begin(&from_scope)?;
            // Whatever transaction ran before this one is in every snapshot from here on; others are noted.
            let staged = self.pipeline.step(whole, move |tx, _| Ok(spaces::stage(tx, tenant)?))?;
            let to_scope = inside(whole, staged)?;
            let also = Arc::clone(&also);
            let copy = Copy { engine: self, whole, from, from_scope, to_scope, copying, also };
            let copied = copy.run(to, on_stage);
            if let Err(error) = &copied {
                copy.give_up(error);
            }
            copied.map(|()| staged)
        };
        let deletions = self.memories.graph.spaces.deletions();
        let copied = self.pipeline.undertake(principal, act, WithoutLine::GoOn, prepare, work)?;
        self.memories.graph.spaces.note(tenant, to, copied, deletions);
        self.memories.graph.indexing.note_unfinished();
        Ok(copied)
    }

    /// Whether documents of a copied space are still to be announced to the search index. Until then the index may
    /// lack some of them.
    pub fn documents_pending(&self, tenant: TenantId, space: SpaceId) -> Result<bool, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        Ok(spaces::state(&*snapshot, tenant, space)?.is_some_and(|state| !state.is_hidden()))
    }
}

/// A copy under way.
pub(super) struct Copy<'a> {
    pub(super) engine: &'a Engine,
    /// The tenant as a whole.
    pub(super) whole: &'a Scope,
    /// The name of the space that is copied.
    pub(super) from: &'a str,
    pub(super) from_scope: Scope,
    pub(super) to_scope: Scope,
    pub(super) copying: Copying,
    pub(super) also: Arc<Also>,
}

/// Work in the transaction that publishes a copy.
pub(super) type Also = dyn Fn(&mut dyn WriteTx, &Scope) -> Result<(), EngineError> + Send + Sync;

impl Copy<'_> {
    fn run(&self, name: &str, on_stage: OnStage<'_>) -> Result<(), EngineError> {
        self.fill(on_stage)?;
        self.publish(name)
    }

    /// Copies the space, except for a few rows that changed meanwhile.
    pub(super) fn fill(&self, on_stage: OnStage<'_>) -> Result<(), EngineError> {
        let (mut place, mut done) = (None, 0);
        let about = spaces::rows_about(&*self.snapshot()?, &self.from_scope)?;
        let mut go_on = |done: u64| {
            let goes_on = on_stage(Stage { name: "copying the space", done, total: about.max(done) });
            if goes_on { Ok(()) } else { Err(EngineError::from(StoreError::Stopped)) }
        };
        loop {
            go_on(done)?;
            let (rows, next) = self.page(place.as_ref())?;
            done += rows;
            match next {
                Some(next) => place = Some(next),
                None => break,
            }
        }
        for _ in 0..limits::SPACE_COPY_ROUNDS_MAX {
            let count = self.copying.recorder.count().ok_or_else(|| self.outrun())?;
            if count <= LEFT_MAX {
                break;
            }
            go_on(done)?;
            self.catch_up()?;
        }
        go_on(done)
    }

    fn snapshot(&self) -> Result<Box<dyn cairn_seam::Snapshot>, EngineError> {
        Ok(self.engine.pipeline.store().snapshot(Position::START)?)
    }

    /// Copies one page, and says how many rows it had and where the next one begins.
    fn page(&self, place: Option<&CopyPlace>) -> Result<(u64, Option<CopyPlace>), EngineError> {
        let snapshot = self.snapshot()?;
        spaces::check_named(&*snapshot, self.from_scope.tenant(), self.from_scope.space())?;
        let page = CopyPage::read(&*snapshot, &self.from_scope, place, SPACE_STEP_ROWS, SPACE_STEP_BYTES)?;
        drop(snapshot);
        let (to, next) = (self.to_scope, page.next.clone());
        let rows = self.engine.pipeline.step(self.whole, move |tx, _| Ok(page.write(tx, &to)?))?;
        Ok((rows as u64, next))
    }

    /// Copies what has changed until now.
    pub(super) fn catch_up(&self) -> Result<(), EngineError> {
        let rows = self.copying.recorder.take().ok_or_else(|| self.outrun())?;
        for part in rows.chunks(SPACE_STEP_ROWS) {
            let (part, from, to) = (part.to_vec(), self.from_scope, self.to_scope);
            self.engine
                .pipeline
                .step(self.whole, move |tx, _| Ok(spaces::copy_rows(tx, &from, &to, &part)?))?;
        }
        Ok(())
    }

    /// Copies the rest of what has changed and gives the copy its name, in one transaction.
    fn publish(&self, name: &str) -> Result<(), EngineError> {
        let (from, to, name) = (self.from_scope, self.to_scope, name.to_owned());
        let (recorder, copied) = (Arc::clone(&self.copying.recorder), self.from.to_owned());
        let also = Arc::clone(&self.also);
        self.engine.pipeline.step(self.whole, move |tx, _| {
            spaces::check_named(&*tx, from.tenant(), from.space())?;
            let rows = few(&recorder).ok_or_else(|| EngineError::CopyOutrun { name: copied.clone() })?;
            spaces::copy_rows(tx, &from, &to, &rows)?;
            spaces::copy_indexes(tx, &from, &to)?;
            spaces::publish(tx, to.tenant(), to.space(), &name)?;
            also(tx, &to)
        })
    }

    pub(super) fn outrun(&self) -> EngineError {
        EngineError::CopyOutrun { name: self.from.to_owned() }
    }

    /// Nothing finds the copy; upkeep removes it.
    pub(super) fn give_up(&self, why: &EngineError) {
        let to = self.to_scope;
        let abandoned = self
            .engine
            .pipeline
            .deleting_step(self.whole, move |tx, _| Ok(spaces::abandon(tx, to.tenant(), to.space())?));
        self.engine.memories.graph.copies.note_unfinished();
        if let Err(error) = abandoned {
            tracing::warn!(%error, %why, "a copy of a space that failed is removed later");
        }
    }
}

/// Rows that one transaction can copy before it publishes.
fn few(recorder: &Recorder) -> Option<Vec<spaces::Row>> {
    recorder.count().filter(|count| *count <= SPACE_PUBLISH_ROWS_MAX)?;
    recorder.rows()
}
