//! Pruning, in steps that others hardly notice.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContextId, Position, TenantId};
use cairn_seam::{OnStage, Stage, StoreError};
use cairn_turns::prune::{Cutoff, Rule, Sweep, remove_contexts, remove_turns};
use cairn_turns::{Context, contexts_after, last_numbers};
use parking_lot::RwLock;

use crate::pipeline::WithoutLine;
use crate::{Act, Engine, EngineError, limits};

/// What was or would be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneReport {
    /// Contexts.
    pub contexts: u64,
    /// Turns that nothing else reaches.
    pub turns: u64,
    /// Bytes of their payloads, those that several turns share counted for each.
    pub payload_bytes: u64,
    /// Contexts that stay.
    pub contexts_kept: u64,
    /// Turns that stay.
    pub turns_kept: u64,
    /// Whether it was done, and not only looked at.
    pub applied: bool,
}

impl Engine {
    /// Removes contexts, and the turns that only they reached; or only says what that would come to.
    ///
    /// It looks at every context and every turn of the tenant. Stopped by `on_stage` or by the end of the
    /// process, it leaves nothing that leads nowhere, and the next run does the rest. Payloads and file
    /// trees that nothing refers to any more go with the next compaction.
    ///
    /// Nothing is removed unless an audit line says so before; another one says how it ended. Looking
    /// leaves none.
    pub fn prune(
        &self,
        principal: &Principal,
        tenant: TenantId,
        rule: &Rule,
        apply: bool,
        on_stage: OnStage<'_>,
    ) -> Result<PruneReport, EngineError> {
        let act = Act::new(Action::TurnsPrune, Resource::tenant(tenant)).on(subject(rule));
        let alone = || self.maintaining.try_lock().ok_or(EngineError::MaintenanceRunning);
        if apply {
            let work = |scope: &Scope, _: &_| self.sift(scope, rule, true, on_stage);
            return self.pipeline.undertake(principal, &act, WithoutLine::Refuse, alone, work);
        }
        let scope = self.pipeline.permit(principal, &act)?.scope();
        let _alone = alone()?;
        self.sift(&scope, rule, false, on_stage)
    }

    /// Finds what goes and what stays, and removes what goes if that is to be done.
    fn sift(
        &self,
        scope: &Scope,
        rule: &Rule,
        apply: bool,
        on_stage: OnStage<'_>,
    ) -> Result<PruneReport, EngineError> {
        let cutoff = self.cutoff(scope, rule, on_stage)?;
        let mut report = PruneReport { applied: apply, ..PruneReport::default() };
        if apply {
            report.contexts = self.prune_contexts(scope, &cutoff, on_stage)?;
            // Turns of these are not served from memory either.
            self.memories.turns.payloads.clear();
        }
        let mut sweep = Sweep::begin(&*self.snapshot()?, scope)?;
        let last = sweep.last_context();
        self.each_context(scope, last, "finding what stays", on_stage, &mut |page| {
            for context in page {
                // When it is applied, what the rule takes is gone; what it would take now was saved.
                if !apply && cutoff.takes(context) {
                    report.contexts += 1;
                } else {
                    report.contexts_kept += 1;
                    sweep.keep(context);
                }
            }
            Ok(())
        })?;
        self.sweep_turns(scope, sweep, &mut report, on_stage)?;
        Ok(report)
    }

    fn cutoff(&self, scope: &Scope, rule: &Rule, on_stage: OnStage<'_>) -> Result<Cutoff, EngineError> {
        let mut cutoff = rule.begin();
        if cutoff.needs_a_look() {
            let last = last_numbers(&*self.snapshot()?, scope)?.0;
            self.each_context(scope, last, "looking at contexts", on_stage, &mut |page| {
                page.iter().for_each(|context| cutoff.look(context));
                Ok(())
            })?;
        }
        Ok(cutoff.settled())
    }

    /// Removes contexts, so many a transaction.
    fn prune_contexts(
        &self,
        scope: &Scope,
        cutoff: &Cutoff,
        on_stage: OnStage<'_>,
    ) -> Result<u64, EngineError> {
        let last = last_numbers(&*self.snapshot()?, scope)?.0;
        let mut removed = 0;
        self.each_context(scope, last, "removing contexts", on_stage, &mut |page| {
            let ids: Vec<_> =
                page.iter().filter(|context| cutoff.takes(context)).map(|context| context.id).collect();
            if !ids.is_empty() {
                let cutoff = cutoff.clone();
                removed += self
                    .pipeline
                    .deleting_step(scope, move |tx, scope| Ok(remove_contexts(tx, scope, &cutoff, &ids)?))?;
            }
            Ok(())
        })?;
        Ok(removed)
    }

    /// Walks over all turns, and removes those that nothing needs if that is to be done.
    fn sweep_turns(
        &self,
        scope: &Scope,
        sweep: Sweep,
        report: &mut PruneReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let total = sweep.next().0;
        let sweep = Arc::new(RwLock::new(sweep));
        loop {
            let (page, arrivals) = {
                let (snapshot, known) = (self.snapshot()?, sweep.read());
                (known.page(&*snapshot, scope, limits::BULK_TURNS)?, known.arrivals(&*snapshot, scope)?)
            };
            let mut gone = sweep.read().unneeded(&page, &arrivals);
            if report.applied && !gone.is_empty() {
                sweep.write().absorb(&arrivals);
                let (shared, turns, scope) = (Arc::clone(&sweep), page.clone(), *scope);
                let body = move |tx: &mut dyn cairn_seam::WriteTx| {
                    let sweep = shared.read();
                    let arrivals = sweep.arrivals(tx, &scope)?;
                    let gone = sweep.unneeded(&turns, &arrivals);
                    remove_turns(tx, &scope, &gone)?;
                    Ok((gone, arrivals))
                };
                let store = self.pipeline.store();
                let done: Result<_, EngineError> =
                    cairn_seam::write_as(store, scope.tenant(), Action::TurnsPrune.row().class, body);
                let came;
                ((gone, came), _) = done?;
                sweep.write().pass(&page, &gone, &came);
            } else {
                sweep.write().pass(&page, &gone, &arrivals);
            }
            report.turns += gone.len() as u64;
            report.turns_kept += (page.len() - gone.len()) as u64;
            report.payload_bytes += gone.iter().map(|turn| u64::from(turn.payload_bytes)).sum::<u64>();
            let name = if report.applied { "removing turns" } else { "looking at turns" };
            go_on(on_stage, name, total - sweep.read().next().0, total)?;
            if page.is_empty() {
                return Ok(());
            }
        }
    }

    /// Shows all contexts up to one, a page at a time.
    fn each_context(
        &self,
        scope: &Scope,
        last: ContextId,
        name: &'static str,
        on_stage: OnStage<'_>,
        visit: &mut dyn FnMut(&[Context]) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut at = ContextId(0);
        loop {
            let page = contexts_after(&*self.snapshot()?, scope, at, last, limits::BULK_TURNS)?;
            let Some(newest) = page.last() else { return Ok(()) };
            at = newest.id;
            visit(&page)?;
            go_on(on_stage, name, at.0, last.0)?;
        }
    }

    fn snapshot(&self) -> Result<Box<dyn cairn_seam::Snapshot>, EngineError> {
        Ok(self.pipeline.store().snapshot(Position::START)?)
    }
}

fn go_on(on_stage: OnStage<'_>, name: &'static str, done: u64, total: u64) -> Result<(), EngineError> {
    if on_stage(Stage { name, done, total }) { Ok(()) } else { Err(StoreError::Stopped.into()) }
}

/// What the audit line says.
fn subject(rule: &Rule) -> String {
    match rule {
        Rule::InactiveSince(time) => format!("contexts inactive since {time}"),
        Rule::AllBut(count) => format!("all contexts but the newest {count}"),
        Rule::Named(named) => {
            let names: Vec<_> = named.iter().map(ContextId::to_string).collect();
            format!("contexts {}", names.join(", "))
        }
    }
}
