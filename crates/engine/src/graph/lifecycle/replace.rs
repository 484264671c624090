//! Replacing a space by a changed copy of it: the copy is made and changed in steps, and takes the name in one
//! transaction. Readers find the old one or the new one, and nothing between.

use std::sync::Arc;

use cairn_access::{Principal, Scope};
use cairn_base::{Position, SpaceId};
use cairn_graph::spaces;
use cairn_graph::{GraphError, Writer};
use cairn_seam::{Event, OnStage, Reader, StoreError, WriteTx, forward};

use super::copy::Copy;
use crate::graph::inside;
use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError, limits};

impl Engine {
    /// Replaces a space of a tenant by a copy that `change` writes to. Nobody else may write to the space meanwhile:
    /// if anybody does, this fails with [`StoreError::Conflict`].
    ///
    /// `also` runs in the transaction that gives the copy the name, with the scopes of the old and the new space, before
    /// the name changes. The old space is then deleted by upkeep. Stopped by `on_stage`, by a failure or by the end of the
    /// process, the space is as it was, and upkeep removes what was copied.
    pub(crate) fn replace_space_with(
        &self,
        principal: &Principal,
        act: &Act,
        (name, space): (&str, SpaceId),
        on_stage: OnStage<'_>,
        change: impl FnOnce(&Staging<'_>, OnStage<'_>) -> Result<(), EngineError>,
        also: impl FnMut(&mut dyn WriteTx, &Scope, &Scope) -> Result<(), EngineError> + Send + 'static,
    ) -> Result<SpaceId, EngineError> {
        let tenant = act.resource().tenant;
        let work = |whole: &Scope, (): &()| {
            let from_scope = inside(whole, space)?;
            let copying = self.memories.graph.copies.begin(&from_scope)?;
            // Changes of transactions from here on are noted.
            let staged = self.pipeline.step(whole, move |tx, _| Ok(spaces::stage(tx, tenant)?))?;
            let to_scope = inside(whole, staged)?;
            let unused = Arc::new(|_: &mut dyn WriteTx, _: &Scope| Ok(()));
            let copy = Copy { engine: self, whole, from: name, from_scope, to_scope, copying, also: unused };
            let replaced = copy.fill(on_stage).and_then(|()| {
                settle(&copy)?;
                change(&Staging { engine: self, whole, scope: to_scope }, on_stage)?;
                swap(&copy, also)
            });
            if let Err(error) = &replaced {
                copy.give_up(error);
            }
            replaced.map(|()| staged)
        };
        let prepare = || {
            let snapshot = self.pipeline.store().snapshot(Position::START)?;
            spaces::check_named(&*snapshot, tenant, space)?;
            Ok(())
        };
        let staged = self.pipeline.undertake(principal, act, WithoutLine::GoOn, prepare, work)?;
        self.memories.graph.spaces.forget(tenant, space);
        let deletions = self.memories.graph.spaces.deletions();
        self.memories.graph.spaces.note(tenant, name, staged, deletions);
        self.memories.graph.copies.note_unfinished();
        self.memories.graph.indexing.note_unfinished();
        Ok(staged)
    }
}

/// A copy of a space that has no name yet.
pub(crate) struct Staging<'a> {
    engine: &'a Engine,
    whole: &'a Scope,
    scope: Scope,
}

impl Staging<'_> {
    /// Writes to the copy in one transaction. Nothing is announced: the documents of the copy are derived once it has
    /// its name.
    pub(crate) fn step<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut Writer<'_>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (clock, scope) = (Arc::clone(self.engine.clock()), self.scope);
        self.engine.pipeline.step(self.whole, move |tx, _| {
            spaces::check_staged(&*tx, scope.tenant(), scope.space())?;
            let mut quiet = Quiet { tx };
            let mut writer = Writer::new(&mut quiet, scope, clock.now_ms());
            let value = body(&mut writer)?;
            writer.finish()?;
            Ok(value)
        })
    }
}

/// Copies what changed before the writers of the space were kept out.
fn settle(copy: &Copy<'_>) -> Result<(), EngineError> {
    for _ in 0..limits::SPACE_COPY_ROUNDS_MAX {
        if copy.copying.recorder.count().ok_or_else(|| copy.outrun())? == 0 {
            return Ok(());
        }
        copy.catch_up()?;
    }
    Err(copy.outrun())
}

/// Gives the copy the name of the space, in one transaction.
fn swap(
    copy: &Copy<'_>,
    mut also: impl FnMut(&mut dyn WriteTx, &Scope, &Scope) -> Result<(), EngineError> + Send + 'static,
) -> Result<(), EngineError> {
    let (from, to, name) = (copy.from_scope, copy.to_scope, copy.from.to_owned());
    let recorder = Arc::clone(&copy.copying.recorder);
    copy.engine.pipeline.step(copy.whole, move |tx, _| {
        if recorder.count() != Some(0) {
            return Err(StoreError::Conflict.into());
        }
        also(tx, &from, &to)?;
        spaces::copy_indexes(tx, &from, &to)?;
        let gone = spaces::delete_begin(tx, from.tenant(), &name)?;
        if gone != Some(from.space()) {
            return Err(GraphError::NoSpace(from.space()).into());
        }
        spaces::publish(tx, to.tenant(), to.space(), &name)?;
        Ok(())
    })
}

/// A transaction without its events.
struct Quiet<'a> {
    tx: &'a mut dyn WriteTx,
}

impl Reader for Quiet<'_> {
    forward!(tx: multi_get, multi_scan, multi_read, hashed_get, blobs);
}

impl WriteTx for Quiet<'_> {
    forward!(tx: tenant, put, delete, delete_range, hashed_put, put_blob, keep_blob, remove_blob);

    fn emit(&mut self, _: Event) -> Result<(), StoreError> {
        Ok(())
    }
}
